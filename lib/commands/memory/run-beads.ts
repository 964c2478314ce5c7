import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { buildCleanGitEnvironment } from '../../git/process/limit-git-runs.ts';
import { programPath } from '../../util/child-programs.ts';
import { isJsonRecord } from '../../util/json.ts';

/** The place `bd` runs in: the person's environment, and the work tree that holds `.beads`. */
export interface BeadsPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
}

// The first whose JSON has one shape, and whose exports can be switched off.
const oldest = [1, 0] as const;
const patienceMs = 30_000;
const longestOutput = 16 * 1024 * 1024;

/**
 * Runs one command of Beads and answers its data. Its exports are off: it writes no file for git, stages none and pushes
 * nothing. Where it could start hooks of the work tree it isn't run. Throws an Error that says in one sentence why there
 * is no answer.
 */
export async function runBeadsCommand(
  { env, root }: BeadsPlace,
  args: readonly string[],
  input: string | null = null,
): Promise<unknown> {
  // Read at each call: a landing may bring hooks.
  const hooks = findBeadsHooksFolder({ env, root });
  if (hooks !== null) throw new Error(explainBeadsHooks(hooks));
  const { execa } = await import('execa');
  const kept = buildCleanGitEnvironment(env);
  const child = await execa(programPath('bd', kept.PATH), ['-C', root, '--json', '--sandbox', ...args], {
    cwd: root,
    // Each setting has a variable that overrides it, so that the person's file stays as it is.
    env: {
      ...kept,
      BD_JSON_ENVELOPE: '1',
      BD_EXPORT_AUTO: 'false',
      BD_EXPORT_GIT_ADD: 'false',
      BD_NO_GIT_OPS: 'true',
    },
    extendEnv: false,
    reject: false,
    timeout: patienceMs,
    killSignal: 'SIGKILL',
    maxBuffer: longestOutput,
    ...(input === null ? { stdin: 'ignore' as const } : { input }),
  });
  const said = parse(child.stdout);
  if (child.timedOut) throw new Error(`bd ${args[0]} gave no answer within ${patienceMs / 1_000} s`);
  if (child.exitCode === undefined) throw new Error(`bd can't be run: ${child.originalMessage ?? 'it is not in PATH'}`);
  if (child.exitCode !== 0) throw new Error(`bd ${args[0]}: ${reasonOf(said, child.stderr, child.exitCode)}`);
  if (said === undefined) throw new Error(`bd ${args[0]} did not print JSON`);
  return isJsonRecord(said) && 'schema_version' in said && 'data' in said ? said.data : said;
}

/** The version of `bd`. Throws an Error where it is missing, something else by that name, or too old. */
export async function readBeadsVersion(place: BeadsPlace): Promise<string> {
  const said = await runBeadsCommand(place, ['version']);
  const version = isJsonRecord(said) && typeof said.version === 'string' ? said.version : '';
  const [major, minor] = version.split('.').map(Number);
  if (major === undefined || minor === undefined || Number.isNaN(major + minor))
    throw new Error('the program bd does not print a version of Beads');
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    throw new Error(`bd ${version} is too old: ${oldest.join('.')} or newer is needed`);
  return version;
}

/** Whether the work tree has a workspace of Beads; without one nothing is made in it. */
export function hasBeads({ root, env }: BeadsPlace): boolean {
  return existsSync(join(root, '.beads')) || existsSync(env.BEADS_DIR ?? '');
}

/**
 * The first folder of hooks in the work tree that `bd` would start unasked, as the person; null: there is none. Throws the
 * error of a folder that can't be read.
 */
export function findBeadsHooksFolder({ root, env }: BeadsPlace): string | null {
  const named = env.BEADS_DIR === undefined || env.BEADS_DIR === '' ? [] : [resolve(root, env.BEADS_DIR)];
  const own = join(root, '.beads');
  const places = [own, ...redirected(root, own), ...named.filter((path) => path.startsWith(root + sep))];
  const folders = places.flatMap((place) => [join(place, 'hooks'), join(place, 'hooks.d')]);
  return folders.find(hasEntries) ?? null;
}

/** Why `bd` is not used. */
export function explainBeadsHooks(folder: string): string {
  return `${folder} holds hooks, which bd would run as you`;
}

/** A workspace can name another folder in its place, relative to the work tree or to itself. */
function redirected(root: string, own: string): readonly string[] {
  const file = join(own, 'redirect');
  if (!existsSync(file)) return [];
  const target = readFileSync(file, 'utf8').trim();
  return target === '' ? [] : [resolve(root, target), resolve(own, target)];
}

function hasEntries(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}

/** The command that makes a Beads database without touching the repository's files, hooks and agents' settings. */
export const makeBeadsCommand = 'bd init --stealth --skip-hooks --skip-agents --non-interactive --prefix flame';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** bd reports some failures as JSON on stdout, some on stderr. */
function reasonOf(said: unknown, stderr: string, exitCode: number): string {
  const parsed = isJsonRecord(said) ? said : parse(stderr);
  const data = isJsonRecord(parsed) && isJsonRecord(parsed.data) ? parsed.data : parsed;
  if (isJsonRecord(data) && typeof data.error === 'string') return firstLine(data.error);
  return firstLine(stderr) || `it ended with ${exitCode}`;
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 300);
}
