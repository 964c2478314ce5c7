import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId, parseSessionId } from '../../lib/domain/ids.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import {
  closeTestStores,
  createTasks,
  openTestStore,
  sampleSession,
  sampleSessionId,
  sampleTask,
  sampleVerdict,
  setStatus,
} from './sample.ts';

const ref = 'refs/blueflame/tasks';
const other = parseSessionId('ses-20260207-000000-0001');

test('who looks at one session finds it whole, and reads no task of another', async () => {
  const repo = await makeTwoSessions();
  // Whoever read it would tell of it.
  writeNote(repo, `blueflame task ${other}/task-001\n`, 'no JSON');
  const store = await openTestStore(repo);
  const look = await store.readOneSession(() => sampleSessionId);
  assert.equal(look.sessions.map(({ id }) => id).sort(), [sampleSessionId, other].sort());
  assert.equal(
    look.tasksOf(sampleSessionId).map(({ id }) => id),
    ['task-001', 'task-002'],
  );
  const commit = parseObjectId(repo.git('rev-parse', 'HEAD'));
  assert.is(look.verdictsOn(commit).length, 1);
  assert.equal(look.problems, []);
  assert.is((await store.readOneSession(() => other)).problems.length, 1);
  assert.equal((await store.readOneSession(() => null)).tasksOf(other), []);
  // What was read whole serves as well.
  assert.is((await store.snapshot()).problems.length, 1);
  assert.is((await store.readOneSession(() => sampleSessionId)).problems.length, 1);
  await store.close();
});

test('a task that is linked nowhere, and damage that the trees show, are seen by who looks at one session', async () => {
  const repo = await makeTwoSessions();
  const anchors = repo.git('ls-tree', '-r', ref, 'anchors/').split('\n');
  const mine = anchors.find((row) => row.includes(`${sampleSessionId}/task-002`)) ?? '';
  const gone = keyOf(repo, `blueflame task ${other}/task-001\n`);
  editTree(repo, (index) => {
    index('rm', '--cached', '-q', mine.split('\t')[1] ?? '');
    index('rm', '--cached', '-q', `${gone.slice(0, 2)}/${gone.slice(2)}`);
  });
  const store = await openTestStore(repo);
  const look = await store.readOneSession(() => sampleSessionId);
  assert.equal(
    look.tasksOf(sampleSessionId).map(({ id }) => id),
    ['task-001', 'task-002'],
  );
  assert.equal(
    look.problems.map(({ message }) => message),
    [`is the anchor of ${other}/task-001, whose note is missing`],
  );
  await store.close();
});

test('the log ends where enough is found, also where a message only looks like the one meant', async () => {
  const repo = await makeTwoSessions();
  const store = await openTestStore(repo);
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [{ subject: 'more', body: `Session: ${sampleSessionId}`, session: sampleSession(other) }],
  }));
  const all = await store.log({ session: sampleSessionId });
  assert.ok(all.length > 2);
  assert.equal(await store.log({ session: sampleSessionId, limit: 2 }), all.slice(0, 2));
  assert.equal(await store.log({ session: sampleSessionId, limit: 500 }), all);
  await store.close();
});

async function makeTwoSessions(): Promise<TestRepo> {
  const repo = makeRepo();
  const commit = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const store = await openTestStore(repo);
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [
      { subject: 'session: started', session: sampleSession() },
      { subject: 'session: started', session: sampleSession(other) },
    ],
  }));
  await createTasks(store, [
    sampleTask('task-001', { status: 'done', branch: 'b', commit, start_commit: commit }),
    sampleTask('task-002'),
    sampleTask('task-001', { session: other }),
  ]);
  await setStatus(store, 'task-002', 'claimed');
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [{ subject: 'task-001: passed', verdict: sampleVerdict(commit) }],
  }));
  await store.close();
  return repo;
}

function keyOf(repo: TestRepo, anchor: string): string {
  repo.write('.git/anchor', anchor);
  return repo.git('hash-object', '.git/anchor');
}

function writeNote(repo: TestRepo, anchor: string, text: string): void {
  const key = keyOf(repo, anchor);
  repo.write('.git/note', text);
  const blob = repo.git('hash-object', '-w', '.git/note');
  editTree(repo, (index) =>
    index('update-index', '--add', '--cacheinfo', `100644,${blob},${key.slice(0, 2)}/${key.slice(2)}`),
  );
}

/** The tip's tree as an index of its own, changed and committed. */
function editTree(repo: TestRepo, change: (index: (...args: string[]) => string) => void): void {
  const index = (...args: string[]): string => repo.git('-c', 'core.bare=false', `--work-tree=${repo.path}`, ...args);
  index('read-tree', ref);
  change(index);
  const tree = index('write-tree');
  repo.git('update-ref', ref, repo.git('commit-tree', tree, '-p', ref, '-m', 'by hand'));
  index('read-tree', 'HEAD');
}

test.after(closeTestStores);
test.run();
