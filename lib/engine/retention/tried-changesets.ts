import { parseTaskId, type SessionId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs } from '../../domain/ports/git-port.ts';
import type { GitTryWorktrees, TryWorktree } from '../../domain/ports/git-try-worktrees.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type RunContext, type WithGit, warnOnce } from '../run-context.ts';
import { keepCommitAsRescue, rescueName } from './rescue-refs.ts';

/** Lists worktrees to try changesets in that landed or were rejected, or whose session is over. */
export async function listClosedTryWorktrees(
  { git }: WithGit<GitTryWorktrees>,
  { sessions }: Pick<Snapshot, 'sessions'>,
): Promise<readonly (TryWorktree & { readonly why: string })[]> {
  return (await git.tryWorktrees()).flatMap((tried) => {
    const session = sessions.find(({ id }) => id === tried.session);
    const state = session?.changesets.findLast(({ group }) => group === tried.group)?.state;
    const isDecided = state === 'landed' || state === 'rejected';
    if (session !== undefined && session.state !== 'ended' && !isDecided) return [];
    const end = isDecided ? `which was ${state === 'landed' ? 'landed' : 'sent back'}` : 'whose session has ended';
    return [{ ...tried, why: `to try changeset ${tried.group}, ${end}` }];
  });
}

/** Names those of a session, once in a run: the person may be at work in one. */
export async function reportClosedTryWorktrees(
  context: Pick<RunContext, 'events' | 'run' | 'store'> & WithGit<GitTryWorktrees>,
  id: SessionId,
): Promise<void> {
  for (const { session, path, group, why } of await listClosedTryWorktrees(context, await context.store.snapshot()))
    if (session === id)
      warnOnce(context, `${path} is still there, ${why}. To remove it: git flame review --done ${shellQuote(group)}`);
}

/** Removes one; the person's commits that nothing else holds are kept as rescues, unsaved files keep it. */
export async function removeClosedTryWorktree(
  context: Pick<RunContext, 'gates' | 'store'> & WithGit<GitCommits & GitRefs & GitTryWorktrees>,
  tried: TryWorktree,
): Promise<{ readonly outcome: 'removed' | 'rescued' | 'kept'; readonly details: string }> {
  const { git } = context;
  const { changes, commits } = await git.findOwnWorkInTry(tried);
  if (changes.length > 0) return { outcome: 'kept', details: 'it has uncommitted changes' };
  // A group's name has the form of a task's; of several joined ones the first.
  const subject = { session: tried.session, task: parseTaskId(tried.group.split('+')[0] ?? '') };
  const rescues: string[] = [];
  for (const commit of await git.dropContainedCommits(commits))
    rescues.push(rescueName(await keepCommitAsRescue(context, subject, commit)));
  const removal = await git.removeTryWorktree(tried);
  if (removal !== 'removed') return { outcome: 'kept', details: `it can't be removed (${removal})` };
  return rescues.length === 0
    ? { outcome: 'removed', details: '' }
    : { outcome: 'rescued', details: rescues.join(', ') };
}
