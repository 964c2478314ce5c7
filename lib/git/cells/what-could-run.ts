import { join } from 'node:path';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { runGit } from '../process/run-git.ts';
import { entriesOf } from './look-over.ts';
import { indexEntries, pathsOf } from './view.ts';

/**
 * Returns why the person's own git would run an agent's files in a worktree, at a mere `git status` there; null: it
 * runs none. A repository within it brings settings of its own, and settings of the person that name a program by a
 * path below the work tree, or one that looks for its parts there, start the file at that path.
 */
export async function whatCouldRun(access: GitAccess, cell: CellWorktree): Promise<string | null> {
  const most = access.bounds.entries + indexEntries(pathsOf(access, cell).ownGitDir);
  const nested = await findRepository(cell.path, most);
  if (nested !== null) return nested;
  const setting = await findSetting(access);
  return setting === null ? null : `your git setting ${setting} runs a program that such a folder can bring`;
}

/** Links are not followed: git doesn't either. */
async function findRepository(workTree: string, most: number): Promise<string | null> {
  let seen = 0;
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await entriesOf(join(workTree, folder))) {
      seen += 1;
      if (seen > most) return `it holds more than ${most} files and folders`;
      const isRepository = folder !== '' && entry.name.toLowerCase() === '.git';
      if (isRepository) return `${folder} in it is a repository of its own`;
      if (entry.isDirectory()) waiting.push(join(folder, entry.name));
    }
  }
  return null;
}

const programs =
  '^(core\\.(hookspath|fsmonitor)|diff\\.external|filter\\..*\\.(clean|smudge|process)|diff\\..*\\.(command|textconv)|merge\\..*\\.driver)$';

/** The key of a setting by which git starts what it finds in a work tree; null: there is none. */
async function findSetting({ context }: GitAccess): Promise<string | null> {
  const { stdout } = await runGit(context, ['config', '-z', '--get-regexp', programs], { accept: [0, 1] });
  for (const entry of stdout.toString().split('\0')) {
    const [key = '', value = ''] = entry.split(/\n(.*)/s);
    if (key !== '' && !isElsewhere(value)) return key;
  }
  return null;
}

// These come with their own program, and start nothing of a work tree.
const known = /^(?:git-lfs|git lfs|git-crypt|git crypt)(?:\s|$)/;

function isElsewhere(value: string): boolean {
  return (
    value === '' ||
    /^(?:true|false|yes|no|on|off|\d+)$/i.test(value) ||
    /^["']?[/~]/.test(value) ||
    known.test(value)
  );
}
