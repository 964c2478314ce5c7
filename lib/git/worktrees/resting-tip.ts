import { join, resolve } from 'node:path';
import { type ObjectId, objectIdPattern, parseObjectId } from '../../domain/ids.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { type GitAccess, onObjects } from '../objects/git-access.ts';
import { resolveCommit } from '../refs/head-state.ts';

const inMotion = ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'];

/** See GitTrials. Reads files: it is asked again and again, of worktrees where nothing may have changed. */
export async function restingTip(
  access: GitAccess,
  workTree: string | null,
  branch: string,
): Promise<ObjectId | null> {
  const commitOf = (ref: string): Promise<ObjectId | null> => resolveCommit(onObjects(access), ref, access);
  const head = workTree === null ? '' : restingHead(workTree);
  if (objectIdPattern.test(head)) return parseObjectId(head);
  const ref = /^ref: (refs\/heads\/[\w./-]+)$/.exec(head)?.[1];
  // Where refs are kept in tables, the file names none that exists.
  const checkedOut = ref === undefined ? null : await commitOf(ref);
  return checkedOut ?? commitOf(`refs/heads/${branch}`);
}

/** Reads HEAD; '' where the worktree is gone, or an operation moved HEAD and will return to the branch. */
function restingHead(workTree: string): string {
  const found = /^gitdir: (.+)/.exec(readTextOrEmpty(join(workTree, '.git')))?.[1];
  if (found === undefined) return '';
  const gitDir = resolve(workTree, found);
  return inMotion.some((name) => readTextOrEmpty(join(gitDir, name)) !== '')
    ? ''
    : readTextOrEmpty(join(gitDir, 'HEAD')).trim();
}
