import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/** Where the history of a branch begins, by first parents: the same in every whole clone. null: there is no such branch. */
export async function firstCommit(context: GitContext, branch: string): Promise<ObjectId | null> {
  const args = ['rev-list', '--first-parent', '--max-parents=0', `refs/heads/${branch}`, '--'];
  const { exitCode, stdout } = await runGit(context, args, { accept: [0, 128] });
  const [oid = ''] = stdout.toString().trim().split('\n');
  return exitCode === 0 && oid !== '' ? parseObjectId(oid) : null;
}
