import { type GitContext, runGit } from './run-git.ts';

/** The configuration as git sees it from one place. */
export interface Settings {
  /** The value that counts, 'true' where a key stands alone; null: it is not set. Keys as git lists them. */
  value(key: string): string | null;
  /** The same as git reads a boolean; a value that is none counts as false. */
  isTrue(key: string): boolean;
  /** Every key and value that a pattern matches, in git's order; `scope`: of one kind of file alone. */
  entries(keys: RegExp, scope?: 'local'): readonly SettingsEntry[];
}

export interface SettingsEntry {
  readonly key: string;
  /** null: the key stands alone, which means true. */
  readonly value: string | null;
}

// A git for each question takes longer than all of them together, and they come in bursts.
const rememberedMs = 2_000;
const remembered = new WeakMap<
  GitContext['env'],
  Map<string, { readonly at: number; read: Promise<Settings> }>
>();

/** Reads all that is configured, at most two seconds ago for the same command. Throws FlameError `git-failed`. */
export function readSettings(context: GitContext): Promise<Settings> {
  const { cwd, env, variables = {} } = context;
  const places = remembered.get(env) ?? new Map();
  remembered.set(env, places);
  const place = JSON.stringify([cwd, variables]);
  const known = places.get(place);
  if (known !== undefined && performance.now() - known.at < rememberedMs) return known.read;
  const read = listSettings(context);
  places.set(place, { at: performance.now(), read });
  read.catch(() => places.delete(place));
  return read;
}

/** Those that hold for the repository, whichever work tree asks. */
export function repositorySettings(env: GitContext['env'], commonDir: string): Promise<Settings> {
  return readSettings({ cwd: commonDir, env, variables: { GIT_DIR: commonDir } });
}

async function listSettings(context: GitContext): Promise<Settings> {
  const { stdout } = await runGit(context, ['config', '--list', '--show-scope', '--includes', '-z']);
  return parseSettings(stdout.toString());
}

/** Takes the output of `git config --list --show-scope -z`: a scope, then a key with its value behind a newline. */
export function parseSettings(output: string): Settings {
  const fields = output.split('\0');
  const all = fields.flatMap((text, at) => {
    if (at % 2 === 0) return [];
    const end = text.indexOf('\n');
    const [key, value] = end < 0 ? [text, null] : [text.slice(0, end), text.slice(end + 1)];
    return [{ scope: fields[at - 1], key, value }];
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
