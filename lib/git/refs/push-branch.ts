import { killPoint } from '../../util/kill-point.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

type PushResult = { readonly kind: 'pushed' } | { readonly kind: 'refused'; readonly output: string };

/** Pushes one branch to where a remote has it, by the person's own hooks and credentials; nothing is overwritten there. */
export async function pushBranch(context: GitContext, remote: string, branch: string): Promise<PushResult> {
  const ref = `refs/heads/${branch}`;
  killPoint('branch to push');
  const { exitCode, stderr } = await runGit(context, ['push', '--porcelain', remote, `${ref}:${ref}`], {
    accept: Array.from({ length: 256 }, (_, code) => code),
  });
  killPoint('branch pushed');
  return exitCode === 0 ? { kind: 'pushed' } : { kind: 'refused', output: stderr };
}
