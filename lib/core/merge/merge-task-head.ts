import type { Task } from '../../domain/state/task.ts';
import { type KeyOf, keysOf } from '../task/task-keys.ts';

const headKeys = keysOf('head');
type HeadOf<One> = One extends Task ? Pick<One, KeyOf<'head'>> : never;
/** State of a task, as opposed to its plan. */
export type TaskHead = HeadOf<Task>;

export function headOf(task: Task): TaskHead {
  return Object.fromEntries(headKeys.map((key) => [key, task[key]])) as TaskHead;
}

/** `claimed by worker-1a2b3c4d`, `claimed by Lea <lea@example.com> on laptop/1a2b3c4d`, `done at 1234abcd by worker-1a2b3c4d`. */
export function describeHead({
  status,
  agent_id,
  claimed_by,
  claimed_host,
  commit,
  result,
}: TaskHead): string {
  // One person can have claimed it in two clones.
  const place = claimed_host === null ? '' : ` on ${claimed_host}`;
  const who = agent_id ?? (claimed_by === null ? null : claimed_by + place);
  const verdict = result.status === null ? '' : ` (${result.status})`;
  return `${status}${verdict}${commit === null ? '' : ` at ${commit}`}${who === null ? '' : ` by ${who}`}`;
}
