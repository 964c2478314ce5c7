import type { HistoryEntry } from '../../domain/state/task.ts';
import { byText } from '../../util/sort-and-group.ts';
import { boundText } from '../task/one-line.ts';
import { describeHead, type TaskHead } from './merge-task-head.ts';
import { canonicalText, isSame, mergeById, type Preference, preferring, type Sides } from './merge-values.ts';

const superseded = 'superseded';

/**
 * The attempts of both clones and what lost, each once. Ordered by attempt and time; those of the agent the task is
 * with now come last, since what follows continues them.
 */
export function mergeHistory(
  sides: Sides<readonly HistoryEntry[]>,
  losers: readonly HistoryEntry[],
  agent: string | null,
): HistoryEntry[] {
  const isCurrent = (entry: HistoryEntry): number =>
    agent !== null && entry.agent_id === agent && entry.result !== superseded ? 1 : 0;
  const order: Preference<HistoryEntry> = preferring(
    (a, b) => isCurrent(a) - isCurrent(b),
    (a, b) => a.attempt - b.attempt,
    (a, b) => byText(a.timestamp, b.timestamp),
  );
  const merged = mergeById(sides, { id: canonicalText, prefer: order, order });
  if (losers.length === 0) return merged;
  const added = losers.filter((loser) => !merged.some((entry) => isSame(entry, loser)));
  return [...merged, ...added].sort(order);
}

/** Describes the losing version as an entry of the history; it depends on that alone, so all clones write the same. */
export function supersededHead(head: TaskHead, createdAt: string): HistoryEntry {
  const why = head.reason === null ? '' : `: ${head.reason}`;
  return {
    attempt: head.retry_count + 1,
    agent_id: head.agent_id,
    timestamp: head.claimed_at ?? createdAt,
    result: superseded,
    notes: boundText(`another clone's change was kept instead of ${describeHead(head)}${why}`),
    rejection_reason: null,
    cost_usd: 0,
    tokens_used: 0,
  };
}

/** Describes the lost value of one key of the plan in the same way. */
export function supersededField(what: string, lost: string, createdAt: string): HistoryEntry {
  return {
    attempt: 0,
    agent_id: null,
    timestamp: createdAt,
    result: superseded,
    notes: boundText(`another clone's change was kept instead of ${what}: ${lost}`),
    rejection_reason: null,
    cost_usd: 0,
    tokens_used: 0,
  };
}
