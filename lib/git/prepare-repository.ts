import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killPoint } from '../util/kill-point.ts';
import { type GitContext, gitText, runGit } from './run-git.ts';

/** What `git log` shows under commits: reviews under what landed, verdicts under the tasks' commits. */
const shownRefs = ['refs/blueflame/reviews', 'refs/blueflame/validations'];

/**
 * Makes a repository ready for sessions, in its own configuration alone: agents' worktrees are ignored, and
 * `git log` shows reviews and verdicts. Returns what was added, one line each; nothing when all was there.
 */
export async function prepareRepository(
  context: GitContext,
  commonDir: string,
  worktreeDir: string,
  options: { readonly dryRun?: boolean } = {},
): Promise<readonly string[]> {
  const dryRun = options.dryRun === true;
  killPoint('repository to prepare');
  const excluded = await exclude(commonDir, worktreeDir, dryRun);
  killPoint('worktrees excluded');
  const shown = await showNotes(context, dryRun);
  killPoint('repository prepared');
  return [...excluded, ...shown];
}

async function exclude(commonDir: string, worktreeDir: string, dryRun: boolean): Promise<readonly string[]> {
  // A folder outside the work tree needs no rule.
  if (worktreeDir.startsWith('/') || worktreeDir.startsWith('..')) return [];
  const line = `/${worktreeDir.replace(/^\.\/|\/+$/g, '')}/`;
  const file = join(commonDir, 'info', 'exclude');
  const text = await readFile(file, 'utf8').catch(() => '');
  const added = [`info/exclude: ${line}`];
  if (text.split('\n').includes(line)) return [];
  if (dryRun) return added;
  await mkdir(join(commonDir, 'info'), { recursive: true });
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
  return added;
}

async function showNotes(context: GitContext, dryRun: boolean): Promise<readonly string[]> {
  const known = await gitText(context, ['config', '--get-all', 'notes.displayRef'], { accept: [0, 1] });
  const missing = shownRefs.filter((ref) => !known.split('\n').includes(ref));
  for (const ref of dryRun ? [] : missing)
    await runGit(context, ['config', '--add', 'notes.displayRef', ref]);
  return missing.map((ref) => `config: notes.displayRef = ${ref}`);
}
