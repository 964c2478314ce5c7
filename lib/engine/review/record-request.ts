import { type ObjectId, parseRefName, type SessionId } from '../../domain/ids.ts';
import type { RefUpdate } from '../../domain/ports/git-port.ts';
import type { ChangesetRequest } from '../../domain/state/changeset.ts';
import { record } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { followBelow } from './request-commits.ts';

/** Keeps what became of the request of one group on its host. */
export async function recordRequest(
  workshop: Workshop,
  id: SessionId,
  group: string,
  change: Partial<ChangesetRequest>,
  refs: readonly RefUpdate[] = [],
): Promise<void> {
  await record(workshop, id, ({ session }) => {
    const { landing } = session;
    if (landing?.requests === undefined) return null;
    const requests = landing.requests.map((one) => (one.group === group ? { ...one, ...change } : one));
    const what = change.merged != null ? 'merged' : 'kept true';
    return {
      session: {
        next: { ...session, landing: { ...landing, requests } },
        subject: `session: pull request of ${group} ${what}`,
      },
      refs,
    };
  });
}

/**
 * Records a request as landed that was merged on its host, with head `head` and base branch at `base` now. Commits put
 * on its branch since and not merged need a new request, upon the base. Resolves to whether it is over.
 */
export async function recordMerged(
  workshop: Workshop,
  id: SessionId,
  {
    request,
    head,
    base,
  }: { readonly request: ChangesetRequest; readonly head: string; readonly base: ObjectId },
): Promise<boolean> {
  const { group, branch, tip } = request;
  const there = await workshop.git.resolveCommit(head);
  const hasMore = there !== null && there !== tip && (await workshop.git.isAncestor(there, tip));
  const upon = hasMore ? await followBelow(workshop, tip, { ...request, tip: there, merged: base }) : null;
  if (upon?.kind !== 'made') {
    await recordRequest(workshop, id, group, { merged: base });
    return true;
  }
  const again = { tip: upon.commit, pull_request: null, target: null, rounds: 0 };
  await recordRequest(workshop, id, group, again, [
    { ref: parseRefName(`refs/heads/${branch}`), old: tip, new: upon.commit },
  ]);
  return false;
}
