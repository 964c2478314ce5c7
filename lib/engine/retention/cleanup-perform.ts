import type { RunContext } from '../run-context.ts';
import { keepCommitAsRescue, rescueName } from './rescue-refs.ts';
import { rescueAndRemoveWorktree } from './rescue-worktree.ts';
import { type CleanupItem, removeStalePersonWorktree } from './stale-worktrees.ts';
import { removeClosedTryWorktree } from './tried-changesets.ts';

/** Result of the removal of one item. */
export interface CleanupResult {
  readonly name: string;
  readonly outcome: 'removed' | 'rescued' | 'archived' | 'kept';
  /** Name of the rescue, or why it was kept. */
  readonly details: string;
}

/**
 * Removes what a plan names, without force only what holds no work that was not merged; work that isn't elsewhere is
 * kept as a rescue first.
 */
export async function performCleanup(
  context: RunContext,
  plan: readonly CleanupItem[],
  words: CleanupConsent,
): Promise<readonly CleanupResult[]> {
  const done: CleanupResult[] = [];
  for (const stale of listItemsToRemove(plan, words)) {
    if (stale.kind === 'session') continue;
    done.push({ name: stale.name, ...(await remove(context, stale)) });
  }
  return [...done, ...(await archive(context, plan))];
}

/** Items a person agreed to remove too. */
export interface CleanupConsent {
  /** Work that was not merged, which then is kept as a rescue. */
  readonly isForced: boolean;
  /** Old rescues: what is in them is lost. */
  readonly includesRescues: boolean;
}

/** Lists the items of a plan to remove. */
export function listItemsToRemove(
  plan: readonly CleanupItem[],
  { isForced, includesRescues }: CleanupConsent,
): readonly CleanupItem[] {
  return plan.filter((stale) =>
    stale.kind === 'rescue' ? stale.isElsewhere || includesRescues : isForced || !stale.needsForce,
  );
}

/** After the worktrees and branches: a session with worktrees is still in use. */
async function archive(
  context: Pick<RunContext, 'gates' | 'store'>,
  plan: readonly CleanupItem[],
): Promise<readonly CleanupResult[]> {
  const named = plan.flatMap((stale) => (stale.kind === 'session' ? stale.session : []));
  if (named.length === 0) return [];
  const moved = new Set(await context.store.moveToArchive(() => named, context.gates.person));
  return named.map((id): CleanupResult => {
    if (moved.has(id)) return { name: id, outcome: 'archived', details: `git flame status --session ${id}` };
    return { name: id, outcome: 'kept', details: "one of its notes can't be read" };
  });
}

async function remove(
  context: RunContext,
  stale: Exclude<CleanupItem, { kind: 'session' }>,
): Promise<Omit<CleanupResult, 'name'>> {
  if (stale.kind === 'own worktree') return removeStalePersonWorktree(context, stale.worktree);
  if (stale.kind === 'tried changeset') return removeClosedTryWorktree(context, stale.tried);
  if (stale.kind !== 'worktree') return removeRef(context, stale);
  const why = `Cleaned up by ${context.gates.person}: ${stale.why}.`;
  const outcome = await rescueAndRemoveWorktree(context, stale.cell, { why, isRequested: true });
  if (outcome.kind === 'kept') return { outcome: 'kept', details: outcome.reasons.slice(0, 3).join(' ') };
  if (outcome.kind === 'removed') return { outcome: 'removed', details: '' };
  return { outcome: 'rescued', details: rescueName(outcome.ref) };
}

async function removeRef(
  context: Pick<RunContext, 'gates' | 'git' | 'store'>,
  stale: Exclude<CleanupItem, { kind: 'worktree' | 'own worktree' | 'tried changeset' | 'session' }>,
): Promise<Omit<CleanupResult, 'name'>> {
  const { ref, commit } = stale.ref;
  // A rescue is what is kept: it goes as it is.
  const isLetGo = stale.kind === 'commit' || stale.kind === 'rescue' || stale.isMerged;
  const rescue = isLetGo ? null : await keepCommitAsRescue(context, stale.subject, commit);
  const result = await context.store.transact(() => ({
    changes: [],
    refs: [{ ref, old: commit, new: null }],
    actor: context.gates.person,
  }));
  if (result.kind === 'ref-moved') return { outcome: 'kept', details: 'it has moved since' };
  if (stale.kind === 'rescue')
    return {
      outcome: 'removed',
      details: `until the next git gc it can be restored: git branch rescued ${commit}`,
    };
  return rescue === null ? { outcome: 'removed', details: '' } : { outcome: 'rescued', details: rescueName(rescue) };
}
