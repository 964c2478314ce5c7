import { join } from 'node:path';
import { parseObjectId, parseTaskId, type SessionId } from '../../lib/domain/ids.ts';
import type { Store } from '../../lib/domain/ports/store-port.ts';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import type { ReviewNote, Verdict } from '../../lib/domain/state/verdict.ts';
import { openStore } from '../../lib/store/open-store.ts';
import type { TestRepo } from '../support/repo.ts';
import { alterTask, makeTask, testSession, testTime } from '../support/tasks.ts';

export const sampleSessionId = testSession;
export const sampleTask = makeTask;
const sampleCommit = parseObjectId('1'.repeat(40));
const at = testTime;

export function sampleSession(id: SessionId = sampleSessionId, change: Partial<Session> = {}): Session {
  return {
    v: 1,
    rev: 1,
    id,
    objective: 'Add a greeting',
    base_branch: 'main',
    base_commit: sampleCommit,
    config_digest: 'none',
    cycle: 1,
    wave: 'work',
    state: 'active',
    replans: 0,
    proposal: null,
    replan_notes: null,
    created_by: 'Lea Lead <lea@example.com>',
    created_at: at,
    updated_at: at,
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
    ...change,
  };
}

export function sampleVerdict(commit: string, change: Partial<Verdict> = {}): Verdict {
  return {
    session: sampleSessionId,
    task: parseTaskId('task-001'),
    commit: parseObjectId(commit),
    base: sampleCommit,
    tree: sampleCommit,
    status: 'pass',
    notes: 'does what it should',
    issues: [],
    diagnostics: [],
    by: 'validator-1a2b3c4d',
    at,
    cost_usd: 0.01,
    tokens: 100,
    ...change,
  };
}

export function sampleReview(commit: string): ReviewNote {
  return {
    v: 1,
    rev: 1,
    session: sampleSessionId,
    group: 'main',
    tasks: [{ id: 'task-001', title: 'Do task-001', commit: parseObjectId(commit), verdict: 'pass' }],
    decision: 'approved',
    by: 'Lea Lead <lea@example.com>',
    at,
    base: sampleCommit,
    approved_commit: parseObjectId(commit),
    override: null,
    cost_usd: 0.5,
    tokens: 1_000,
  };
}

const opened: Store[] = [];

export async function openTestStore(
  repo: TestRepo,
  options: { readonly objectFormat?: 'sha1' | 'sha256'; readonly cwd?: string } = {},
): Promise<Store> {
  const store = await openStore({
    context: { cwd: options.cwd ?? repo.path, env: repo.env },
    commonDir: join(repo.path, '.git'),
    objectFormat: options.objectFormat ?? 'sha1',
  });
  opened.push(store);
  return store;
}

/** For `test.after`: a store that a failed test left open would keep the process alive. */
export async function closeTestStores(): Promise<void> {
  await Promise.all(opened.map((store) => store.close()));
}

/** Creates tasks in one change. */
export async function createTasks(store: Store, tasks: readonly Task[]): Promise<void> {
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [{ subject: `${tasks.length} tasks planned`, tasks }],
  }));
}

/** Sets one task to a status, as the engine would. */
export async function setStatus(store: Store, id: string, status: Task['status']): Promise<void> {
  await store.transact((snapshot) => {
    const task = snapshot.tasksOf(sampleSessionId).find((one) => one.id === id);
    if (task === undefined) return null;
    return {
      actor: 'worker-1a2b3c4d',
      changes: [
        {
          subject: `${id}: ${task.status} -> ${status}`,
          transition: `${task.status} -> ${status}`,
          tasks: [alterTask(task, { status })],
        },
      ],
    };
  });
}
