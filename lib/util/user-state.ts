import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { shortHash } from './short-hash.ts';

/**
 * The folder for what this user decided on this machine, outside every repository and hidden from agents:
 * `$XDG_STATE_HOME/git-flame`, or `~/.local/state/git-flame`. It need not exist yet.
 */
export function userStateDir(env: Readonly<Record<string, string | undefined>>): string {
  const named = env.XDG_STATE_HOME;
  // The XDG specification has relative values ignored.
  const base =
    named !== undefined && isAbsolute(named) ? named : join(env.HOME ?? homedir(), '.local', 'state');
  return join(base, 'git-flame');
}

/** The part of that folder that is about one clone, named after where its common git directory really lies. */
export function cloneStateDir(env: Readonly<Record<string, string | undefined>>, commonDir: string): string {
  const place = shortHash('sha256', Buffer.from(realpathSync(commonDir))).slice(0, 32);
  return join(userStateDir(env), 'clones', place);
}
