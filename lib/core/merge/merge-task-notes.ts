import type { HistoryEntry, Task, TaskStatus } from '../../domain/state/task-schema.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { boundText } from '../task/bound-text.ts';
import { freeEntry } from '../task/task-history.ts';
import { listTaskKeysByMerge, type TaskKeysByMerge } from '../task/task-keys.ts';
import {
  combinePreferences,
  compareTimes,
  isDeepEqual,
  type LostValue,
  type MergeChoice,
  type MergedNote,
  type MergeSides,
  makeSidesReader,
  mergeById,
  mergeTextSets,
  mergeValue,
  type PreferenceOrder,
  pickLaterIsoTime,
  toSortedKeyJson,
} from './merge-values.ts';

// Landed and dropped tasks stay so; finished work beats running work, that beats waiting.
const statusOrder: readonly TaskStatus[] = [
  'merged',
  'dropped',
  'done',
  'claimed',
  'failed',
  'requeued',
  'blocked',
  'pending',
];
// The stricter of two verdicts on the same work counts.
const verdictOrder: readonly (string | null)[] = ['fail', 'pass', null];

const preferHead: PreferenceOrder<TaskHead> = combinePreferences(
  // Taken back after it had ended: the end before that is past.
  (a, b) => (b.undone ?? 0) - (a.undone ?? 0),
  (a, b) => Number(hasEnded(b)) - Number(hasEnded(a)),
  // A worker that was given up while it worked can't take back its successor's work.
  (a, b) => (b.claim ?? 0) - (a.claim ?? 0),
  (a, b) => statusOrder.indexOf(a.status) - statusOrder.indexOf(b.status),
  (a, b) => (b.judging?.claim ?? 0) - (a.judging?.claim ?? 0),
  (a, b) => compareTimes(a.claimed_at, b.claimed_at),
  (a, b) => compareTimes(a.agent_id ?? a.claimed_by, b.agent_id ?? b.claimed_by),
  (a, b) => verdictOrder.indexOf(a.result.status) - verdictOrder.indexOf(b.result.status),
);

function hasEnded({ status }: TaskHead): boolean {
  return status === 'merged' || status === 'dropped';
}

/**
 * One task that two clones changed: symmetric, and associative over changes of one base. What lost is in the
 * task's history. Without a base the side with more changes is preferred.
 */
export function mergeTaskNotes(base: Task | null, ours: Task, theirs: Task): MergedNote<Task> {
  const sides = makeSidesReader(base, ours, theirs);
  const moreChanges = base === null ? theirs.rev - ours.rev : 0;
  const choose = <Value>(get: (task: Task) => Value, prefer: PreferenceOrder<Value> = combinePreferences()) =>
    mergeValue(sides(get), moreChanges === 0 ? prefer : () => moreChanges);
  const head = choose(pickTaskHead, preferHead);
  const planned = {
    ...Object.fromEntries(listTaskKeysByMerge('planned').map((key) => [key, choose<unknown>((task) => task[key])])),
    priority: choose<unknown>(
      (task) => task.priority,
      (a, b) => Number(a) - Number(b),
    ),
  };
  const lostFields = Object.entries(planned).flatMap(([what, choice]) => lossOf(what, choice, toSortedKeyJson));
  const superseded = [
    ...(head.loser === null ? [] : [supersededHead(head.loser.value, ours.created_at)]),
    ...lostFields.map(({ what, lost }) => supersededField(`${what}: ${lost}`, ours.created_at)),
  ];
  const values: Partial<Task> = Object.fromEntries(Object.entries(planned).map(([key, { value }]) => [key, value]));
  // Without a base what lost to one clone may be what another one wins with: then it isn't lost.
  const current =
    base === null
      ? [
          supersededHead(head.value, ours.created_at),
          ...Object.entries(values).map(([what, value]) =>
            supersededField(`${what}: ${toSortedKeyJson(value)}`, ours.created_at),
          ),
        ]
      : [];
  const history = mergeHistory(
    sides((task) => task.history),
    superseded,
    head.value.agent_id,
  );
  const value = {
    ...ours,
    ...values,
    ...head.value,
    rev: Math.max(ours.rev, theirs.rev),
    ...Object.fromEntries(listTaskKeysByMerge('list').map((key) => [key, mergeTextSets(sides((task) => task[key]))])),
    history: history.filter((entry) => !current.some((wrong) => isDeepEqual(wrong, entry))),
    updated_at: pickLaterIsoTime(ours.updated_at, theirs.updated_at),
  };
  return { value, lost: [...lossOf('status', head, describeTaskHead), ...lostFields] };
}

