import { renderLineRange } from '../../domain/state/line-range.ts';
import type { PlannedTask } from '../../domain/state/plan-schema.ts';
import type { HistoryEntry, Task } from '../../domain/state/task-schema.ts';

/** A text of a task that runs, or that an agent reads. */
interface AgentText {
  readonly task: string;
  readonly name: string;
  readonly text: string;
}

/**
 * All parts of a plan that run or that agents read, beyond what its list of tasks shows: whole, as they are.
 */
export function listAgentTextsInPlan(tasks: readonly PlannedTask[]): readonly AgentText[] {
  return tasks.flatMap(({ id: task, description, acceptance_criteria, constraints }) => [
    { task, name: 'description', text: description },
    ...acceptance_criteria.map((text) => ({ task, name: 'acceptance criterion', text })),
    ...constraints.map((text) => ({ task, name: 'constraint', text })),
  ]);
}

/** Texts of a task that was begun: its role, the work it names, and what its attempts leave for the next one. */
export function listAgentTextsInTask(task: Task): readonly AgentText[] {
  const { id, role, commit, start_commit: start, history } = task;
  const work = commit === null ? '' : `git diff ${start ?? `${commit}^`} ${commit}`;
  const texts = [
    { name: 'role', text: role === 'worker' ? '' : role },
    { name: 'work', text: work },
    ...history.map((entry) => ({ name: `attempt ${entry.attempt}`, text: attemptText(entry) })),
  ];
  return texts.filter(({ text }) => text !== '').map((one) => ({ task: id, ...one }));
}

function attemptText({ result, notes, rejection_reason: rejection, comments = [] }: HistoryEntry): string {
  const reason = rejection === null || rejection === notes ? [] : [`Rejected: ${rejection}`];
  const remarks = comments.map(({ path, text, excerpt, ...at }) =>
    [`${path}:${renderLineRange(at)}: ${text}`, ...(excerpt === undefined ? [] : [excerpt])].join('\n'),
  );
  return [`${result}: ${notes}`, ...reason, ...remarks].join('\n');
}
