import type { MemoryEntry } from '../../domain/state/memory.ts';
import type { Session } from '../../domain/state/session.ts';
import type { HistoryEntry, Task } from '../../domain/state/task.ts';
import { boundText, oneLine } from '../task/one-line.ts';

const attemptsKept = 3;
const pathsKept = 100;

/**
 * Lists the memory entries of a session: each task that has ended for good, and, once the session has ended, its
 * outcome as a whole. Without `withFailures` only what was merged. The same notes give the same entries.
 */
export function memoryEntries(
  session: Session,
  tasks: readonly Task[],
  { withFailures }: { readonly withFailures: boolean },
): readonly MemoryEntry[] {
  const hasEnded = session.state === 'ended';
  const entries = tasks.flatMap((task) => entryOf(task, hasEnded) ?? []);
  const kept = entries.filter(({ kind }) => withFailures || kind === 'result');
  return hasEnded ? [...kept, summaryOf(session, tasks)] : kept;
}

/** null: it may still come to something. */
function entryOf(task: Task, hasEnded: boolean): MemoryEntry | null {
  const isDone = task.status === 'merged';
  const isLost = task.status === 'dropped' || (hasEnded && task.status !== 'done');
  if (!isDone && !isLost) return null;
  const { result, reason } = task;
  const notes = [reason ?? '', result.notes, ...result.issues.map((issue) => `- ${issue}`)];
  return {
    v: 1,
    rev: 1,
    kind: isDone ? 'result' : 'failure',
    session: task.session,
    task: task.id,
    title: oneLine(task.title) || task.id,
    status: task.status,
    paths: task.file_locks.slice(0, pathsKept),
    notes: boundText([...new Set(notes)].filter((text) => text !== '').join('\n'), isDone ? 1_000 : 4_000),
    attempts: isDone && task.history.length < 2 ? [] : task.history.slice(-attemptsKept).map(attemptOf),
    cost_usd: sum(task.history.map(({ cost_usd }) => cost_usd)),
    tokens: sum(task.history.map(({ tokens_used }) => tokens_used)),
    at: task.updated_at,
  };
}

function attemptOf({ attempt, result, notes, rejection_reason: rejection }: HistoryEntry) {
  const told = rejection === null || rejection === notes ? notes : `${notes}\nRejected: ${rejection}`;
  return { attempt, result: oneLine(result, 50) || 'ended', notes: boundText(told, 2_000) };
}

function summaryOf(session: Session, tasks: readonly Task[]): MemoryEntry {
  const counts = new Map<string, number>();
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1);
  const told = [...counts].sort().map(([status, count]) => `${count} ${status}`);
  return {
    v: 1,
    rev: 1,
    kind: 'summary',
    session: session.id,
    task: null,
    title: oneLine(session.objective) || session.id,
    status: session.state,
    paths: [...new Set(tasks.flatMap(({ file_locks }) => file_locks))].sort().slice(0, pathsKept),
    notes: boundText(
      `${tasks.length} tasks${told.length === 0 ? '' : `: ${told.join(', ')}`}; ${session.cycle} cycles.`,
    ),
    attempts: [],
    cost_usd: session.cost_usd,
    tokens: session.tokens,
    at: session.updated_at,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
