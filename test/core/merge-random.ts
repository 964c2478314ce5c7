import { addAgentRunCost } from '../../lib/core/schedule/budget-state.ts';
import { parseSessionId } from '../../lib/domain/ids.ts';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import { taskStatuses } from '../../lib/domain/state/task-facts.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import type { Random } from '../support/random.ts';
import { alterTask, makeOid, makeTask, testTime } from '../support/tasks.ts';

const wanted = ['title', 'priority', 'model', 'description', 'constraints'] as const;

/** A later time of the same day; few different ones, so that some are equal. */
export function someTime(random: Random): string {
  return testTime.replace('14:30', `15:${String(random.int(10, 40))}`);
}

/** The task after a few changes by one clone. */
export function changeTask(random: Random, task: Task): Task {
  let changed = task;
  for (let count = random.int(0, 3); count > 0; count -= 1) {
    changed = { ...changeOnce(random, changed), rev: changed.rev + 1, updated_at: someTime(random) };
  }
  return changed;
}

function changeOnce(random: Random, task: Task): Task {
  if (random.chance(0.4)) return editPlan(random, task);
  const agent = `worker-0000000${random.int(1, 6)}`;
  const [status = 'pending'] = random.shuffle(taskStatuses);
  const claimedAt = random.chance(0.2) ? null : someTime(random);
  const claim = (task.claim ?? 0) + random.int(0, 2);
  const undone = (task.undone ?? 0) + (random.chance(0.2) ? 1 : 0);
  return alterTask(task, {
    status,
    ...(claim === 0 ? {} : { claim }),
    ...(undone === 0 ? {} : { undone }),
    agent_id: claimedAt === null ? null : (agent as Task['agent_id']),
    claimed_at: claimedAt,
    commit: status === 'done' || status === 'merged' ? makeOid(`${agent}${random.int(1, 3)}`) : null,
    retry_count: random.int(0, 2),
    result: { status: random.pick([null, 'pass', 'fail']), notes: '', issues: [] },
    reason: random.chance(0.3) ? `reason ${random.int(1, 3)}` : null,
    history: random.chance(0.5)
      ? task.history
      : [
          ...task.history,
          {
            attempt: random.int(1, 3),
            agent_id: agent,
            timestamp: someTime(random),
            result: random.pick(['done', 'failed']),
            notes: `note ${random.int(1, 9)}`,
            rejection_reason: null,
            cost_usd: random.int(1, 1_000) / 1e6,
            tokens_used: random.int(1, 100),
          },
        ],
  });
}

function editPlan(random: Random, task: Task): Task {
  const text = `text ${random.int(1, 5)}`;
  switch (random.pick(wanted)) {
    case 'title':
      return { ...task, title: text };
    case 'priority':
      return { ...task, priority: random.int(1, 9) };
    case 'model':
      return { ...task, model: random.chance(0.3) ? null : text };
    case 'description':
      return { ...task, description: text };
    case 'constraints':
      return {
        ...task,
        constraints: [...new Set([...task.constraints.filter(() => random.chance(0.7)), text])].sort(),
      };
  }
}

/** A task with a past. */
export function someTask(random: Random): Task {
  return changeTask(random, makeTask('task-001', { constraints: ['text 1', 'text 9'] }));
}

export const emptySession: Session = {
  v: 1,
  rev: 1,
  id: parseSessionId('ses-20260206-143022-1a2b'),
  objective: 'Add a greeting',
  base_branch: 'main',
  base_commit: makeOid('base'),
  config_digest: 'none',
  cycle: 0,
  wave: 'plan',
  state: 'active',
  replans: 0,
  proposal: null,
  replan_notes: null,
  created_by: 'Lea Lead <lea@example.com>',
  created_at: testTime,
  updated_at: testTime,
  estimate: null,
  cost_usd: 0,
  tokens: 0,
  spend: {},
  raised_limit: null,
  agents: [],
  changesets: [],
  gates: [],
  checkout: null,
  pauses: [],
};

/** The session after a few changes by one clone, whose runs have ids of their own. */
export function changeSession(random: Random, session: Session, clone: string): Session {
  let changed = session;
  for (let count = random.int(0, 4); count > 0; count -= 1) {
    changed = {
      ...changeSessionOnce(random, changed, clone),
      rev: changed.rev + 1,
      updated_at: someTime(random),
    };
  }
  return changed;
}

function changeSessionOnce(random: Random, session: Session, clone: string): Session {
  const at = someTime(random);
  switch (random.pick(['run', 'run', 'course', 'gate', 'limit', 'changeset'])) {
    case 'run':
      return addAgentRunCost(session, {
        id: `worker-${clone}-${session.rev}`,
        role: random.pick(['worker', 'validator', 'planner']),
        task_id: 'task-001',
        model: null,
        started_at: at,
        ended_at: at,
        outcome: 'done',
        cost_usd: random.int(1, 1_000_000) / 1e6,
        tokens: random.int(1, 1_000),
      });
    case 'course':
      return {
        ...session,
        cycle: random.int(0, 2),
        wave: random.pick(['plan', 'work', 'merge', 'done']),
        state: random.pick(['active', 'stopped', 'ended']),
      };
    case 'gate':
      return { ...session, gates: [...session.gates, { gate: 'plan', decision: 'approve', by: clone, at }] };
    case 'limit':
      return { ...session, raised_limit: random.int(1, 5) };
    default: {
      const id = `1-group${random.int(1, 4)}`;
      const others = session.changesets.filter((known) => known.id !== id);
      return {
        ...session,
        changesets: [...others, makeChangeset(random, id, clone)].sort((a, b) => (a.id < b.id ? -1 : 1)),
      };
    }
  }
}

function makeChangeset(random: Random, id: string, clone: string): Session['changesets'][number] {
  return {
    id,
    group: id.slice(2),
    tasks: [],
    works: [],
    missing: [],
    depends_on: [],
    state: random.pick(['waiting', 'approved', 'landed', 'rejected', 'void']),
    base: makeOid('base'),
    parent: makeOid('base'),
    commit: makeOid(clone),
    diffstat: { files: 1, insertions: 1, deletions: 0 },
    diagnostics: [],
    reason: null,
    decided_by: null,
    landed_commit: null,
  };
}
