import type { TaskId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import { changesetsOfCycle } from '../schedule/next-action.ts';
import { withStates } from './with-states.ts';

/** Some tasks of a changeset that are sent back, and why. */
export interface PartRejected {
  /** In the order of the changeset; neither none nor all of them. */
  readonly tasks: readonly TaskId[];
  readonly reason: string;
  readonly by: string;
}

/**
 * Rejects a part of a changeset in its session: the changeset keeps its place as what the person saw, and its other
 * tasks can be merged again. Changesets built on it become void, since they stand on all of it.
 */
export function rejectPart(
  session: Session,
  { id, group }: Pick<Changeset, 'id' | 'group'>,
  { tasks, reason, by }: PartRejected,
): Session {
  const words = `${tasks.join(', ')}: ${reason}`;
  const rejected = withStates(session, [id], 'rejected', words, by);
  const marked = {
    ...rejected,
    changesets: rejected.changesets.map((one) =>
      one.id === id ? { ...one, rejected_tasks: [...tasks] } : one,
    ),
  };
  const above = builtOn(marked, group, ['waiting']).map((one) => one.id);
  return withStates(marked, above, 'void', `${group} is built again without ${tasks.join(', ')}`);
}

/** The changesets of the cycle in one of these states that build on a group, directly or through others of them. */
export function builtOn(
  session: Session,
  group: string,
  states: readonly Changeset['state'][],
): readonly Changeset[] {
  const groups = new Set([group]);
  const found: Changeset[] = [];
  // Those that others build upon come first.
  for (const one of changesetsOfCycle(session)) {
    if (!states.includes(one.state) || !one.depends_on.some((name) => groups.has(name))) continue;
    groups.add(one.group);
    found.push(one);
  }
  return found;
}
