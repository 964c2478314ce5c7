import { appendFileSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { killPoint } from '../../util/kill-point.ts';
import { readGitSettings } from '../process/git-settings.ts';
import { type GitContext, runGit, runGitForLines } from '../process/run-git.ts';
import { editGitFileUndoably } from './edit-git-file.ts';
import { withSetupLock } from './setup-record.ts';

const displayKey = 'notes.displayRef';
/** Notes that `git log` shows under commits, for people: reviews under landed work, verdicts under tasks' commits. */
// As a pattern: git warns at every `git log` about a plain name that isn't there yet, and passes over a pattern.
const shownRefs = ['refs/blueflame/show[n]'];

/**
 * Makes a repository ready for sessions, in its own configuration alone: agents' worktrees are ignored, and
 * `git log` shows reviews and verdicts. What it takes is recorded, for undoSetup. Returns what was added, one
 * line each; nothing when all was there.
 */
export async function prepareRepository(
  context: GitContext,
  commonDir: string,
  worktreeDir: string | null,
): Promise<readonly string[]> {
  killPoint('repository to prepare');
  if ((await planRepositoryPreparation(context, commonDir, worktreeDir)).length === 0) return [];
  return withSetupLock(commonDir, async () => {
    const line = await missingLine(context.cwd, commonDir, worktreeDir);
    const refs = await missingRefs(context);
    if (line !== null) await exclude(commonDir, line);
    killPoint('worktrees excluded');
    if (refs.length > 0) await showNotes(context, commonDir, refs);
    killPoint('repository prepared');
    return describe(line, refs);
  });
}

/** Plans the additions of prepareRepository. */
export async function planRepositoryPreparation(
  context: GitContext,
  commonDir: string,
  worktreeDir: string | null,
): Promise<readonly string[]> {
  const line = await missingLine(context.cwd, commonDir, worktreeDir);
  const shown = (await readGitSettings(context)).entries(/^notes\.displayref$/).map(({ value }) => value);
  const refs = shownRefs.filter((ref) => !shown.includes(ref));
  return describe(line, refs);
}

async function missingLine(root: string, commonDir: string, worktreeDir: string | null): Promise<string | null> {
  const place = relative(root, resolve(root, worktreeDir ?? '..'));
  // A folder outside the work tree needs no rule.
  if (place === '' || place === '..' || place.startsWith('../')) return null;
  const line = `/${place}/`;
  return (await readExclude(commonDir)).split('\n').includes(line) ? null : line;
}

async function missingRefs(context: GitContext): Promise<readonly string[]> {
  const known = await runGitForLines(context, ['config', '--get-all', displayKey], { accept: [0, 1] });
  return shownRefs.filter((ref) => !known.includes(ref));
}

function readExclude(commonDir: string): Promise<string> {
  return readFile(join(commonDir, 'info', 'exclude'), 'utf8').catch(() => '');
}

async function exclude(commonDir: string, line: string): Promise<void> {
  const text = await readExclude(commonDir);
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  await editGitFileUndoably(commonDir, { file: 'info/exclude', lines: [line], settings: [] }, (path) => {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, `${start}${line}\n`);
  });
}

async function showNotes(context: GitContext, commonDir: string, refs: readonly string[]): Promise<void> {
  const settings = refs.map((value) => ({ key: displayKey, value, former: null }));
  await editGitFileUndoably(commonDir, { file: 'config', lines: [], settings }, async (path) => {
    for (const ref of refs) await runGit(context, ['config', '--file', path, '--add', displayKey, ref]);
  });
}

function describe(line: string | null, refs: readonly string[]): readonly string[] {
  return [
    ...(line === null ? [] : [`info/exclude: ${line}`]),
    ...refs.map((ref) => `config: notes.displayRef = ${ref}`),
  ];
}
