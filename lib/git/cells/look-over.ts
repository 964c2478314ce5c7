import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { access, chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkBounds } from '../../domain/config/work-bounds.ts';
import { dropSetId } from '../../util/drop-set-id.ts';
import { type GitGuard, requireGoing } from '../process/limit-git.ts';
import { type PatternFile, requireSimple } from './require-simple.ts';
import { tooMuch } from './too-much.ts';

// Files of a work tree that git opens to read them. Opening a pipe waits for a writer who never comes.
const readByGit = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.mailmap']);
const patternFiles = new Set(['.gitignore', '.gitattributes']);

interface LookedOver {
  readonly bounds: WorkBounds;
  /** How many files the work tree has by the commit it stands on. */
  readonly known: number;
  readonly before: PatternFile['before'];
  readonly guard: Pick<GitGuard, 'stopped'>;
}

/**
 * Makes a work tree that an agent wrote fit to be read by git: pipes, sockets and devices under names that git
 * would open are removed, they hold nothing, folders that can't be read get their owner's rights back, and no file stays
 * setuid. Throws FlameError `cell-too-much` where it holds more than git could read in good time: files, folders in
 * folders, or new patterns that are matched for ever.
 */
export async function lookOver(
  workTree: string,
  { bounds, known, before, guard }: LookedOver,
): Promise<void> {
  const most = bounds.entries + known;
  let [found, repositories] = [0, 0];
  const waiting = [{ path: workTree, depth: 0 }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    requireGoing(guard);
    await openFolder(folder.path);
    const entries = await entriesOf(folder.path);
    found += entries.length;
    if (found > most) throw tooMuch('files and folders or more', { found, most });
    const depth = folder.depth + 1;
    if (depth > bounds.depth + 1)
      throw tooMuch('folders in folders or more', { found: depth - 1, most: bounds.depth });
    if (folder.depth > 0 && entries.some(({ name }) => name === '.git')) repositories += 1;
    if (repositories > bounds.nested)
      throw tooMuch('repositories in it or more', { found: repositories, most: bounds.nested });
    for (const entry of entries) {
      const path = join(folder.path, entry.name);
      if (entry.isDirectory()) waiting.push({ path, depth });
      else if (isPipe(entry)) await rm(path, { force: true }).catch(() => undefined);
      else if (entry.isFile()) {
        // Where the program was killed together with the agent, nothing has done it yet.
        dropSetId(path);
        if (patternFiles.has(entry.name))
          await requireSimple({ workTree, where: path.slice(workTree.length + 1), bounds, before });
      }
    }
  }
}

function isPipe(entry: Dirent): boolean {
  return readByGit.has(entry.name) && !entry.isFile() && !entry.isSymbolicLink();
}

/** git passes over a folder it can't go into with a warning, and what is in it would be in no commit. */
async function openFolder(path: string): Promise<void> {
  await access(path, constants.R_OK | constants.X_OK).catch(() => chmod(path, 0o700).catch(() => undefined));
}

/** Nothing where it can't be read: git can't go there either. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
