import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/**
 * Where the history of a branch begins, by first parents: the same in every whole clone. null: there is no such branch,
 * or its beginning is cut off here.
 */
export async function firstCommit(context: GitContext, branch: string): Promise<ObjectId | null> {
  const args = ['rev-list', '--first-parent', '--max-parents=0', `refs/heads/${branch}`, '--'];
  const { exitCode, stdout } = await runGit(context, args, { accept: [0, 128] });
  const [oid = ''] = stdout.toString().trim().split('\n');
  if (exitCode !== 0 || oid === '') return null;
  return (await isGrafted(context, oid)) ? null : parseObjectId(oid);
}

/** Whether a shallow clone cuts the history off at a commit that has parents elsewhere. */
async function isGrafted(context: GitContext, oid: string): Promise<boolean> {
  const { stdout } = await runGit(context, ['cat-file', 'commit', oid]);
  return /^tree .*\nparent /.test(stdout.toString());
}
