import { inDependencyOrder } from '../../core/changesets/cohesion-groups.ts';
import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { applySteps, withdraw } from '../../core/task/cascade.ts';
import { readGround, uprooted } from '../../core/task/needs-of.ts';
import { requeueTask } from '../../core/task/task-outcome.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import type { OnTop } from '../../domain/ports/changeset-question.ts';
import type { GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { hasWork, type Task } from '../../domain/state/task.ts';
import { type SessionView, taskOf } from '../record.ts';
import { timestamp, type WithGit, type Workshop } from '../workshop.ts';
import { fateOf } from './replay-uprooted.ts';

/**
 * Finds what rejecting a changeset, or these tasks of it, would mean for finished work on top, by doing it without
 * recording: each one's change is merged onto what would remain. In the order they stand on each other.
 */
export async function onTopOf(
  workshop: Pick<Workshop, 'config' | 'now'> & WithGit<GitCommits & GitMerging>,
  view: SessionView,
  { tasks: rejected }: Pick<Changeset, 'tasks'>,
): Promise<readonly OnTop[]> {
  const at = timestamp(workshop);
  const found: OnTop[] = [];
  const before = readGround(view.tasks);
  const waited = new Set<string>(view.tasks.filter(before.waits).map(({ id }) => id));
  let { tasks } = view;
  const current = changesetsOfCycle(view.session);
  // A group that comes in parts is named by its part, as the person was shown it.
  const shown = new Map<string, string>(
    current.flatMap(({ tasks: ids, group }) => ids.map((id) => [id, group])),
  );
  const tell = ({ id, cohesion_group }: Task, outcome: OnTop['outcome'], paths: readonly string[]) =>
    void found.push({ task: id, group: shown.get(id) ?? cohesion_group, outcome, paths });
  const sendBack = (leaving: readonly TaskChange[]): void => {
    const steps = withdraw(tasks, leaving, at);
    tasks = applySteps(tasks, steps);
    for (const { task } of steps.slice(leaving.length))
      if (task.status === 'requeued') tell(task, 'again', []);
    const ground = readGround(tasks);
    for (const task of tasks)
      if (ground.waits(task) && !waited.has(task.id)) {
        waited.add(task.id);
        tell(task, 'waits', []);
      }
  };
  sendBack(
    rejected.map((id) => requeueTask(taskOf(view, id), { kind: 'rejected', notes: '', reason: '', at })),
  );
  for (;;) {
    const [task] = inDependencyOrder(uprooted(tasks, current));
    if (task === undefined || !hasWork(task)) return found;
    const fate = await fateOf(workshop, view.session, { task, tasks });
    tell(task, fate.kind === 'stands' ? 'stands' : 'conflicts', fate.kind === 'stands' ? [] : fate.paths);
    if (fate.kind === 'stands') tasks = applySteps(tasks, [fate.step]);
    else sendBack([requeueTask(task, { kind: 'conflict', notes: '', at })]);
  }
}
