import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import { changesetsOfCycle } from '../schedule/next-action.ts';
import { builtOn } from './reject-part.ts';

const decided: readonly Changeset['state'][] = ['approved', 'rejected', 'skipped'];

/** The decisions of a session's cycle that a person can take back: nothing of what they are about has landed. */
export function undoable(session: Session): readonly Changeset[] {
  const current = changesetsOfCycle(session);
  return current.filter(
    (one) =>
      decided.includes(one.state) &&
      one.decided_by !== null &&
      !restOf(current, one).some(({ state }) => state === 'landed'),
  );
}

/**
 * The session in which a changeset waits again, as if nothing had been decided about it: what was put off because of it
 * waits too, and what was built of its rest is void.
 */
export function undecide(session: Session, changeset: Changeset): Session {
  const { id, group, state } = changeset;
  const rest = restOf(changesetsOfCycle(session), changeset);
  const isInPart = rest.length > 0;
  const above = state === 'rejected' ? builtOn(session, group, isInPart ? open : ['deferred']) : [];
  const reason = `what was decided about ${id} was taken back`;
  const changesets = session.changesets.map((one): Changeset => {
    if (one.id === id) return asBuilt(one);
    if (rest.includes(one) || (isInPart && above.includes(one)))
      return { ...asBuilt(one), state: 'void', reason };
    return above.includes(one) ? asBuilt(one) : one;
  });
  return { ...session, changesets };
}

const open: readonly Changeset['state'][] = ['waiting', 'approved', 'deferred'];

/** Changesets built from the tasks that a partial rejection left. */
function restOf(
  current: readonly Changeset[],
  { id, tasks, rejected_tasks: part }: Changeset,
): readonly Changeset[] {
  if (part === undefined) return [];
  const left = tasks.filter((task) => !part.includes(task));
  return current.filter((one) => one.id !== id && one.tasks.some((task) => left.includes(task)));
}

/** Without anything a person said of it. */
function asBuilt({
  rejected_tasks: _,
  remarks: __,
  message: ___,
  approved_on: ____,
  ...changeset
}: Changeset): Changeset {
  return { ...changeset, state: 'waiting', reason: null, decided_by: null };
}
