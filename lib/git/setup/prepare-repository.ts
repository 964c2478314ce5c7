import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killPoint } from '../../util/kill-point.ts';
import { type GitContext, gitText, runGit } from '../process/run-git.ts';
import { editRecorded, hasLeftCopies, removeLeftCopies } from './edit-recorded.ts';
import { type FileEdit, readSetupRecord, withSetupLock, writeSetupRecord } from './setup-record.ts';

/** What `git log` shows under commits: reviews under what landed, verdicts under the tasks' commits. */
// As patterns: git warns at every `git log` about a plain name that isn't there yet, and passes over a pattern.
const shownRefs = ['refs/blueflame/review[s]', 'refs/blueflame/validation[s]'];

/**
 * Makes a repository ready for sessions, in its own configuration alone: agents' worktrees are ignored, and
 * `git log` shows reviews and verdicts. What it takes is recorded, for undoSetup. Returns what was added, one
 * line each; nothing when all was there.
 */
export async function prepareRepository(
  context: GitContext,
  commonDir: string,
  worktreeDir: string,
): Promise<readonly string[]> {
  killPoint('repository to prepare');
  if (hasLeftCopies(commonDir)) await withSetupLock(commonDir, async () => removeLeftCopies(commonDir));
  if ((await planPreparation(context, commonDir, worktreeDir)).length === 0) return [];
  return withSetupLock(commonDir, async () => {
    const line = await missingLine(commonDir, worktreeDir);
    const refs = await missingRefs(context);
    if (line !== null) await exclude(commonDir, line);
    killPoint('worktrees excluded');
    if (refs.length > 0) await showNotes(context, commonDir, refs);
    killPoint('repository prepared');
    return describe(line, refs);
  });
}

/** What prepareRepository would add. */
export async function planPreparation(
  context: GitContext,
  commonDir: string,
  worktreeDir: string,
): Promise<readonly string[]> {
  return describe(await missingLine(commonDir, worktreeDir), await missingRefs(context));
}

async function missingLine(commonDir: string, worktreeDir: string): Promise<string | null> {
  // A folder outside the work tree needs no rule.
  if (worktreeDir.startsWith('/') || worktreeDir.startsWith('..')) return null;
  const line = `/${worktreeDir.replace(/^\.\/|\/+$/g, '')}/`;
  return (await readExclude(commonDir)).split('\n').includes(line) ? null : line;
}

async function missingRefs(context: GitContext): Promise<readonly string[]> {
  const known = await gitText(context, ['config', '--get-all', 'notes.displayRef'], { accept: [0, 1] });
  return shownRefs.filter((ref) => !known.split('\n').includes(ref));
}

function readExclude(commonDir: string): Promise<string> {
  return readFile(join(commonDir, 'info', 'exclude'), 'utf8').catch(() => '');
}

async function exclude(commonDir: string, line: string): Promise<void> {
  const text = await readExclude(commonDir);
  await editRecorded(commonDir, {
    file: 'info/exclude',
    lines: [line],
    settings: [],
    change: (copy) => appendFileSync(copy, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`),
    save: (edit) => record(commonDir, edit),
  });
}

async function showNotes(context: GitContext, commonDir: string, refs: readonly string[]): Promise<void> {
  await editRecorded(commonDir, {
    file: 'config',
    lines: [],
    settings: refs.map((value) => ({ key: 'notes.displayRef', value, former: null })),
    change: async (copy) => {
      for (const ref of refs)
        await runGit(context, ['config', '--file', copy, '--add', 'notes.displayRef', ref]);
    },
    save: (edit) => record(commonDir, edit),
  });
}

function record(commonDir: string, edit: FileEdit): void {
  const known = readSetupRecord(commonDir);
  writeSetupRecord(commonDir, { ...known, edits: [...known.edits, edit] });
}

function describe(line: string | null, refs: readonly string[]): readonly string[] {
  return [
    ...(line === null ? [] : [`info/exclude: ${line}`]),
    ...refs.map((ref) => `config: notes.displayRef = ${ref}`),
  ];
}
