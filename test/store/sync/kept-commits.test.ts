import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { TestRepo } from '../../support/repo.ts';
import { testSession } from '../../support/tasks.ts';
import { change, inStore, makeClones, stateOf, sync } from '../sync-clones.ts';

const kept = `refs/blueflame/kept/${testSession}`;

/** Finishes a task with a commit that no branch leads to. */
async function finish(repo: TestRepo, id: string): Promise<string> {
  const commit = repo.git('commit-tree', '-p', 'main', '-m', `work of ${id}`, 'main^{tree}');
  await change(repo, id, {
    status: 'done',
    commit: parseObjectId(commit),
    branch: `blueflame/${testSession}/${id}`,
  });
  return commit;
}

function refsOf(repo: TestRepo): readonly string[] {
  return repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/').split('\n');
}

/** What nothing leads to is gone for good. */
function collect(repo: TestRepo): void {
  repo.git('reflog', 'expire', '--expire=now', '--all');
  repo.git('gc', '-q', '--prune=now');
}

function has(repo: TestRepo, ...commits: readonly string[]): boolean {
  const all = repo.git('cat-file', '--batch-check', '--batch-all-objects');
  return commits.every((commit) => all.includes(commit));
}

test('the refs of a remote do not grow with accepted tasks, and keep every one of them', async () => {
  const ids = ['task-001', 'task-002', 'task-003'];
  const { remote, clones } = await makeClones(ids);
  const [a, b] = clones;
  const commits: string[] = [];
  const counts: number[] = [];
  for (const id of ids) {
    commits.push(await finish(a, id));
    assert.is((await sync(a)).commits.sent, 1);
    counts.push(refsOf(remote).length);
  }
  assert.is(new Set(counts).size, 1, counts.join());
  assert.is((await sync(b)).commits.received, 3);
  for (const repo of [a, b, remote]) {
    collect(repo);
    assert.ok(has(repo, ...commits));
    repo.git('fsck', '--strict', '--connectivity-only');
  }
  assert.is(stateOf(b), stateOf(remote));
  assert.equal((await sync(a)).commits, { received: 0, sent: 0, unknown: [] });
});

test('UNI-6 clones that finish tasks beside each other keep the commits of both, and end with the same bytes', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b, c] = clones;
  const commits = [await finish(a, 'task-001'), await finish(b, 'task-002')];
  for (const repo of [a, b, c, a]) await sync(repo);
  for (const repo of clones) {
    assert.is(stateOf(repo), stateOf(remote));
    collect(repo);
    assert.ok(has(repo, ...commits));
  }
  collect(remote);
  assert.ok(has(remote, ...commits));
});

test('what stands on the remote where commits are kept, and is none, is named and left alone', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a] = clones;
  await finish(a, 'task-001');
  const blob = remote.git('hash-object', '-w', join(remote.path, 'HEAD'));
  remote.git('update-ref', kept, blob);
  const { unreadable } = await sync(a);
  assert.equal(
    unreadable.map(({ ref }) => ref),
    [kept],
  );
  assert.is(remote.git('rev-parse', kept), blob);
});

test('signs of life of machines that died go with a sync, once their session has ended', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a] = clones;
  const sign = `refs/blueflame/machines/${testSession}/gone-1`;
  remote.git('update-ref', sign, 'main');
  await sync(a);
  assert.is(remote.git('rev-parse', sign), remote.git('rev-parse', 'main'), 'its session goes on');
  await inStore(a, (store) =>
    store.transact((snapshot) => ({
      actor: 'a',
      changes: snapshot.sessions.map((session) => ({
        subject: 'over',
        session: { ...session, state: 'ended' },
      })),
    })),
  );
  await sync(a);
  assert.is(remote.git('for-each-ref', 'refs/blueflame/machines/'), '');
});

test.run();
