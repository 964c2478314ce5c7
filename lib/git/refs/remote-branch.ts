import { killPoint } from '../../util/kill-point.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

const anyExit = { accept: Array.from({ length: 256 }, (_, code) => code) };

/** Has a remote's branch here; resolves to the name of its commit, or null where it can't be had. FETCH_HEAD stays. */
export async function fetchBranch(context: GitContext, remote: string, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const listed = await runGit(context, ['ls-remote', '--exit-code', remote, ref], anyExit);
  const [commit = ''] = listed.stdout.toString().split(/\s/);
  if (listed.exitCode !== 0 || !/^[0-9a-f]{40,64}$/.test(commit)) return null;
  const had = await runGit(context, ['fetch', '--no-tags', '--no-write-fetch-head', remote, ref], anyExit);
  return had.exitCode === 0 ? commit : null;
}

type PushResult = { readonly kind: 'pushed' } | { readonly kind: 'refused'; readonly output: string };

/** Pushes one branch to where a remote has it, by the person's own hooks and credentials; nothing is overwritten there. */
export async function pushBranch(context: GitContext, remote: string, branch: string): Promise<PushResult> {
  const ref = `refs/heads/${branch}`;
  killPoint('branch to push');
  const { exitCode, stderr } = await runGit(context, ['push', '--porcelain', remote, `${ref}:${ref}`], anyExit);
  killPoint('branch pushed');
  return exitCode === 0 ? { kind: 'pushed' } : { kind: 'refused', output: stderr };
}
