import { FlameError } from '../../domain/flame-error.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs } from '../../domain/ports/git-port.ts';
import type { ChangesetRequest } from '../../domain/state/changeset-request.ts';
import type { Session } from '../../domain/state/session.ts';
import type { WithGit } from '../workshop.ts';

/** The branch of a group's request. Not below the landing branch: git has no branch within a branch. */
export function requestBranch(landing: { readonly branch: string }, group: string): string {
  return `${landing.branch}--${group}`;
}

/**
 * The requests of a session as they are here. Their note may have come from elsewhere, so what is pushed is what branches
 * of these very names have here, upon which a person may have put more; and the base has only what it is seen to have.
 * Throws FlameError `request-branch-moved`.
 */
export async function ownRequests(
  { git }: WithGit<GitCommits & Pick<GitRefs, 'refsHolding'>>,
  { landing, base_branch: base }: Session,
): Promise<readonly ChangesetRequest[]> {
  const own: ChangesetRequest[] = [];
  for (const request of landing?.requests ?? []) {
    const { branch, group, tip, merged } = request;
    if (landing === undefined || branch !== requestBranch(landing, group))
      throw moved(branch, ['git flame show', 'git flame status']);
    const there = await git.resolveCommit(`refs/heads/${branch}`);
    if (there === null || (there !== tip && !(await git.isAncestor(tip, there))))
      throw moved(branch, [
        `git log --oneline ${tip} --not ${base}`,
        `git branch -f ${branch} ${tip}`,
        'git flame review --pr',
      ]);
    const holders = merged === null ? [] : await git.refsHolding(merged, 'refs/');
    const isBase = ({ ref }: { readonly ref: string }): boolean =>
      ref === `refs/heads/${base}` || (ref.startsWith('refs/remotes/') && ref.endsWith(`/${base}`));
    own.push({ ...request, tip: there, merged: holders.some(isBase) ? merged : null });
  }
  return own;
}

/** Somebody moved it while its next version was made. */
export function movedMeanwhile(ref: string): FlameError {
  return moved(ref.replace('refs/heads/', ''), ['git flame review --pr']);
}

function moved(branch: string, hints: readonly string[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'request-branch-moved',
    message: `${branch} was moved to what isn't built on what it had, so no pull request was brought on.`,
    hints,
  });
}
