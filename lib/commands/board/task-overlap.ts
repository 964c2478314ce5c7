import { sharedLock } from '../../core/schedule/locks.ts';
import { plannedGround, planWaves } from '../../core/schedule/plan-waves.ts';
import type { Config } from '../../domain/config/config.ts';
import type { PlannedGround } from '../../domain/ports/gates.ts';
import type { BoardOverlap } from '../../domain/shown/board.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import type { Task } from '../../domain/state/task.ts';

/** The most tasks compared, in their order: each is compared with each at every change of a board. */
const mostForeseen = 150;

interface Planned {
  readonly tasks: readonly Task[];
  readonly proposal: readonly PlannedTask[];
}

/**
 * Finds the tasks that each task shares files with, by its id: for started work, what it was built on beside its
 * dependencies; for the rest, the prediction shown at the plan's gate. `config` null: nothing is predicted.
 */
export function taskOverlaps(
  { tasks, proposal }: Planned,
  config: Config | null,
): ReadonlyMap<string, BoardOverlap> {
  const found = new Map<string, BoardOverlap>();
  for (const task of tasks) {
    const below = builtOn(task, tasks);
    if (below.length > 0) found.set(task.id, { kind: 'build-on', below });
  }
  if (config === null) return found;
  const { development, overlap: kind } = config.concurrency;
  const foresee = (all: Parameters<typeof plannedGround>[0]): readonly PlannedGround[] =>
    plannedGround(all, planWaves(all, development));
  const began = tasks.filter(({ status }) => status === 'claimed');
  const open = [...began, ...tasks.filter(isWaiting)].slice(0, mostForeseen);
  const waiting = new Set<string>(open.filter(isWaiting).map(({ id }) => id));
  const foreseen = [
    ...foresee(open).filter(({ task }) => waiting.has(task)),
    ...foresee(proposal.slice(0, mostForeseen)),
  ];
  for (const { task, below } of foreseen) found.set(task, { kind, below });
  return found;
}

function isWaiting({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued';
}

function builtOn(task: Task, tasks: readonly Task[]): BoardOverlap['below'] {
  if (task.status !== 'claimed' && task.status !== 'done' && task.status !== 'merged') return [];
  return (task.built_on ?? [])
    .filter(({ task: id }) => !task.dependencies.includes(id))
    .map(({ task: id }) => {
      const other = tasks.find((one) => one.id === id);
      return { task: id, lock: other === undefined ? null : sharedLock(task, other) };
    });
}
