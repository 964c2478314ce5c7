import type { LineComment } from '../../domain/state/line-comment.ts';
import type { HistoryEntry, Task } from '../../domain/state/task-schema.ts';
import { boundText, toOneLine } from './bound-text.ts';

const wholeEntries = 5;
const foldedLines = 50;
const maxOldReasons = 2_000;

/** Time and cost of an attempt; added to what the task's history has already. */
export interface AttemptCost {
  /** USD. */
  readonly cost: number;
  readonly tokens: number;
}

/** End of an attempt, or a later event of it. */
interface AttemptEnd extends Partial<AttemptCost> {
  readonly result: string;
  readonly notes: string;
  readonly rejection?: string | null;
  readonly at: string;
  readonly comments?: readonly LineComment[];
  readonly work?: HistoryEntry['work'];
  readonly isOnRequest?: boolean;
}

/**
 * The history of a task whose attempt has just ended that way. A done attempt has its entry already, which
 * then says what became of it; a failed one that is requeued gets a second entry of the same number.
 */
export function addEndedAttemptToHistory(task: Task, end: AttemptEnd): HistoryEntry[] {
  const entry = {
    agent_id: task.agent_id,
    timestamp: end.at,
    result: end.result,
    notes: boundText(end.notes),
    rejection_reason: end.rejection == null ? null : boundText(end.rejection),
    cost_usd: end.cost ?? 0,
    tokens_used: end.tokens ?? 0,
    ...(end.comments === undefined || end.comments.length === 0 ? {} : { comments: [...end.comments] }),
    ...(end.work === undefined ? {} : { work: end.work }),
    ...(end.isOnRequest === true ? { on_request: true as const } : {}),
  };
  if (task.status === 'done') return amendLatestDoneEntry(task.history, entry);
  const last = task.history.at(-1);
  const isSameAttempt = task.status === 'failed' && last !== undefined;
  return appendHistoryEntry(task.history, isSameAttempt ? { ...entry, attempt: last.attempt } : entry);
}

/** Appends an ended attempt. The latest 5 entries stay whole, older ones become one line each, at most 50. */
export function appendHistoryEntry(
  history: readonly HistoryEntry[],
  entry: Omit<HistoryEntry, 'attempt'> & { readonly attempt?: number },
): HistoryEntry[] {
  return boundHistory([...history, { ...entry, attempt: entry.attempt ?? nextAttemptNumber(history) }]);
}

/** Says what became of the latest attempt after it was done; its agent and cost stay, more cost is added. */
export function amendLatestDoneEntry(
  history: readonly HistoryEntry[],
  change: Omit<HistoryEntry, 'attempt'>,
): HistoryEntry[] {
  const last = history.at(-1);
  if (last?.result !== 'done') return appendHistoryEntry(history, change);
  const amended: HistoryEntry = {
    ...last,
    ...change,
    agent_id: last.agent_id,
    cost_usd: last.cost_usd + change.cost_usd,
    tokens_used: last.tokens_used + change.tokens_used,
  };
  return boundHistory([...history.slice(0, -1), amended]);
}

/** What an entry has that is about no attempt of its own: nothing was rejected, and nothing spent. */
export const freeEntry = { rejection_reason: null, cost_usd: 0, tokens_used: 0 } as const;

/** The history of a done task whose work is another commit now: its latest entry has these notes, and keeps its comments. */
export function amendHistoryOfDoneTask({ agent_id, history }: Task, notes: string, at: string): HistoryEntry[] {
  const { comments } = history.at(-1) ?? {};
  return amendLatestDoneEntry(history, {
    ...freeEntry,
    agent_id,
    timestamp: at,
    result: 'done',
    notes,
    ...(comments === undefined ? {} : { comments }),
  });
}

/** The number of the attempt that is running or comes next; the first is 1. */
export function nextAttemptNumber(history: readonly HistoryEntry[]): number {
  return (history.at(-1)?.attempt ?? 0) + 1;
}

function boundHistory(history: readonly HistoryEntry[]): HistoryEntry[] {
  const older = history.slice(0, -wholeEntries).map(foldEntry);
  const surplus = older.length - foldedLines;
  const lines = surplus > 0 ? [joinLines(older.slice(0, surplus + 1)), ...older.slice(surplus + 1)] : older;
  return [...lines, ...history.slice(-wholeEntries)];
}

function foldEntry(entry: HistoryEntry): HistoryEntry {
  if (entry.result === 'summary') return entry;
  const { comments: _, work: __, ...whole } = entry;
  const reason = entry.rejection_reason;
  return {
    ...whole,
    result: 'summary',
    notes: toOneLine(`${entry.result}: ${entry.notes}`, 160),
    rejection_reason: reason === null ? null : toOneLine(reason, 300),
  };
}

/** The oldest lines as one: costs stay summed and rejection reasons stay, the oldest of them cut first. */
function joinLines(lines: readonly HistoryEntry[]): HistoryEntry {
  const last = lines.at(-1);
  const reasons = lines.flatMap((line) => line.rejection_reason ?? []);
  return {
    attempt: last?.attempt ?? 0,
    agent_id: null,
    timestamp: last?.timestamp ?? '',
    result: 'summary',
    notes: `attempts up to ${last?.attempt ?? 0}`,
    rejection_reason: reasons.length === 0 ? null : reasons.join(' · ').slice(-maxOldReasons),
    cost_usd: lines.reduce((sum, line) => sum + line.cost_usd, 0),
    tokens_used: lines.reduce((sum, line) => sum + line.tokens_used, 0),
  };
}
