import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { parseObjectId, parseSessionId } from '../../lib/domain/ids.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { makeRepo } from '../support/repo.ts';
import {
  closeTestStores,
  createTasks,
  openTestStore,
  sampleReview,
  sampleSession,
  sampleSessionId,
  sampleTask,
  sampleVerdict,
  setStatus,
} from './sample.ts';

test('without any state the snapshot is empty and no ref is made', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  const snapshot = await store.snapshot();
  assert.equal(snapshot.sessions, []);
  assert.is(snapshot.current, null);
  assert.equal(snapshot.tasksOf(sampleSessionId), []);
  assert.equal(snapshot.problems, []);
  assert.equal(await store.log({}), []);
  assert.is((await store.transact(() => null)).kind, 'nothing');
  await store.close();
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
});

test('STA-1 everything written is read again by another store', async () => {
  const repo = makeRepo();
  const commit = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-002'), sampleTask('task-001')]);
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [
      { subject: 'session started', session: sampleSession() },
      { subject: 'task-001: passed', verdict: sampleVerdict(commit) },
      { subject: 'task-001: failed', verdict: sampleVerdict(commit, { status: 'fail' }) },
      { subject: 'main: landed', review: { commit, note: sampleReview(commit) } },
    ],
  }));
  await store.close();

  const other = await openTestStore(repo);
  const snapshot = await other.snapshot();
  await other.close();
  assert.equal(
    snapshot.tasksOf(sampleSessionId).map(({ id, rev }) => [id, rev]),
    [
      ['task-001', 1],
      ['task-002', 1],
    ],
  );
  assert.is(snapshot.current?.id, sampleSessionId);
  assert.equal(
    snapshot.verdictsOn(commit).map(({ status }) => status),
    ['pass', 'fail'],
  );
  assert.is(snapshot.reviewOn(commit)?.decision, 'approved');
  assert.equal(snapshot.verdictsOn(parseObjectId('2'.repeat(40))), []);
  assert.equal(snapshot.problems, []);
});

test('rev and updated_at are set by the store, whatever the change says', async () => {
  const repo = makeRepo();
  const store = await openStore({
    context: { cwd: repo.path, env: repo.env },
    commonDir: join(repo.path, '.git'),
    objectFormat: 'sha1',
    now: () => new Date('2026-03-01T08:00:00Z'),
  });
  await createTasks(store, [sampleTask('task-001', { rev: 77 })]);
  await setStatus(store, 'task-001', 'claimed');
  const [task] = (await store.snapshot()).tasksOf(sampleSessionId);
  await store.close();
  assert.is(task?.rev, 2);
  assert.is(task?.status, 'claimed');
  assert.is(task?.updated_at, '2026-03-01T08:00:00.000Z');
  assert.is(repo.git('log', '-1', '--format=%at', 'refs/blueflame/tasks'), '1772352000');
});

test('a snapshot does not change when the state does', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  const before = await store.snapshot();
  await setStatus(store, 'task-001', 'claimed');
  await store.close();
  assert.is(before.tasksOf(sampleSessionId)[0]?.status, 'pending');
});

test('the current session is the newest active one, else the newest', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  const older = parseSessionId('ses-20260101-000000-0001');
  const newer = parseSessionId('ses-20260202-000000-0002');
  const write = (id: typeof older, state: 'active' | 'stopped' | 'ended', created_at: string) =>
    store.transact(() => ({
      actor: 'a',
      changes: [{ subject: 's', session: sampleSession(id, { state, created_at }) }],
    }));
  await write(newer, 'ended', '2026-02-02T00:00:00.000Z');
  await write(older, 'active', '2026-01-01T00:00:00.000Z');
  assert.is((await store.snapshot()).current?.id, older);
  await write(older, 'ended', '2026-01-01T00:00:00.000Z');
  assert.is((await store.snapshot()).current?.id, newer);
  await write(older, 'stopped', '2026-01-01T00:00:00.000Z');
  assert.is((await store.snapshot()).current?.id, newer);
  await store.close();
});

