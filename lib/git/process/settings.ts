import { resolve } from 'node:path';
import { fileStamp } from '../../util/read-file.ts';
import { type GitContext, runGit } from './run-git.ts';

/** The configuration as git sees it from one place. */
export interface Settings {
  /** The value that counts, 'true' where a key stands alone; null: it is not set. Keys as git lists them. */
  value(key: string): string | null;
  /** The value of a key as git reads a boolean; a value that is none counts as false. */
  isTrue(key: string): boolean;
  /** Every key and value that a pattern matches, in git's order; `scope`: of one kind of file alone. */
  entries(keys: RegExp, scope?: 'local'): readonly SettingsEntry[];
}

export interface SettingsEntry {
  readonly key: string;
  /** null: the key stands alone, which means true. */
  readonly value: string | null;
}

// A git for each question takes longer than all of them together, and they come in bursts. The files are looked at each
// time; the limit is for what they don't show: a file that is made where none was.
const rememberedMs = 2_000;
const remembered = new WeakMap<GitContext['env'], Map<string, Remembered>>();

interface Remembered {
  readonly at: number;
  readonly read: Promise<{ readonly settings: Settings; readonly files: ReadonlyMap<string, string> }>;
}

/**
 * Reads all that is configured. What the same command read in the last two seconds counts while the files it stood in
 * are as they were. Throws FlameError `git-failed`.
 */
export async function readSettings(context: GitContext): Promise<Settings> {
  const { cwd, env, variables = {} } = context;
  const places = remembered.get(env) ?? new Map<string, Remembered>();
  remembered.set(env, places);
  const place = JSON.stringify([cwd, variables]);
  const known = places.get(place);
  if (known !== undefined && performance.now() - known.at < rememberedMs) {
    const { settings, files } = await known.read;
    if ([...files].every(([file, stamp]) => fileStamp(file) === stamp)) return settings;
  }
  const read = listSettings(context);
  places.set(place, { at: performance.now(), read });
  read.catch(() => places.delete(place));
  return (await read).settings;
}

/** Those that hold for the repository, whichever work tree asks. */
export function repositorySettings(env: GitContext['env'], commonDir: string): Promise<Settings> {
  return readSettings({ cwd: commonDir, env, variables: { GIT_DIR: commonDir } });
}

async function listSettings(context: GitContext): Promise<Awaited<Remembered['read']>> {
  const { stdout } = await runGit(context, [
    'config',
    '--list',
    '--show-scope',
    '--show-origin',
    '--includes',
    '-z',
  ]);
  const output = stdout.toString();
  const origins = new Set(output.split('\0').filter((_, at) => at % 3 === 1));
  const files = [...origins].flatMap((origin) =>
    origin.startsWith('file:') ? [resolve(context.cwd, origin.slice('file:'.length))] : [],
  );
  return { settings: parseSettings(output), files: new Map(files.map((file) => [file, fileStamp(file)])) };
}

/**
 * Takes the output of `git config --list --show-scope --show-origin -z`: a scope, a place, then a key with its value
 * behind a newline.
 */
export function parseSettings(output: string): Settings {
  const fields = output.split('\0');
  const all = fields.flatMap((text, at) => {
    if (at % 3 !== 2) return [];
    const end = text.indexOf('\n');
    const [key, value] = end < 0 ? [text, null] : [text.slice(0, end), text.slice(end + 1)];
    return [{ scope: fields[at - 2], key, value }];
  });
  const value = (key: string): string | null => {
    const found = all.findLast((entry) => entry.key === key);
    return found === undefined ? null : (found.value ?? 'true');
  };
  return {
    value,
    isTrue: (key) => isTrue(value(key) ?? ''),
    entries: (keys, scope) =>
      all.filter((entry) => keys.test(entry.key) && (scope === undefined || entry.scope === scope)),
  };
}

/** As git does: words, and numbers that are not 0. */
function isTrue(value: string): boolean {
  return /^(?:true|yes|on)$/i.test(value) || /^[+-]?0*[1-9]\d*[kmg]?$/i.test(value);
}
