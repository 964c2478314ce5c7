import type { Task } from '../../domain/state/task.ts';

/**
 * How two clones' versions of a task become one, key by key: the `head` moves as one, since the status of one clone with
 * the commit of another would be no task at all; `planned` values win one by one; a `list` holds what either added.
 */
const parts = {
  v: 'same',
  id: 'same',
  session: 'same',
  title: 'planned',
  description: 'planned',
  role: 'planned',
  cohesion_group: 'planned',
  model: 'planned',
  adapter: 'planned',
  attempts: 'planned',
  created_by: 'planned',
  created_at: 'planned',
  locks_at: 'planned',
  priority: 'planned',
  dependencies: 'list',
  file_locks: 'list',
  acceptance_criteria: 'list',
  constraints: 'list',
  status: 'head',
  agent_id: 'head',
  worktree: 'head',
  branch: 'head',
  commit: 'head',
  start_commit: 'head',
  kept: 'head',
  built_on: 'head',
  retry_count: 'head',
  not_before: 'head',
  result: 'head',
  reason: 'head',
  claimed_by: 'head',
  claimed_host: 'head',
  claimed_at: 'head',
  claim: 'head',
  judging: 'head',
  tries: 'head',
  undone: 'head',
  landed_as: 'head',
  takes_back: 'planned',
  source: 'planned',
  rev: 'own rule',
  history: 'own rule',
  updated_at: 'own rule',
} as const satisfies Record<keyof Task, 'same' | 'planned' | 'list' | 'head' | 'own rule'>;

type Part = (typeof parts)[keyof Task];
export type KeyOf<Wanted extends Part> = {
  [Key in keyof Task]-?: (typeof parts)[Key] extends Wanted ? Key : never;
}[keyof Task];

/** The keys of a part, in the order they stand in here. */
export function keysOf<Wanted extends Part>(wanted: Wanted): readonly KeyOf<Wanted>[] {
  const keys = Object.keys(parts) as (keyof Task)[];
  return keys.filter((key): key is KeyOf<Wanted> => parts[key] === wanted);
}
