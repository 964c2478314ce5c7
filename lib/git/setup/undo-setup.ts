import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../domain/ports/git-port.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import { removeLinesOfEdit, undoFileEdit } from './edit-git-file.ts';
import { planHooksRemoval, removeHooks, type SetupRemoval } from './hooks-install.ts';
import { type FileEdit, type HooksPlace, readSetupRecord, withSetupLock, writeSetupRecord } from './setup-record.ts';

/**
 * Takes back what was changed in the repository's own files: hooks, configuration, excluded paths. A file
 * that was not changed since gets its former bytes; from others only what was added is taken.
 */
export function undoSetup(context: GitContext, repository: Repository): Promise<SetupRemoval> {
  const { commonDir } = repository;
  return withSetupLock(commonDir, async () => {
    const record = readSetupRecord(commonDir);
    const done: string[] = [];
    const left: string[] = [];
    // First of all core.hooksPath: no hook of the person must be out of force when the process is killed here.
    for (const edit of [...record.edits].reverse()) {
      const removal = await undoEdit(context, commonDir, edit);
      done.push(...removal.done);
      left.push(...removal.left);
    }
    removeEmptyInfo(commonDir, record.edits);
    const hooks = removeHooks(commonDir, record.hooks ?? unrecorded);
    writeSetupRecord(commonDir, { v: 1, edits: [], hooks: hooks.left.length > 0 ? record.hooks : null });
    return { done: [...done, ...hooks.done], left: [...left, ...hooks.left] };
  });
}

/** Plans what undoSetup reverts, as far as it was not changed since. */
export function planUndoSetup({ commonDir }: Repository): SetupRemoval {
  const record = readSetupRecord(commonDir);
  const edits = record.edits.flatMap((edit) => describe(edit));
  const hooks = planHooksRemoval(commonDir, record.hooks ?? unrecorded);
  return { done: [...edits, ...hooks.done], left: hooks.left };
}

// Without a record hooks are still known by what they say.
const unrecorded: HooksPlace = { kind: 'usual', formerDir: null, madeDir: false };

async function undoEdit(context: GitContext, commonDir: string, edit: FileEdit): Promise<SetupRemoval> {
  if (undoFileEdit(commonDir, edit)) return { done: describe(edit), left: [] };
  const lines = removeLinesOfEdit(commonDir, edit);
  const done = lines.map((line) => `${edit.file}: ${line}`);
  const left: string[] = [];
  for (const setting of edit.settings) {
    const now = await undoSetting(context, setting);
    if (now === null) done.push(restored(setting));
    else if (now !== '' && now !== setting.former && setting.key === 'core.hooksPath') {
      left.push(`config: core.hooksPath was set to ${now} since, so it stays`);
    }
  }
  return { done, left };
}

type Setting = FileEdit['settings'][number];

/** null: taken back. Else what the setting says now, '' where it's not set. */
async function undoSetting(context: GitContext, { key, value, former }: Setting): Promise<string | null> {
  const text = await runGitForText(context, ['config', '--local', '--get-all', key], { accept: [0, 1] });
  const values = text.split('\n');
  if (!values.includes(value)) return values.at(-1) ?? '';
  const change =
    former === null
      ? ['--fixed-value', '--unset-all', key, value]
      : ['--fixed-value', '--replace-all', key, former, value];
  await runGit(context, ['config', '--local', ...change]);
  return null;
}

function describe({ file, lines, settings }: FileEdit): readonly string[] {
  return [...lines.map((line) => `${file}: ${line}`), ...settings.map(restored)];
}

function restored({ key, value, former }: Setting): string {
  return former === null ? `config: ${key} = ${value}` : `config: ${key} is ${former} again`;
}

function removeEmptyInfo(commonDir: string, edits: readonly FileEdit[]): void {
  if (!edits.some(({ file, before }) => file === 'info/exclude' && before === null)) return;
  try {
    rmdirSync(join(commonDir, 'info'));
  } catch {
    // Not empty, or not there.
  }
}
