import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { killPoint } from '../../util/kill-point.ts';
import { readGitSettings } from '../process/git-settings.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import { editGitFileUndoably, hasCopiesOfKilledEdit, removeCopiesOfKilledEdit } from './edit-git-file.ts';
import { type FileEdit, readSetupRecord, withSetupLock, writeSetupRecord } from './setup-record.ts';

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
  if (hasCopiesOfKilledEdit(commonDir)) await withSetupLock(commonDir, async () => removeCopiesOfKilledEdit(commonDir));
  if ((await planRepositoryPreparation(context, commonDir, worktreeDir)).length === 0) return [];
  return withSetupLock(commonDir, async () => {
    const line = await missingLine(context.cwd, commonDir, worktreeDir);
    const refs = await missingRefs(context);
    const former = await formerRefs(context, commonDir);
    if (line !== null) await exclude(commonDir, line);
    killPoint('worktrees excluded');
    if (refs.length > 0 || former.length > 0) await showNotes(context, commonDir, { refs, former });
    killPoint('repository prepared');
    return describe(line, refs, former);
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
  return describe(line, refs, await formerRefs(context, commonDir));
}

async function missingLine(root: string, commonDir: string, worktreeDir: string | null): Promise<string | null> {
  const place = relative(root, resolve(root, worktreeDir ?? '..'));
  // A folder outside the work tree needs no rule.
  if (place === '' || place === '..' || place.startsWith('../')) return null;
  const line = `/${place}/`;
  return (await readExclude(commonDir)).split('\n').includes(line) ? null : line;
}

async function missingRefs(context: GitContext): Promise<readonly string[]> {
  const known = await runGitForText(context, ['config', '--get-all', displayKey], { accept: [0, 1] });
  return shownRefs.filter((ref) => !known.split('\n').includes(ref));
}

/** Lists refs that an earlier version set `git log` to show, by our own record, and that still are set: raw notes. */
async function formerRefs(context: GitContext, commonDir: string): Promise<readonly string[]> {
  const recorded = readSetupRecord(commonDir).edits.flatMap(({ settings }) => settings);
  const ours = recorded.filter(({ key, value }) => key === displayKey && !shownRefs.includes(value));
  if (ours.length === 0) return [];
  const known = await runGitForText(context, ['config', '--local', '--get-all', displayKey], {
    accept: [0, 1],
  });
  const values = new Set(known.split('\n'));
  return [...new Set(ours.map(({ value }) => value))].filter((value) => values.has(value));
}

function readExclude(commonDir: string): Promise<string> {
  return readFile(join(commonDir, 'info', 'exclude'), 'utf8').catch(() => '');
}

async function exclude(commonDir: string, line: string): Promise<void> {
  const text = await readExclude(commonDir);
  await editGitFileUndoably(commonDir, {
    file: 'info/exclude',
    lines: [line],
    settings: [],
    change: (copy) => appendFileSync(copy, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`),
    save: (edit) => record(commonDir, edit),
  });
}

interface ShownNotes {
  readonly refs: readonly string[];
  /** Those that are taken out. */
  readonly former: readonly string[];
}

async function showNotes(context: GitContext, commonDir: string, { refs, former }: ShownNotes): Promise<void> {
  await editGitFileUndoably(commonDir, {
    file: 'config',
    lines: [],
    settings: refs.map((value) => ({ key: displayKey, value, former: null })),
    change: async (copy) => {
      for (const ref of former)
        await runGit(context, ['config', '--file', copy, '--fixed-value', '--unset-all', displayKey, ref]);
      for (const ref of refs) await runGit(context, ['config', '--file', copy, '--add', displayKey, ref]);
    },
    save: (edit) => record(commonDir, edit),
  });
}

function record(commonDir: string, edit: FileEdit): void {
  const known = readSetupRecord(commonDir);
  writeSetupRecord(commonDir, { ...known, edits: [...known.edits, edit] });
}

function describe(line: string | null, refs: readonly string[], former: readonly string[]): readonly string[] {
  return [
    ...(line === null ? [] : [`info/exclude: ${line}`]),
    ...refs.map((ref) => `config: notes.displayRef = ${ref}`),
    ...former.map((ref) => `config: notes.displayRef = ${ref} removed`),
  ];
}
