import { chmodSync, lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import { joinNames, nameBytes } from '../../util/file-names.ts';
import { requireGoing } from '../process/limit-git.ts';
import { type GitContext, runGit, runGitChain } from '../process/run-git.ts';

const pathsAtOnce = 500;

/**
 * Puts the present content of these paths of a work tree into git's index; returns the tree that makes. What is
 * no file there any more (it is gone, a pipe, or below what is a link now) is taken out of it.
 */
export async function stagePaths(git: GitContext, paths: readonly string[]): Promise<ObjectId> {
  const isFolder = rememberFolders(git.cwd);
  const isPresent = (path: string): boolean => isFolder(dirname(path)) && isContent(fileAt(git.cwd, path));
  const [present, absent]: [string[], string[]] = [[], []];
  for (const [index, path] of paths.entries()) {
    if (index % pathsAtOnce === pathsAtOnce - 1) {
      await pause();
      requireGoing(git.guard ?? {});
    }
    (isPresent(path) ? present : absent).push(path);
  }
  // First, so that a link can take the place of a folder.
  if (absent.length > 0)
    await runGit(git, ['update-index', '--force-remove', '-z', '--stdin'], { input: joinNames(absent) });
  const commands = ['update-index --add --remove --replace -z --stdin', 'write-tree'];
  const { stdout } = await runGitChain(git, commands, { input: joinNames(present) });
  return parseObjectId(stdout.toString().trim());
}

/** Whether a path is that of a folder, no link on the way; `.` is. */
function rememberFolders(root: string): (path: string) => boolean {
  const known = new Map<string, boolean>([['.', true]]);
  const isFolder = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = isFolder(dirname(path)) && (facts(fileAt(root, path))?.isDirectory() ?? false);
    known.set(path, found);
    return found;
  };
  return isFolder;
}

/** A file or a link; the right to read a file may have been taken away, and is given back. */
function isContent(path: Buffer): boolean {
  const found = facts(path);
  if (found === null || !(found.isFile() || found.isSymbolicLink())) return false;
  if (found.isFile() && (found.mode & 0o400) === 0) chmodSync(path, (found.mode & 0o777) | 0o600);
  return true;
}

/** Bytes, since a name may be no text. */
function fileAt(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), nameBytes(path)]);
}

function facts(path: Buffer): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
