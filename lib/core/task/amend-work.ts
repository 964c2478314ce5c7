import type { ObjectId } from '../../domain/ids.ts';
import type { DoneTask, Task } from '../../domain/state/task.ts';
import { boundText } from './one-line.ts';
import { amendAttempt } from './task-history.ts';
import { describeChange, illegalTransition, type TaskChange } from './task-state.ts';

/**
 * A done task whose work a person went on with, by commits on top of it: it stays done, and what was found about it is
 * about another commit. Throws a FlameError `illegal-transition` when it isn't done.
 */
export function amendWork(
  task: Task,
  { commit, said, at }: { readonly commit: ObjectId; readonly said: string; readonly at: string },
): TaskChange<DoneTask> {
  if (task.status !== 'done') throw illegalTransition(task, 'done');
  const last = task.history.at(-1);
  const notes = boundText([last?.notes ?? '', `${said}.`].filter(Boolean).join('\n'));
  const entry = {
    agent_id: task.agent_id,
    timestamp: at,
    result: 'done',
    notes,
    rejection_reason: null,
    cost_usd: 0,
    tokens_used: 0,
    ...(last?.comments === undefined ? {} : { comments: last.comments }),
  };
  const next: DoneTask = {
    ...task,
    status: 'done',
    commit,
    result: { status: null, notes, issues: [] },
    history: amendAttempt(task.history, entry),
  };
  return describeChange(task, next, `, ${said}`);
}
