import { isUtf8 } from 'node:buffer';
import type { ObjectId } from '../domain/ids.ts';
import { type GitContext, runGit } from './run-git.ts';

/** Text of a file (or the target of a symbolic link) in a commit; null if there is none, or it isn't UTF-8 text. */
export async function readFileAt(
  context: GitContext,
  commit: ObjectId,
  path: string,
): Promise<string | null> {
  // `commit:./path` would be relative to a work tree, and there is none here.
  const { exitCode, stdout } = await runGit(context, ['cat-file', 'blob', `${commit}:${path}`], {
    accept: [0, 128],
  });
  return exitCode === 0 && isUtf8(stdout) && !stdout.includes(0) ? stdout.toString() : null;
}
