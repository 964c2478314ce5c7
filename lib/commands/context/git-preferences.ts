import type { GlobalOptions, Io } from '../../domain/view-models/command.ts';
import { readGitPreference } from '../../git/process/run-git.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { openPager } from '../../ui/terminal/run-pager-or-editor.ts';

/**
 * Reads git's colour setting, color.flame, else color.ui: always, never, or null for what each stream allows. Asks
 * nothing where options or the environment decide.
 */
export async function readGitColor(
  io: Io,
  { color, json, plain }: Pick<GlobalOptions, 'color' | 'json' | 'plain'>,
): Promise<boolean | null> {
  if (json || plain || color !== null || isSet(io.env.NO_COLOR) || isSet(io.env.FORCE_COLOR)) return null;
  const question = ['config', '--get-regexp', '^color\\.(flame|ui)$'];
  return parseGitColor(await readGitPreference({ cwd: io.cwd, env: io.env }, question));
}

/** Whether a session was ever started in the repository here; false where git can't say. */
export async function hasStateHere(context: Pick<Io, 'cwd' | 'env'>): Promise<boolean> {
  const question = ['rev-parse', '--quiet', '--verify', 'refs/blueflame/sessions'];
  return (await readGitPreference(context, question).catch(() => '')) !== '';
}

/** Of `git config --get-regexp`, where the last of a name counts and a name alone is true. */
export function parseGitColor(text: string): boolean | null {
  const values = new Map(
    text.split('\n').map((line) => {
      const [name = '', ...value] = line.split(' ');
      return [name, value.join(' ').toLowerCase()] as const;
    }),
  );
  const color = values.get('color.flame') ?? values.get('color.ui') ?? 'auto';
  if (color === 'always') return true;
  return /^(?:never|false|no|off|0)$/.test(color) ? false : null;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** A long answer as git shows its own: in the person's pager where there is a terminal, else on stdout. */
export async function showOutputInPager(output: Output, io: Io, text: string): Promise<void> {
  if (output.isJson) return;
  if (io.stdout.isTTY !== true) {
    output.result(text);
    return;
  }
  const context = { cwd: io.cwd, env: io.env };
  // With `pager.flame` false, and with --no-pager, git has put cat there.
  await openPager(io, text, { pager: await readGitPreference(context, ['var', 'GIT_PAGER']) });
}
