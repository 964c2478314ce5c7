import type { PlannedTask } from '../../domain/state/plan-schema.ts';
import { type PlannedTaskKey, plannedTaskKeys } from '../../domain/state/task-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { shortId } from '../../util/short-names.ts';

/** Rules for a key of a task's note; a key that is added there has its row here. */
interface KeyRow<Value> {
  /**
   * How two clones' versions become one. The `head` moves as one: the status of one clone with the commit of another
   * would be no task at all. `planned` values win one by one, a `list` holds what either added, `same` never differs.
   */
  readonly merge: 'same' | 'planned' | 'list' | 'head' | 'own rule';
  /** The decision that it is part of where it is set: what the task asks for, or how it stands. */
  readonly decides?: 'task' | 'standing';
  /** Its name and its text in a list of what another clone changed. */
  readonly named?: string;
  readonly text?: (value: Value) => string;
}

const rows = {
  v: { merge: 'same' },
  id: { merge: 'same' },
  session: { merge: 'same' },
  title: { merge: 'planned' },
  description: { merge: 'planned' },
  role: { merge: 'planned' },
  cohesion_group: { merge: 'planned' },
  model: { merge: 'planned' },
  adapter: { merge: 'planned' },
  attempts: { merge: 'planned' },
  created_by: { merge: 'planned' },
  created_at: { merge: 'planned' },
  locks_at: { merge: 'planned' },
  priority: { merge: 'planned' },
  dependencies: { merge: 'list' },
  file_locks: { merge: 'list' },
  acceptance_criteria: { merge: 'list' },
  constraints: { merge: 'list' },
  status: { merge: 'head' },
  agent_id: { merge: 'head' },
  undone: { merge: 'head', decides: 'standing', named: 'landings taken back' },
  landed_as: { merge: 'head', decides: 'standing', named: 'landed as', text: shortId },
  kept: {
    merge: 'head',
    decides: 'task',
    named: 'kept',
    text: ({ commit, start }) => `${shortId(commit)} on ${shortId(start)}`,
  },
  worktree: { merge: 'head', named: 'worktree' },
  branch: { merge: 'head', named: 'branch' },
  commit: { merge: 'head' },
  start_commit: { merge: 'head' },
  built_on: { merge: 'head', decides: 'standing' },
  retry_count: { merge: 'head', named: 'retries' },
  not_before: { merge: 'head' },
  result: { merge: 'head' },
  reason: { merge: 'head', named: 'reason' },
  claimed_by: { merge: 'head' },
  claimed_host: { merge: 'head' },
  claimed_at: { merge: 'head' },
  claim: { merge: 'head' },
  judging: { merge: 'head' },
  tries: { merge: 'head', decides: 'standing' },
  reasons: { merge: 'head' },
  takes_back: {
    merge: 'planned',
    decides: 'task',
    named: 'takes back',
    text: ({ changeset, follow, notes }) => `${changeset}, ${follow}: ${notes}`,
  },
  // Origin of its texts: without it they would pass for a script of the person.
  source: { merge: 'planned', decides: 'task' },
  rev: { merge: 'own rule' },
  history: { merge: 'own rule' },
  updated_at: { merge: 'own rule' },
} as const satisfies { readonly [Key in keyof Task]-?: KeyRow<NonNullable<Task[Key]>> };

type Rows = typeof rows;
export type TaskKeysByMerge<Merge extends KeyRow<unknown>['merge']> = {
  [Key in keyof Task]-?: Rows[Key]['merge'] extends Merge ? Key : never;
}[keyof Task];

const all = Object.entries(rows) as readonly [keyof Task, KeyRow<never>][];

/** The keys that are merged in one way, in the order they stand in here. */
export function listTaskKeysByMerge<Merge extends KeyRow<unknown>['merge']>(
  merge: Merge,
): readonly TaskKeysByMerge<Merge>[] {
  return all.filter(([, row]) => row.merge === merge).map(([key]) => key as TaskKeysByMerge<Merge>);
}

const decided = {
  task: all.filter(([, row]) => row.decides === 'task').map(([key]) => key),
  standing: all.filter(([, row]) => row.decides === 'standing').map(([key]) => key),
};

/** The keys that are part of a decision, with what is set of them. */
export function pickDecidedKeys(task: Task, decision: 'task' | 'standing'): Readonly<Record<string, unknown>> {
  return Object.fromEntries(decided[decision].map((key) => [key, task[key]]));
}

/** Values of the keys that have a name for people, by that name; null: not set. */
export function renderNamedKeys(task: Task): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    all.flatMap(([key, { named, text = String as (value: unknown) => string }]) => {
      const value = task[key] as never;
      return named === undefined ? [] : [[named, value === undefined || value === null ? null : text(value)]];
    }),
  );
}

/** Planned parts of a task, which a person may change while no agent works on it. */
export type TaskPlan = PlannedTask;

export function pickTaskPlan(task: Task): TaskPlan {
  const { id } = task;
  const plan: Partial<Record<PlannedTaskKey, unknown>> = {};
  for (const key of plannedTaskKeys) plan[key] = task[key];
  return { id, ...(plan as Pick<Task, PlannedTaskKey>) };
}

/** The keys in which two plans of a task differ. */
export function listChangedPlanKeys(before: TaskPlan, after: TaskPlan): readonly PlannedTaskKey[] {
  return plannedTaskKeys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

/**
 * Applies the changes a person made to a task since `before`; other changes made meanwhile stay. `clashes`: keys that
 * another person or process changed differently at the same time.
 */
export function applyTaskEdit(
  task: Task,
  before: TaskPlan,
  after: TaskPlan,
): {
  readonly task: Task;
  readonly changed: readonly PlannedTaskKey[];
  readonly clashes: readonly PlannedTaskKey[];
} {
  const wanted = listChangedPlanKeys(before, after);
  const now = pickTaskPlan(task);
  const others = listChangedPlanKeys(before, now);
  const changed = wanted.filter((key) => JSON.stringify(now[key]) !== JSON.stringify(after[key]));
  const patch = Object.fromEntries(changed.map((key) => [key, after[key]]));
  // Attempts made for other texts don't count for these.
  const reset = changed.length === 0 ? {} : Object.fromEntries([['tries', undefined]]);
  return {
    task: { ...task, ...patch, ...reset },
    changed,
    clashes: changed.filter((key) => others.includes(key)),
  };
}