test('STA-2 each change is one commit whose message and trailers tell who, what and why', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001'), sampleTask('task-002')]);
  await setStatus(store, 'task-001', 'claimed');
  await store.transact((snapshot) => ({
    actor: 'worker-1a2b3c4d',
    changes: snapshot.tasksOf(sampleSessionId).map((task) => ({
      subject: `${task.id}: ->\nfailed\u0007`,
      body: `because of\n\nTask: task-999\r\n\u0000end`,
      tasks: [{ ...task, status: 'failed' as const }],
    })),
  }));
  const log = await store.log({});
  const ofTask = await store.log({ task: 'task-001' });
  const limited = await store.log({ session: sampleSessionId, limit: 2 });
  await store.close();
  assert.is(repo.git('rev-list', '--count', 'refs/blueflame/tasks'), '4');
  assert.equal(
    log.map(({ subject, trailers }) => [subject, trailers.Task, trailers.Rev]),
    [
      ['task-002: -> failed', 'task-002', '2'],
      ['task-001: -> failed', 'task-001', '3'],
      ['task-001: pending -> claimed', 'task-001', '2'],
      ['2 tasks planned', 'task-001, task-002', '1'],
    ],
  );
  assert.equal(log[2]?.trailers, {
    Task: 'task-001',
    Session: sampleSessionId,
    Transition: 'pending -> claimed',
    Actor: 'worker-1a2b3c4d',
    Rev: '2',
  });
  assert.is(log[0]?.body, 'because of\n\nTask: task-999\n end');
  assert.is(log[0]?.author, 'Lea Lead <lea@example.com>');
  assert.is(log[0]?.ref, 'refs/blueflame/tasks');
  assert.is(ofTask.length, 3);
  assert.equal(await limited, log.slice(0, 2));
  assert.equal(
    repo.git('log', '-1', '--format=%(trailers:key=Actor,valueonly)', 'refs/blueflame/tasks'),
    'worker-1a2b3c4d',
  );
});

test('the person is asked for, not made up: an unknown identity is a clear error', async () => {
  const repo = makeRepo();
  const env = Object.fromEntries(Object.entries(repo.env).filter(([name]) => !/^GIT_(?:AUTHOR|COMMITTER)/.test(name)));
  repo.git('config', 'user.useConfigOnly', 'true');
  const store = await openStore({
    context: { cwd: repo.path, env },
    commonDir: join(repo.path, '.git'),
    objectFormat: 'sha1',
  });
  const error = await createTasks(store, [sampleTask('task-001')]).catch((caught: unknown) => caught);
  assert.instance(error, FlameError);
  assert.is((error as FlameError).code, 'no-identity');
  // Said again once the person has told git.
  repo.git('config', 'user.name', 'Ann');
  repo.git('config', 'user.email', 'ann@example.com');
  await createTasks(store, [sampleTask('task-001')]);
  await store.close();
  assert.is(repo.git('log', '-1', '--format=%cn <%ce>', 'refs/blueflame/tasks'), 'Ann <ann@example.com>');
});

test('a value no reader would take is not written', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  const error = await createTasks(store, [sampleTask('task-001', { priority: 0 })]).catch((caught: unknown) => caught);
  await store.close();
  assert.is((error as FlameError).code, 'state-invalid');
  assert.match((error as FlameError).message, /priority/);
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
});

test('state refs get a reflog, and nothing but objects, refs and logs is left behind', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  await setStatus(store, 'task-001', 'claimed');
  await store.close();
  assert.is(repo.git('reflog', 'show', '--format=%gs', 'refs/blueflame/tasks'), 'git flame\ngit flame');
  const left = readdirSync(join(repo.path, '.git/blueflame'), { recursive: true, withFileTypes: true });
  assert.equal(
    left.filter((entry) => !entry.isDirectory()),
    [],
  );
  assert.is(repo.git('status', '--porcelain'), '');
});

test('a person whom git does not know hears of it at the first change', async () => {
  const repo = makeRepo();
  const context = { cwd: repo.path, env: { ...repo.env, GIT_AUTHOR_NAME: '', GIT_AUTHOR_EMAIL: '' } };
  const store = await openStore({ context, commonDir: join(repo.path, '.git'), objectFormat: 'sha1' });
  const failed = await createTasks(store, [sampleTask('task-a')]).then(
    () => null,
    (error: unknown) => error,
  );
  await store.close();
  assert.ok(failed instanceof FlameError && failed.code === 'no-identity');
});

test('a plan of thousands is one quick change', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  const ids = Array.from({ length: 3_000 }, (_, at) => `task-${String(at).padStart(4, '0')}`);
  await createTasks(
    store,
    ids.map((id) => sampleTask(id)),
  );
  await setStatus(store, 'task-2999', 'claimed');
  await store.close();
  const other = await openTestStore(repo);
  const tasks = (await other.snapshot()).tasksOf(sampleSessionId);
  await other.close();
  assert.equal(
    tasks.map(({ id }) => id),
    ids,
  );
  assert.is(tasks.at(-1)?.status, 'claimed');
  assert.is(repo.git('rev-list', '--count', 'refs/blueflame/tasks'), '2');
  assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
});

test.after(closeTestStores);
test.run();