function lossOf<Value>(what: string, choice: MergeChoice<Value>, describe: (value: Value) => string): LostValue[] {
  return choice.loser === null ? [] : [{ what, kept: describe(choice.value), lost: describe(choice.loser.value) }];
}

const superseded = 'superseded';

/**
 * The attempts of both clones and what lost, each once. Ordered by attempt and time; those of the agent the task is
 * with now come last, since what follows continues them.
 */
function mergeHistory(
  sides: MergeSides<readonly HistoryEntry[]>,
  losers: readonly HistoryEntry[],
  agent: string | null,
): HistoryEntry[] {
  const isCurrent = (entry: HistoryEntry): number =>
    agent !== null && entry.agent_id === agent && entry.result !== superseded ? 1 : 0;
  const order: PreferenceOrder<HistoryEntry> = combinePreferences(
    (a, b) => isCurrent(a) - isCurrent(b),
    (a, b) => a.attempt - b.attempt,
    (a, b) => compareText(a.timestamp, b.timestamp),
  );
  const merged = mergeById(sides, { id: toSortedKeyJson, prefer: order, order });
  if (losers.length === 0) return merged;
  const added = losers.filter((loser) => !merged.some((entry) => isDeepEqual(entry, loser)));
  return [...merged, ...added].sort(order);
}

/** Describes the losing version as an entry of the history; it depends on that alone, so all clones write the same. */
function supersededHead(head: TaskHead, createdAt: string): HistoryEntry {
  const why = head.reason === null ? '' : `: ${head.reason}`;
  return {
    ...supersededField(`${describeTaskHead(head)}${why}`, createdAt),
    attempt: head.retry_count + 1,
    agent_id: head.agent_id,
    timestamp: head.claimed_at ?? createdAt,
  };
}

/** Describes the lost value of one key of the plan in the same way. */
function supersededField(lost: string, createdAt: string): HistoryEntry {
  return {
    ...freeEntry,
    attempt: 0,
    agent_id: null,
    timestamp: createdAt,
    result: superseded,
    notes: boundText(`another clone's change was kept instead of ${lost}`),
  };
}

const headKeys = listTaskKeysByMerge('head');
type HeadOf<One> = One extends Task ? Pick<One, TaskKeysByMerge<'head'>> : never;
/** State of a task, as opposed to its plan. */
type TaskHead = HeadOf<Task>;

export function pickTaskHead(task: Task): TaskHead {
  return Object.fromEntries(headKeys.map((key) => [key, task[key]])) as TaskHead;
}

/** `claimed by worker-1a2b3c4d`, `claimed by Lea <lea@example.com> on laptop/1a2b3c4d`, `done at 1234abcd by worker-1a2b3c4d`. */
export function describeTaskHead({ status, agent_id, claimed_by, claimed_host, commit, result }: TaskHead): string {
  // One person can have claimed it in two clones.
  const place = claimed_host === null ? '' : ` on ${claimed_host}`;
  const who = agent_id ?? (claimed_by === null ? null : claimed_by + place);
  const verdict = result.status === null ? '' : ` (${result.status})`;
  return `${status}${verdict}${commit === null ? '' : ` at ${commit}`}${who === null ? '' : ` by ${who}`}`;
}
