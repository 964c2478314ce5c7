import { type ObjectId, parseObjectId, type RefName } from '../../domain/ids.ts';
import type { HeadState } from '../../domain/ports/git-worktrees.ts';
import { type GitContext, gitText } from '../process/run-git.ts';
import type { KnownCommits } from './known-commits.ts';

/** The branch and commit checked out in a work tree. */
export async function readHead(context: GitContext): Promise<HeadState> {
  const [ref, commit] = await Promise.all([
    gitText(context, ['symbolic-ref', '--quiet', 'HEAD'], { accept: [0, 1] }),
    resolveCommit(context, 'HEAD'),
  ]);
  return { branch: ref === '' ? null : ref.replace(/^refs\/heads\//, ''), commit };
}

// What all work trees share, spelt so that it's nothing but a name.
const plainRef = /^refs\/(?:heads|tags|blueflame)\/[\w./-]+$/;

/** The commit a revision names where git stands; null if it names none. Plain refs are asked of `refs`, if given. */
export async function resolveCommit(
  context: GitContext,
  revision: string,
  refs?: KnownCommits,
): Promise<ObjectId | null> {
  if (refs !== undefined && plainRef.test(revision)) return refs.commitOf(revision as RefName);
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const text = await gitText(context, args, { accept: [0, 1, 128] });
  return /^[0-9a-f]+$/.test(text) ? parseObjectId(text) : null;
}
