import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { HeadState } from '../../domain/ports/git-port.ts';
import type { CatFile } from '../process/cat-file.ts';
import { type GitContext, runGitForText } from '../process/run-git.ts';

/** The branch and commit checked out in a work tree. */
export async function readHead(context: GitContext): Promise<HeadState> {
  const [ref, commit] = await Promise.all([
    runGitForText(context, ['symbolic-ref', '--quiet', 'HEAD'], { accept: [0, 1] }),
    resolveCommit(context, 'HEAD'),
  ]);
  return { branch: ref === '' ? null : ref.replace(/^refs\/heads\//, ''), commit };
}

// A ref that all work trees share, spelt so that it's nothing but a name.
const plainRef = /^refs\/(?:heads|tags|blueflame)\/[\w./-]+$/;
const plainId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The commit a revision names where git stands; null if it names none. Plain refs and whole ids are read by `objects`.
 */
export async function resolveCommit(
  context: GitContext,
  revision: string,
  objects?: CatFile,
): Promise<ObjectId | null> {
  if (objects !== undefined && (plainRef.test(revision) || plainId.test(revision)))
    return (await objects.info(`${revision}^{commit}`))?.oid ?? null;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const text = await runGitForText(context, args, { accept: [0, 1, 128] });
  return /^[0-9a-f]+$/.test(text) ? parseObjectId(text) : null;
}
