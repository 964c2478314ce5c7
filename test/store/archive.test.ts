import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId, parseSessionId } from '../../lib/domain/ids.ts';
import type { Store } from '../../lib/domain/ports/store-port.ts';
import { makeRandom } from '../support/random.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import { editByHand, noteAt } from '../support/state-by-hand.ts';
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
import { change, inStore, makeClones, otherSession, stateOf, sync, taskOf } from './sync-clones.ts';

const person = 'Lea Lead <lea@example.com>';
const newer = parseSessionId('ses-20260401-080000-0bad');

test('CLN-3 an archived session leaves what every command reads, and stays readable as it was', async () => {
  const { repo, store, commit } = await archivable();
  const before = await store.snapshot();
  const whole = { session: before.sessions[0], tasks: before.tasksOf(sampleSessionId) };
  assert.equal(await store.moveToArchive(() => [sampleSessionId], person), [sampleSessionId]);
  const after = await store.snapshot();
  assert.equal(after.tasksOf(sampleSessionId), []);
  assert.equal(after.verdictsOn(commit), []);
  assert.is(after.reviewOn(commit)?.group, 'main', 'git log still shows it');
  assert.equal(after.problems, []);
  const [left, other] = after.sessions;
  assert.ok(left?.archived_at !== undefined && left.agents.length === 0 && left.state === 'ended');
  assert.is(other?.id, newer);
  assert.equal(after.tasksOf(newer).length, 1);
  const archive = await store.archive();
  assert.equal(archive.sessions, [whole.session]);
  assert.equal(archive.tasksOf(sampleSessionId), whole.tasks);
  assert.is(archive.verdictsOn(commit).length, 1);
  const log = await store.log({ session: sampleSessionId });
  assert.match(log[0]?.subject ?? '', `session: ${sampleSessionId} archived`);
  assert.ok(log.length > 4);
  assert.equal(await store.moveToArchive(() => [sampleSessionId], person), [], 'once is enough');
  repo.git('fsck', '--strict');
});

test('CLN-3 the commits of an archived session outlive its branches; what landed needs no ref', async () => {
  const { repo, store, commit } = await archivable();
  await store.moveToArchive(() => [sampleSessionId], person);
  assert.is(
    repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/kept', 'refs/blueflame/archive/kept'),
    `refs/blueflame/archive/kept/${sampleSessionId}`,
  );
  repo.git('update-ref', '-d', `refs/heads/blueflame/${sampleSessionId}/task-001`);
  repo.git('reflog', 'expire', '--expire=now', '--all');
  repo.git('gc', '-q', '--prune=now');
  assert.is(repo.git('cat-file', '-t', commit), 'commit');
  assert.is((await store.archive()).tasksOf(sampleSessionId).length, 2);
});

test('CLN-3 STA-7 a session of which a note cannot be read stays where it is', async () => {
  const { repo, store } = await archivable();
  const path = noteAt(repo, 'refs/blueflame/tasks', `${sampleSessionId}/task-002`);
  editByHand(repo, 'refs/blueflame/tasks', path, 'no JSON');
  assert.is((await store.snapshot()).problems.length, 1);
  assert.equal(await store.moveToArchive(() => [sampleSessionId, newer], person), [newer]);
  assert.is((await store.snapshot()).tasksOf(sampleSessionId).length, 1);
});

test('CLN-3 STA-3 changes of others at the same moment are not lost', async () => {
  const { repo, store } = await archivable();
  const other = await openTestStore(repo);
  const writes = Array.from({ length: 20 }, (_, at) =>
    other.transact((snapshot) => ({
      actor: person,
      changes: [{ subject: 'x', tasks: [{ ...taskOf(snapshot, 'task-009', newer), priority: at + 1 }] }],
    })),
  );
  const moved = store.moveToArchive(() => [sampleSessionId], person);
  await Promise.all([...writes, moved]);
  const snapshot = await store.snapshot();
  assert.is(taskOf(snapshot, 'task-009', newer).rev, 21);
  assert.equal(snapshot.tasksOf(sampleSessionId), []);
  assert.is((await store.archive()).tasksOf(sampleSessionId).length, 2);
});

test('CLN-3 STA-4 sync carries the archive; whatever another clone still did to the session, archived wins', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b, c] = clones;
  await inStore(a, (store) => store.moveToArchive(() => [sampleSessionId], person));
  await change(b, 'task-001', { title: 'too late' });
  for (const repo of [a, b, c, a]) await sync(repo);
  for (const repo of clones) {
    assert.is(stateOf(repo), stateOf(remote));
    await inStore(repo, async (store) => {
      assert.equal((await store.snapshot()).tasksOf(sampleSessionId), []);
      const archive = await store.archive();
      assert.is(taskOf(archive, 'task-001').title, 'Title of task-001');
    });
  }
  const log = b.git('log', '-m', '--format=%s', 'refs/blueflame/tasks');
  assert.match(log, 'task-001 changed', 'the loser is in the history');
  for (const repo of clones)
    assert.equal(
      (await sync(repo)).refs.filter(({ outcome }) => outcome !== 'same' && outcome !== 'absent'),
      [],
    );
});

