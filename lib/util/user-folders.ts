import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJsonRecord } from './json.ts';
import { readTextOrEmpty } from './read-file.ts';

/**
 * The folder for what this user decided on this machine, outside every repository and hidden from agents:
 * `$XDG_STATE_HOME/git-flame`, or `~/.local/state/git-flame`. It need not exist yet.
 */
export function userStateDir(env: UserEnv): string {
  return xdgDir(env, env.XDG_STATE_HOME, 'state');
}

/** The folder for what agents make that must lie outside the repository: `$XDG_DATA_HOME/git-flame`. */
export function userDataDir(env: UserEnv): string {
  return xdgDir(env, env.XDG_DATA_HOME, 'share');
}

type UserEnv = Readonly<Record<string, string | undefined>>;

function xdgDir(env: UserEnv, named: string | undefined, usual: string): string {
  // The XDG specification has relative values ignored.
  const isNamed = named !== undefined && isAbsolute(named);
  return join(isNamed ? named : join(env.HOME ?? homedir(), '.local', usual), 'git-flame');
}

/** The part of that folder that is about one clone, named after where its common git directory really lies. */
export function cloneStateDir(env: Readonly<Record<string, string | undefined>>, commonDir: string): string {
  const place = createHash('sha256').update(realpathSync(commonDir)).digest('hex').slice(0, 32);
  return join(userStateDir(env), 'clones', place);
}

let found: string | undefined;

/** The folder of this package, source checkout or installation: where templates and hooks are. */
export function packageRoot(): string {
  found ??= findUp(dirname(fileURLToPath(import.meta.url)));
  return found;
}

function findUp(folder: string): string {
  if (isPackage(folder)) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('Internal error: package.json of git-flame was not found');
  return findUp(parent);
}

function isPackage(folder: string): boolean {
  return parseJsonRecord(readTextOrEmpty(join(folder, 'package.json'))).name === 'git-flame';
}
