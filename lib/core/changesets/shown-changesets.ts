import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';

/**
 * The changesets of a session's cycle as a person looks at them, in their order: void ones too where their work is done
 * and in no other one yet, since they are built again.
 */
export function shownChangesets(
  { cycle, changesets }: Pick<Session, 'cycle' | 'changesets'>,
  tasks: readonly Pick<Task, 'id' | 'status'>[],
): readonly Changeset[] {
  const current = changesets.filter(({ id }) => id.startsWith(`${cycle}-`));
  const taken = new Set<string>(
    current.filter(({ state }) => state !== 'void').flatMap((changeset) => changeset.tasks),
  );
  const open = new Set<string>(
    tasks.filter(({ id, status }) => status === 'done' && !taken.has(id)).map(({ id }) => id),
  );
  const isLast = (changeset: Changeset): boolean =>
    current.findLast(({ group }) => group === changeset.group) === changeset;
  return current.filter(
    (changeset) =>
      changeset.state !== 'void' || (isLast(changeset) && changeset.tasks.some((id) => open.has(id))),
  );
}