test('CLN-3 refs that kept commits of a session that is archived go, here and on the remote', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  const commit = a.git('commit-tree', '-p', 'HEAD', '-m', 'work', 'HEAD^{tree}');
  await change(a, 'task-001', {
    status: 'done',
    commit: parseObjectId(commit),
    branch: `blueflame/${sampleSessionId}/task-001`,
  });
  await sync(a);
  await sync(b);
  const open = `refs/blueflame/kept/${sampleSessionId}`;
  for (const repo of [a, b, remote]) assert.is(repo.git('rev-parse', `${open}^1`), commit);
  await inStore(a, (store) => store.moveToArchive(() => [sampleSessionId], person));
  await sync(a);
  await sync(b);
  await sync(a);
  for (const repo of [a, b, remote]) {
    assert.is(repo.git('for-each-ref', 'refs/blueflame/kept'), '');
    assert.is(repo.git('rev-parse', `${open.replace('/kept/', '/archive/kept/')}^1`), commit);
  }
});

test('CLN-3 UNI-6 such a ref that another clone moves while it is to go stays, and what it keeps goes along with the next sync', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  const finish = async (repo: TestRepo, id: string): Promise<string> => {
    const commit = repo.git('commit-tree', '-p', 'HEAD', '-m', `work of ${id}`, 'HEAD^{tree}');
    const branch = `blueflame/${sampleSessionId}/${id}`;
    await change(repo, id, { status: 'done', commit: parseObjectId(commit), branch });
    return commit;
  };
  await finish(a, 'task-001');
  await sync(a);
  await sync(b);
  const commit = await finish(b, 'task-002');
  // Its ref moves there and not yet at the remote.
  b.git('config', 'remote.origin.pushurl', '/nowhere');
  await sync(b).then(
    () => assert.unreachable('it pushed'),
    () => undefined,
  );
  b.git('config', '--unset', 'remote.origin.pushurl');
  const open = `refs/blueflame/kept/${sampleSessionId}`;
  await inStore(a, (store) => store.moveToArchive(() => [sampleSessionId], person));
  await sync(a, { settle: async () => void b.git('push', '-q', 'origin', open) });
  assert.is(remote.git('rev-parse', open), b.git('rev-parse', open));
  await sync(a);
  assert.is(remote.git('for-each-ref', open), '');
  const kept = remote.git('rev-list', open.replace('/kept/', '/archive/kept/')).split('\n');
  assert.ok(kept.includes(commit));
});

test('CLN-3 UNI-6 clones that change, archive and sync in random order end with the same bytes', async () => {
  for (const seed of [11, 12, 13, 14]) {
    const random = makeRandom(seed);
    const { remote, clones } = await makeClones(['task-001', 'task-002']);
    await inStore(clones[0], async (store) => {
      await store.transact(() => ({
        actor: person,
        changes: [
          { subject: 's', session: sampleSession(otherSession) },
          { subject: 't', tasks: [sampleTask('task-001', { session: otherSession })] },
        ],
      }));
    });
    for (const repo of clones) await sync(repo);
    for (let step = 0; step < 12; step += 1) {
      const repo = clones[random.int(0, 2)] ?? clones[0];
      if (random.chance(0.4)) {
        await sync(repo);
        continue;
      }
      const isArchiving = random.chance(0.25);
      const session = random.pick([sampleSessionId, otherSession]);
      await inStore(repo, async (store) => {
        if (isArchiving) {
          await store.moveToArchive(() => [session], person);
          return;
        }
        await store.transact((snapshot) => {
          const [task] = random.shuffle(snapshot.tasksOf(session));
          if (task === undefined) return null;
          const next = { ...task, priority: random.int(1, 99) };
          return { actor: person, changes: [{ subject: 'changed', tasks: [next] }] };
        });
      });
    }
    for (const repo of [...clones, ...clones]) await sync(repo);
    for (const repo of clones) assert.is(stateOf(repo), stateOf(remote), `seed ${seed}`);
    remote.git('fsck', '--strict');
    await inStore(clones[0], async (store) => {
      const snapshot = await store.snapshot();
      const archive = await store.archive();
      for (const { id, archived_at } of snapshot.sessions) {
        const count = id === sampleSessionId ? 2 : 1;
        assert.is(snapshot.tasksOf(id).length, archived_at === undefined ? count : 0, `seed ${seed}`);
        assert.is(archive.tasksOf(id).length, archived_at === undefined ? 0 : count, `seed ${seed}`);
      }
    });
  }
});

/** An ended session with a commit that is on no branch but its task's, and a newer one. */
async function archivable(): Promise<{ repo: TestRepo; store: Store; commit: ObjectId }> {
  const repo = makeRepo();
  const commit = parseObjectId(repo.git('commit-tree', '-p', 'HEAD', '-m', 'work', 'HEAD^{tree}'));
  repo.git('update-ref', `refs/heads/blueflame/${sampleSessionId}/task-001`, commit);
  const store = await openTestStore(repo);
  const run = { id: 'worker-1a2b3c4d', role: 'worker' as const, task_id: null, model: null };
  const times = { started_at: '', ended_at: '', outcome: 'done', cost_usd: 0, tokens: 0 };
  const session = sampleSession(sampleSessionId, { state: 'ended', agents: [{ ...run, ...times }] });
  await createTasks(store, [sampleTask('task-001', { commit }), sampleTask('task-002')]);
  await setStatus(store, 'task-001', 'done');
  await createTasks(store, [sampleTask('task-009', { session: newer })]);
  await store.transact(() => ({
    actor: person,
    changes: [
      { subject: 's', session },
      { subject: 'v', verdict: sampleVerdict(commit) },
      { subject: 'r', review: { commit, note: sampleReview(commit) } },
      { subject: 'n', session: sampleSession(newer, { created_at: '2026-04-01T08:00:00.000Z' }) },
    ],
  }));
  return { repo, store, commit };
}

test.after(closeTestStores);
test.run();
