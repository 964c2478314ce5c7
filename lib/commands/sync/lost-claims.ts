import { isHeld } from '../../core/schedule/next-action.ts';
import { holderOf, isHeldBy } from '../../core/schedule/task-holder.ts';
import type { Store } from '../../domain/ports/store-port.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { Task } from '../../domain/state/task.ts';
import { machineName } from '../../trust/clone-key.ts';
import { cloneName } from '../../util/machine-key.ts';
import type { Reading } from '../open/read-state.ts';

/** The tasks this person claimed by hand in this clone. */
export async function ownClaims(
  { git, store }: Pick<Reading, 'git' | 'store'>,
  { env }: Pick<Io, 'env'>,
): Promise<readonly Task[]> {
  const tasks = await allTasks(store);
  if (!tasks.some(isHeld)) return [];
  const person = await git.identity().catch(() => null);
  const { commonDir } = git.repository;
  // It may have been claimed before this clone had a key.
  const places: readonly (string | null)[] = [cloneName(commonDir), machineName({ env, commonDir })];
  return tasks.filter(
    (task) => person !== null && isHeldBy(task, person) && places.includes(task.claimed_host),
  );
}

/** Lines about claims that another clone has now: two clones claimed the same, and one was first. */
export async function lostClaims(store: Store, held: readonly Task[]): Promise<readonly string[]> {
  if (held.length === 0) return [];
  const tasks = await allTasks(store);
  return held.flatMap(({ id, session, claimed_by, claimed_host, worktree }) => {
    const now = tasks.find((task) => task.id === id && task.session === session);
    if (now === undefined || now.status !== 'claimed') return [];
    const isSame = now.claimed_by === claimed_by && now.claimed_host === claimed_host;
    if (isSame && now.agent_id === null) return [];
    const left = worktree === null ? '' : `; what you made stays in ${worktree}`;
    return [`${id} is no longer yours: ${holderOf(now)} claimed it too, and first${left}`];
  });
}

async function allTasks(store: Store): Promise<readonly Task[]> {
  const snapshot = await store.snapshot();
  return snapshot.sessions.flatMap(({ id }) => snapshot.tasksOf(id));
}
