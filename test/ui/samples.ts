import type { ObjectId, SessionId, TaskId } from '../../lib/domain/ids.ts';
import type { ChangesetQuestion } from '../../lib/domain/ports/changeset-question.ts';
import type { PlanQuestion, SessionQuestion } from '../../lib/domain/ports/gates.ts';
import type { Changeset } from '../../lib/domain/state/changeset.ts';
import type { Plan, PlannedTask } from '../../lib/domain/state/plan-schema.ts';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import type { Verdict } from '../../lib/domain/state/verdict.ts';
import type { TaskStory } from '../../lib/domain/view-models/task-story.ts';
import { createStyle, type Style } from '../../lib/ui/text/style.ts';
import { makeFakeIo } from '../support/fake-io.ts';
import { fitTask, type TaskFields } from '../support/tasks.ts';

export const at = '2026-02-06T14:30:22.000Z';
export const commitA = 'a'.repeat(40) as ObjectId;
export const commitB = 'b'.repeat(40) as ObjectId;
const sessionId = 'ses-20260206-143022-1a2b' as SessionId;

/** Text a model might send: it clears the screen, colours, rings, reorders and hides. */
export const hostile = 'Add\u001b[2J\u001b]0;x\u0007 \u202elogin\u200b\u009b1m\r\nrm -rf';

export function taskId(id: string): TaskId {
  return id as TaskId;
}

export function sampleTask(changes: Partial<TaskFields> = {}): Task {
  return fitTask({
    v: 1,
    rev: 1,
    id: taskId('task-001'),
    session: sessionId,
    title: 'Add password hashing',
    description: 'Hash every password with scrypt.',
    status: 'pending',
    role: 'worker',
    agent_id: null,
    priority: 1,
    cohesion_group: 'auth',
    dependencies: [],
    file_locks: ['src/auth/'],
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
    created_by: 'Lea Lead <lea@example.com>',
    claimed_by: null,
    claimed_host: null,
    created_at: at,
    updated_at: at,
    claimed_at: null,
    ...changes,
  });
}

export function sampleStory(changes: Partial<TaskStory> = {}): TaskStory {
  return {
    task: sampleTask(),
    verdicts: [],
    verifications: [],
    doubts: [],
    notes: [],
    waits_for: [],
    runs: [],
    times: [],
    calls: [],
    work: null,
    worktrees: [],
    uncounted: [],
    uncounted_verdicts: [],
    rescues: [],
    changesets: [],
    next: ['git flame work'],
    ...changes,
  };
}

export function sampleVerdict(changes: Partial<Verdict> = {}): Verdict {
  return {
    session: sessionId,
    task: taskId('task-001'),
    commit: commitA,
    base: commitB,
    tree: commitB,
    status: 'fail',
    notes: 'The salt is constant.',
    issues: ['src/auth/hash.ts uses one salt for all'],
    diagnostics: [],
    by: 'validator-1a2b3c4d',
    at,
    cost_usd: 0.02,
    tokens: 400,
    ...changes,
  };
}

export function sampleSession(changes: Partial<Session> = {}): Session {
  return {
    v: 1,
    rev: 3,
    id: sessionId,
    objective: 'Add login with a password',
    base_branch: 'main',
    base_commit: commitB,
    config_digest: 'x',
    cycle: 1,
    wave: 'review',
    state: 'active',
    replans: 0,
    proposal: null,
    replan_notes: null,
    created_by: 'Lea Lead <lea@example.com>',
    created_at: at,
    updated_at: at,
    estimate: { base_usd: 2, with_retries_usd: 6 },
    cost_usd: 2.14,
    tokens: 12_450,
    spend: { worker: { runs: 2, cost_usd: 2, tokens: 12_000 } },
    raised_limit: null,
    agents: [],
    changesets: [],
    gates: [],
    checkout: null,
    pauses: [],
    ...changes,
  };
}

export function sampleChangeset(changes: Partial<Changeset> = {}): Changeset {
  return {
    id: '1-auth',
    group: 'auth',
    tasks: [taskId('task-001'), taskId('task-002')],
    works: [],
    missing: [],
    depends_on: [],
    state: 'waiting',
    base: commitB,
    parent: commitB,
    commit: commitA,
    diffstat: { files: 16, insertions: 520, deletions: 12 },
    diagnostics: [],
    reason: null,
    decided_by: null,
    landed_commit: null,
    ...changes,
  };
}

export const redRun = {
  command: 'npm test',
  exit_code: 1,
  timed_out: false,
  duration_ms: 3_200,
  output: 'one\n1 test failed\n',
};

export function sampleChangesetQuestion(
  changes: Partial<Changeset> = {},
  diff = 'diff --git a/x b/x\n@@ -1 +1 @@\n-old\r\n+new\u202e\n',
): ChangesetQuestion {
  return {
    changeset: sampleChangeset(changes),
    position: 1,
    total: 3,
    tasks: [
      sampleTask({ status: 'done', commit: commitA }),
      sampleTask({ id: taskId('task-002'), title: 'Add login form', status: 'done', commit: commitB }),
    ],
    verdicts: [sampleVerdict({ status: 'pass', notes: '', issues: [] })],
    session: sampleSession(),
    showDiff: async () => diff,
    decideOther: async () => undefined,
  };
}

export function samplePlannedTask(changes: Partial<PlannedTask> = {}): PlannedTask {
  return {
    id: taskId('task-001'),
    title: 'Add password hashing',
    description: 'Hash every password with scrypt.',
    priority: 1,
    cohesion_group: 'auth',
    dependencies: [],
    file_locks: ['src/auth/'],
    acceptance_criteria: [],
    constraints: [],
    model: null,
    adapter: null,
    ...changes,
  };
}

export const samplePlan: Plan = {
  tasks: [
    samplePlannedTask(),
    samplePlannedTask({
      id: taskId('task-002'),
      title: 'Add login form',
      priority: 2,
      dependencies: [taskId('task-001')],
      file_locks: [],
      model: 'opus',
    }),
    samplePlannedTask({
      id: taskId('task-003'),
      title: 'Describe the API',
      cohesion_group: 'docs',
      file_locks: ['docs/', '*.md'],
    }),
  ],
};

export function samplePlanQuestion(changes: Partial<PlanQuestion> = {}): PlanQuestion {
  return {
    objective: 'Add login with a password',
    plan: samplePlan,
    waves: [['task-001', 'task-003'], ['task-002']],
    estimate: { base_usd: 2.1, with_retries_usd: 6.3 },
    problems: [],
    replansLeft: 3,
    ...changes,
  };
}

export function sampleSessionQuestion(changes: Partial<SessionQuestion> = {}): SessionQuestion {
  return {
    session: sampleSession(),
    tasks: [],
    summary: { approved: 1, requeued: 2, blocked: 0, open: 3, failed: 0 },
    cyclesLeft: 4,
    ...changes,
  };
}

/** No colour; not wrapped unless a width is given. */
export function plainStyle(columns?: number): Style {
  const { io } = makeFakeIo(columns === undefined ? {} : { isTTY: true, columns });
  return createStyle(io.stdout, io.env, { color: false, plain: false });
}

/** Fails on anything a terminal would act on or hide. */
export function isHarmless(text: string): boolean {
  return !/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(text);
}

export function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}
