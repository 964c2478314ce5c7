import { join } from 'node:path';
import { parseSessionId, type SessionId } from '../../lib/domain/ids.ts';
import type { Snapshot, Store } from '../../lib/domain/ports/store-port.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import { openStore } from '../../lib/store/open-store.ts';
import type { SyncOptions } from '../../lib/store/sync/sync-options.ts';
import { type SyncResult, syncState } from '../../lib/store/sync/sync-state.ts';
import { makeRepo, makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { alterTask, type TaskFields } from '../support/tasks.ts';
import { createTasks, sampleSession, sampleSessionId, sampleTask } from './sample.ts';

export interface Clones {
  readonly remote: TestRepo;
  readonly clones: readonly [TestRepo, TestRepo, TestRepo];
}

/** A bare repository and three clones of it, the first of which has shared a session with some tasks. */
export async function makeClones(taskIds: readonly string[]): Promise<Clones> {
  const seed = makeRepo();
  const folder = makeTempDir('flame-clones');
  seed.git('clone', '-q', '--bare', seed.path, join(folder, 'remote.git'));
  const remote = openRepo(join(folder, 'remote.git'));
  const clone = (name: string): TestRepo => addClone(remote, join(folder, name));
  const clones = [clone('a'), clone('b'), clone('c')] as const;
  if (taskIds.length > 0) {
    await inStore(clones[0], async (store) => {
      await store.transact(() => ({
        actor: 'a',
        changes: [{ subject: 'session started', session: sampleSession() }],
      }));
      await createTasks(
        store,
        taskIds.map((id) => sampleTask(id)),
      );
    });
    for (const repo of clones) await sync(repo);
  }
  return { remote, clones };
}

export function addClone(remote: TestRepo, path: string, ...options: readonly string[]): TestRepo {
  remote.git('clone', '-q', ...options, `file://${remote.path}`, path);
  const repo = openRepo(path);
  repo.git('config', 'gc.auto', '0');
  return repo;
}

export function sync(
  repo: TestRepo,
  options: Pick<Partial<SyncOptions>, 'isDry' | 'passesDamage' | 'keepsMine' | 'settle'> = {},
): Promise<SyncResult> {
  return syncState({
    context: { cwd: repo.path, env: repo.env },
    commonDir: commonDirOf(repo),
    objectFormat: 'sha1',
    remote: 'origin',
    isDry: false,
    ...options,
  });
}

export function commonDirOf(repo: TestRepo): string {
  return repo.git('rev-parse', '--path-format=absolute', '--git-common-dir');
}

/** Works on a clone's state. Each clone has a clock of its own. */
export async function inStore<Result>(
  repo: TestRepo,
  work: (store: Store) => Promise<Result>,
  now: () => Date = () => new Date('2026-03-01T08:00:00Z'),
): Promise<Result> {
  const store = await openStore({
    context: { cwd: repo.path, env: repo.env },
    commonDir: commonDirOf(repo),
    objectFormat: 'sha1',
    now,
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export function change(repo: TestRepo, id: string, patch: Partial<TaskFields>): Promise<void> {
  return inStore(repo, async (store) => {
    await store.transact((snapshot) => ({
      actor: 'a',
      changes: [{ subject: `${id} changed`, tasks: [alterTask(taskOf(snapshot, id), patch)] }],
    }));
  });
}

export function taskIn(repo: TestRepo, id: string): Promise<Task> {
  return inStore(repo, async (store) => taskOf(await store.snapshot(), id));
}

export function taskOf(snapshot: Snapshot, id: string, session: SessionId = sampleSessionId): Task {
  const task = snapshot.tasksOf(session).find((one) => one.id === id);
  if (task === undefined) throw new Error(`there is no ${id}`);
  return task;
}

/** Where the state refs stand: commits, and the trees below them. */
export function stateOf(repo: TestRepo): string {
  return repo.git('for-each-ref', '--format=%(refname) %(objectname) %(tree)', 'refs/blueflame/');
}

export const otherSession = parseSessionId('ses-20260301-080000-00ff');
