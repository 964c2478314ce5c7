import type { Failure } from '../../lib/domain/failure.ts';
import { type ObjectId, parseObjectId, parseSessionId, parseTaskId } from '../../lib/domain/ids.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import type { Verdict } from '../../lib/domain/state/verdict.ts';

export const testSession = parseSessionId('ses-20260206-143022-1a2b');
export const testTime = '2026-02-06T14:30:22.000Z';

/** A whole pending task with what a test cares about set. */
export function makeTask(
  id: string,
  fields: Partial<Omit<TaskFields, 'id' | 'dependencies'>> & {
    readonly dependencies?: readonly string[];
  } = {},
): Task {
  const { dependencies = [], ...rest } = fields;
  return fitTask({
    v: 1,
    rev: 1,
    id: parseTaskId(id),
    session: testSession,
    title: `Title of ${id}`,
    description: `What ${id} is about.`,
    status: 'pending',
    role: 'worker',
    agent_id: null,
    priority: 5,
    cohesion_group: 'main',
    dependencies: dependencies.map(parseTaskId),
    file_locks: [`src/${id}.ts`],
    worktree: null,
    branch: null,
    commit: null,
    start_commit: null,
    retry_count: 0,
    not_before: null,
    result: { status: null, notes: '', issues: [] },
    history: [],
    model: null,
    adapter: null,
    acceptance_criteria: [],
    constraints: [],
    reason: null,
    created_by: 'planner-00000001',
    claimed_by: null,
    claimed_host: null,
    created_at: testTime,
    updated_at: testTime,
    claimed_at: null,
    ...rest,
  });
}

/** The keys of a task, whatever its status. */
export type TaskFields = Pick<Task, keyof Task>;

/** A task with some of its keys changed, and what its status then asks for. */
export function alterTask(task: Task, changes: Partial<TaskFields>): Task {
  return fitTask({ ...task, ...changes });
}

/** The task with what its status asks for where the fields don't say it, and without what the status rules out. */
export function fitTask(fields: TaskFields): Task {
  const { status } = fields;
  switch (status) {
    case 'pending':
      return { ...fields, ...unclaimed, status };
    case 'claimed':
      return {
        ...fields,
        status,
        commit: null,
        claimed_by: fields.claimed_by ?? 'Lea Lead <lea@example.com>',
        claimed_at: fields.claimed_at ?? testTime,
      };
    case 'done':
    case 'merged':
      return {
        ...fields,
        branch: fields.branch ?? `blueflame/${fields.session}/${fields.id}`,
        commit: fields.commit ?? makeOid(fields.id),
        start_commit: fields.start_commit ?? makeOid('base'),
      } as Task;
    default:
      return fields as Task;
  }
}

const unclaimed = {
  agent_id: null,
  worktree: null,
  commit: null,
  start_commit: null,
  claimed_by: null,
  claimed_at: null,
};

/** A done task whose verdict is pass. */
export function makePassed(id: string, fields: Parameters<typeof makeTask>[1] = {}): Task {
  return makeTask(id, {
    status: 'done',
    commit: makeOid(id),
    result: { status: 'pass', notes: '', issues: [] },
    ...fields,
  });
}

/** An object name that depends on the text alone. */
export function makeOid(text: string): ObjectId {
  const hex = [...text].map((character) => (character.codePointAt(0) ?? 0).toString(16).slice(-2)).join('');
  return parseObjectId(hex.padStart(40, '0').slice(-40));
}

export function makeFailure(fields: Partial<Failure> = {}): Failure {
  return {
    kind: 'agent-crashed',
    message: 'The agent ended with exit code 1.',
    details: [],
    retryable: true,
    ...fields,
  };
}

export function makeVerdict(task: Task, status: 'pass' | 'fail', fields: Partial<Verdict> = {}): Verdict {
  const commit = task.commit ?? makeOid(task.id);
  return {
    session: task.session,
    task: task.id,
    commit,
    base: makeOid('base'),
    tree: makeOid('tree'),
    status,
    notes: `judged ${status}`,
    issues: [],
    diagnostics: [],
    by: 'validator-0a0b0c0d',
    at: testTime,
    cost_usd: 0,
    tokens: 0,
    ...fields,
  };
}
