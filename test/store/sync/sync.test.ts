import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import { changeSession, changeTask } from '../../core/merge-random.ts';
import { makeRandom } from '../../support/random.ts';
import { makeOid, testSession } from '../../support/tasks.ts';
import { createTasks, sampleReview, sampleSession, sampleTask, sampleVerdict } from '../sample.ts';
import { addClone, change, inStore, makeClones, otherSession, stateOf, sync, taskIn, taskOf } from '../sync-clones.ts';

test('the first sync shares everything, the second changes nothing', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  assert.is(stateOf(a), stateOf(remote));
  assert.is(stateOf(b), stateOf(remote));
  assert.is((await taskIn(b, 'task-002')).status, 'pending');
  const again = await sync(b);
  assert.equal(
    again.refs.map(({ outcome }) => outcome),
    ['same', 'same', 'absent', 'absent'],
  );
  assert.is(b.git('reflog', 'show', '--format=%gs', 'refs/blueflame/tasks'), 'git flame sync origin');
});

test('STA-4 changes to different tasks merge with no conflict, and both are in the history', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  await change(a, 'task-001', { title: 'from a' });
  await change(b, 'task-002', { title: 'from b' });
  await sync(a);
  const result = await sync(b);
  assert.equal(result.conflicts, []);
  assert.is(result.refs.find(({ ref }) => ref === 'refs/blueflame/tasks')?.outcome, 'merged');
  await sync(a);
  assert.is(stateOf(a), stateOf(b));
  assert.is(stateOf(a), stateOf(remote));
  assert.equal([(await taskIn(a, 'task-001')).title, (await taskIn(a, 'task-002')).title], ['from a', 'from b']);
  assert.is(b.git('log', '--merges', '--format=%s', 'refs/blueflame/tasks'), 'tasks: two clones merged, no conflict');
});

test('UNI-6 two clones claim the same task: one wins, the loser stands in the history on both', async () => {
  const { clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  const claim = (agent: string, at: string) => ({
    status: 'claimed' as const,
    agent_id: agent as never,
    claimed_by: 'Lea Lead <lea@example.com>',
    claimed_at: at,
  });
  await change(a, 'task-001', claim('worker-aaaaaaaa', '2026-03-01T09:00:01.000Z'));
  await change(b, 'task-001', claim('worker-bbbbbbbb', '2026-03-01T09:00:00.000Z'));
  await sync(a);
  const result = await sync(b);
  await sync(a);
  assert.is(stateOf(a), stateOf(b));
  assert.equal(
    result.conflicts.map(({ note, what, kept, lost }) => [note, what, kept, lost]),
    [['task-001', 'status', 'claimed by worker-bbbbbbbb', 'claimed by worker-aaaaaaaa']],
  );
  for (const repo of [a, b]) {
    const task = await taskIn(repo, 'task-001');
    assert.is(task.agent_id, 'worker-bbbbbbbb');
    assert.equal(
      task.history.map(({ agent_id, result: end }) => [agent_id, end]),
      [['worker-aaaaaaaa', 'superseded']],
    );
  }
  const log = await inStore(a, (store) => store.log({ task: 'task-001', limit: 1 }));
  assert.match(log[0]?.subject ?? '', /two clones merged, 1 conflict/);
  assert.match(
    log[0]?.body ?? '',
    /^task-001: status: kept claimed by worker-bbbbbbbb, not claimed by worker-aaaaaaaa$/,
  );
});

test('both clones write the same merge when each merges the other by itself', async () => {
  const { clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  await change(a, 'task-001', { title: 'from a' });
  await change(b, 'task-001', { title: 'from b' });
  a.git('remote', 'set-url', 'origin', b.path);
  b.git('remote', 'set-url', 'origin', a.path);
  const dry = await sync(a, { isDry: true });
  assert.is(dry.conflicts.length, 1);
  // Each takes what the other had before, as if both had fetched at the same moment.
  const frozen = addClone(a, join(a.path, '..', 'frozen'));
  frozen.git('fetch', '-q', a.path, 'refs/blueflame/*:refs/blueflame/*');
  await sync(a);
  const merged = a.git('rev-parse', 'refs/blueflame/tasks');
  b.git('update-ref', 'refs/blueflame/tasks', b.git('rev-parse', 'refs/blueflame/tasks@{1}'));
  b.git('remote', 'set-url', 'origin', frozen.path);
  await sync(b);
  assert.is(b.git('rev-parse', 'refs/blueflame/tasks'), merged);
});

test('three clones that change and sync in random order end with the same bytes', async () => {
  for (const seed of [1, 2, 3]) {
    const random = makeRandom(seed);
    const { remote, clones } = await makeClones(['task-001', 'task-002', 'task-003']);
    for (let step = 0; step < 14; step += 1) {
      const [index] = random.shuffle([0, 1, 2] as const);
      const repo = clones[index ?? 0];
      if (random.chance(0.4)) {
        await sync(repo);
        continue;
      }
      await inStore(repo, async (store) => {
        await store.transact((snapshot) => {
          const id = random.pick(['task-001', 'task-002', 'task-003']);
          const [session] = snapshot.sessions;
          const changes = [{ subject: `${id} changed`, tasks: [changeTask(random, taskOf(snapshot, id))] }];
          if (session === undefined || random.chance(0.5)) return { actor: 'a', changes };
          const next = changeSession(random, session, `${index}-${step}`);
          return { actor: 'a', changes: [...changes, { subject: 'session changed', session: next }] };
        });
      });
    }
    for (const repo of [...clones, ...clones]) await sync(repo);
    for (const repo of clones) assert.is(stateOf(repo), stateOf(remote), `seed ${seed}`);
    remote.git('fsck', '--strict');
    const total = await inStore(clones[0], async (store) => (await store.snapshot()).sessions[0]);
    assert.ok(total !== undefined);
    const listed = total.agents.reduce((sum, run) => sum + Math.round(run.cost_usd * 1e6), 0);
    assert.is(Math.round(total.cost_usd * 1e6), listed, 'each run is counted once');
    assert.is(
      Object.values(total.spend).reduce((sum, { runs }) => sum + runs, 0),
      total.agents.length,
    );
  }
});

test('five clones that sync at the same moment all get through', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002', 'task-003', 'task-004', 'task-005']);
  const others = ['d', 'e'].map((name) => addClone(remote, join(remote.path, '..', name)));
  const all = [...clones, ...others];
  for (const repo of others) await sync(repo);
  await Promise.all(all.map((repo, at) => change(repo, `task-00${at + 1}`, { title: `from ${at}` })));
  await Promise.all(all.map((repo) => sync(repo)));
  for (const repo of all) await sync(repo);
  for (const repo of all) assert.is(stateOf(repo), stateOf(remote));
  for (const [at] of all.entries()) assert.is((await taskIn(clones[0], `task-00${at + 1}`)).title, `from ${at}`);
});

test('the commits that tasks name reach the other clone, without a branch on the remote', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  a.git('switch', '-q', '-c', 'side');
  a.write('src/b.txt', 'b\n');
  const commit = a.commit('work of task-001');
  a.git('switch', '-q', 'main');
  a.git('branch', '-q', '-D', 'side');
  await change(a, 'task-001', {
    status: 'done',
    commit: parseObjectId(commit),
    branch: 'blueflame/x/task-001',
  });
  await inStore(a, (store) =>
    store.transact(() => ({
      actor: 'a',
      changes: [
        { subject: 'verdict', verdict: sampleVerdict(commit) },
        { subject: 'review', review: { commit: parseObjectId(commit), note: sampleReview(commit) } },
      ],
    })),
  );
  const sent = await sync(a);
  assert.is(sent.commits.sent, 1);
  const received = await sync(b);
  assert.is(received.commits.received, 1);
  assert.is(b.git('show', `${commit}:src/b.txt`), 'b');
  b.git('fsck', '--connectivity-only');
  assert.is(remote.git('for-each-ref', '--format=%(refname)', 'refs/heads'), 'refs/heads/main');
  const snapshot = await inStore(b, (store) => store.snapshot());
  assert.is(snapshot.verdictsOn(parseObjectId(commit)).length, 1);
  assert.is(snapshot.reviewOn(parseObjectId(commit))?.decision, 'approved');
});

test('sync makes and moves no branch, whatever work a note names', async () => {
  const { clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  const branch = (id: string): string => `blueflame/${testSession}/${id}`;
  a.write('src/one.txt', 'one');
  const commit = parseObjectId(a.commit('one'));
  b.git('branch', branch('task-002'), 'main');
  for (const id of ['task-001', 'task-002']) await change(a, id, { status: 'done', commit, branch: branch(id) });
  const before = b.git('for-each-ref', 'refs/heads');
  await sync(a);
  await sync(b);
  assert.is(b.git('for-each-ref', 'refs/heads'), before);
  assert.is(b.git('cat-file', '-t', commit), 'commit');
});

test('TRU-2 what another clone removed stays, and goes back to the remote', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  await inStore(a, (store) =>
    store.transact(() => ({
      actor: 'a',
      changes: [{ subject: 'verdict', verdict: sampleVerdict(a.git('rev-parse', 'HEAD')) }],
    })),
  );
  await sync(a);
  await sync(b);
  const refs = ['sessions', 'tasks', 'validations'].map((name) => `refs/blueflame/${name}`);
  const trees = refs.map((ref) => a.git('rev-parse', `${ref}^{tree}`));
  for (const ref of refs) {
    const empty = remote.git('commit-tree', emptyTree(remote), '-p', ref, '-m', 'nothing');
    remote.git('update-ref', ref, empty);
  }
  await sync(a);
  await sync(b);
  for (const repo of [a, b, remote])
    assert.equal(
      refs.map((ref) => repo.git('rev-parse', `${ref}^{tree}`)),
      trees,
    );
  assert.is(stateOf(a), stateOf(b));
  const again = await sync(a);
  assert.is(
    again.refs.every(({ outcome }) => outcome === 'same' || outcome === 'absent'),
    true,
  );
});

test('TRU-2 what landed or was dropped is not open again, and what was spent is not given back', async () => {
  const { clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  await change(a, 'task-001', { status: 'merged' });
  await change(a, 'task-002', { status: 'dropped' });
  const spend = (cost: number): Promise<unknown> =>
    inStore(b, (store) =>
      store.transact(({ sessions: [session] }) => ({
        actor: 'b',
        changes: session === undefined ? [] : [{ subject: 'spent', session: { ...session, ...spent(cost) } }],
      })),
    );
  await sync(a);
  await sync(b);
  await spend(10);
  await sync(b);
  await sync(a);
  await spend(1);
  for (const id of ['task-001', 'task-002']) await change(b, id, { status: 'pending' });
  b.git('push', '-q', 'origin', 'refs/blueflame/*');
  const { conflicts } = await sync(a);
  assert.equal(conflicts.map(({ what, kept, lost }) => `${what}: ${kept}, not ${lost}`).sort(), [
    'spent: $10 and 1000 tokens, not $1 and 100 tokens',
    'status: dropped, not pending',
    `status: merged at ${makeOid('task-001')}, not pending`,
  ]);
  await sync(b);
  for (const repo of [a, b]) {
    assert.equal(
      [(await taskIn(repo, 'task-001')).status, (await taskIn(repo, 'task-002')).status],
      ['merged', 'dropped'],
    );
    const [session] = (await inStore(repo, (store) => store.snapshot())).sessions;
    assert.equal([session?.cost_usd, session?.spend.worker?.cost_usd], [10, 10]);
  }
  assert.is(stateOf(a), stateOf(b));
});

test('TRU-2 a session is archived only where its notes are in the archive', async () => {
  const { clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  const before = await inStore(a, (store) => store.snapshot());
  await inStore(b, (store) =>
    store.transact(({ sessions: [session] }) => ({
      actor: 'b',
      changes:
        session === undefined
          ? []
          : [
              {
                subject: 'forged',
                session: { ...session, archived_at: '2026-03-01T09:00:00.000Z', state: 'ended' },
              },
            ],
    })),
  );
  b.git('push', '-q', 'origin', 'refs/blueflame/*');
  const { conflicts } = await sync(a);
  assert.equal(
    conflicts.map(({ what, kept }) => [what, kept]),
    [['archived', 'not archived in its state here']],
  );
  const after = await inStore(a, (store) => store.snapshot());
  assert.equal(after.sessions, before.sessions);
  assert.equal(after.tasksOf(testSession), before.tasksOf(testSession));
});

const emptyTree = (repo: Repo): string => repo.git('hash-object', '-t', 'tree', '-w', '/dev/null');

function spent(cost: number): Partial<Session> {
  const sums = { cost_usd: cost, tokens: cost * 100 };
  return { ...sums, spend: { worker: { ...sums, runs: 1 } } };
}

test('a commit that nobody has is named, and does not stop the sync', async () => {
  const { clones } = await makeClones(['task-001']);
  const lost = parseObjectId('2'.repeat(40));
  await change(clones[0], 'task-001', { status: 'done', commit: lost });
  assert.equal((await sync(clones[0])).commits.unknown, [lost]);
});

test('a dry run moves no ref, here or there', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  await change(a, 'task-001', { title: 'from a' });
  await sync(a);
  await change(b, 'task-001', { title: 'from b' });
  const before = [b.git('for-each-ref'), remote.git('for-each-ref')];
  const result = await sync(b, { isDry: true });
  assert.equal(
    result.conflicts.map(({ what, lost }) => [what, lost]),
    [['title', '"from b"']],
  );
  assert.equal([b.git('for-each-ref'), remote.git('for-each-ref')], before);
});

test('histories without a common commit merge note by note', async () => {
  const { clones } = await makeClones([]);
  const [a, b] = clones;
  for (const [repo, title] of [
    [a, 'from a'],
    [b, 'from b'],
  ] as const) {
    await inStore(repo, async (store) => {
      await createTasks(store, [sampleTask('task-001', { title }), sampleTask(`task-${title.slice(-1)}`)]);
      await store.transact(() => ({
        actor: 'a',
        changes: [{ subject: 's', session: sampleSession(repo === a ? undefined : otherSession) }],
      }));
    });
  }
  await sync(a);
  await sync(b);
  await sync(a);
  assert.is(stateOf(a), stateOf(b));
  const snapshot = await inStore(a, (store) => store.snapshot());
  assert.is(snapshot.sessions.length, 2);
  const task = taskOf(snapshot, 'task-001');
  assert.is(task.title, 'from a');
  assert.match(task.history[0]?.notes ?? '', /instead of title: "from b"/);
  assert.ok(taskOf(snapshot, 'task-a') && taskOf(snapshot, 'task-b'));
});

test('a remote whose state was rewritten or reset gets everything again', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  const first = a.git('rev-parse', 'refs/blueflame/tasks');
  await change(a, 'task-001', { title: 'from a' });
  await sync(a);
  remote.git('update-ref', 'refs/blueflame/tasks', first);
  assert.is((await sync(a)).refs[1]?.outcome, 'sent');
  const tree = remote.git('rev-parse', 'refs/blueflame/tasks^{tree}');
  const orphan = remote.git('commit-tree', tree, '-m', 'rewritten');
  remote.git('update-ref', 'refs/blueflame/tasks', orphan);
  await change(b, 'task-001', { priority: 2 });
  for (const repo of [b, a, b]) await sync(repo);
  assert.is(stateOf(a), stateOf(b));
  assert.is(stateOf(a), stateOf(remote));
  const task = await taskIn(b, 'task-001');
  assert.equal([task.title, task.priority], ['from a', 2]);
});

test('notes this version cannot read, and keys it does not know, survive a merge', async () => {
  const { clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  rewriteNote(a, 'task-001', (json) => ({ ...json, later: { x: 1 } }));
  rewriteNote(b, 'task-001', (json) => ({ ...json, title: 'from b' }));
  rewriteNote(a, 'task-002', (json) => ({ ...json, v: 2, brand: 'new' }));
  rewriteNote(b, 'task-002', (json) => ({ ...json, title: 'from b' }));
  const refused = await sync(a).catch((error: unknown) => error);
  assert.is(refused instanceof FlameError && refused.code, 'damaged-state');
  await sync(a, { passesDamage: true });
  const held = await sync(b).catch((error: unknown) => error);
  assert.is(held instanceof FlameError && held.code, 'newer-state');
  assert.equal([noteOf(b, 'task-001').later, noteOf(b, 'task-001').title], [{ x: 1 }, 'from b']);
  assert.is(noteOf(b, 'task-002').title, 'from b');
  await sync(a);
  assert.equal([noteOf(a, 'task-002').v, noteOf(a, 'task-002').brand], [2, 'new']);
});

test('TRU-2 what a newer version wrote is replaced on the remote by the word of a person alone', async () => {
  const { clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  rewriteNote(a, 'task-001', (json) => ({ ...json, v: 2 }));
  rewriteNote(b, 'task-001', (json) => ({ ...json, title: 'from b' }));
  await sync(a, { passesDamage: true });
  await sync(b, { keepsMine: true });
  await sync(a);
  assert.is(stateOf(a), stateOf(b));
  assert.equal([noteOf(a, 'task-001').v, noteOf(a, 'task-001').title], [1, 'from b']);
});

test('a remote that refuses the refs is named with its reason; the merge here stays', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a] = clones;
  await change(a, 'task-001', { title: 'from a' });
  remote.git('config', 'receive.hideRefs', 'refs/blueflame');
  const error = await sync(a).catch((caught: unknown) => caught);
  assert.ok(error instanceof FlameError);
  assert.is(error.code, 'remote-refuses-state');
  assert.match(error.message, /^origin rejects refs\/blueflame\/tasks: deny updating a hidden ref\./);
});

test('what is no race is told as what it is: no ref moved at the remote, so no other clone was first', async () => {
  const cases: readonly (readonly [string, (remote: Repo) => void, RegExp, RegExp])[] = [
    [
      'a lock that was left over',
      (remote) => writeFileSync(join(remote.path, 'refs/blueflame/tasks.lock'), ''),
      /^origin rejects refs\/blueflame\/tasks: cannot lock ref .*tasks\.lock': File exists/,
      /remove the lock there: .*tasks\.lock$/,
    ],
    [
      'a ref in the way',
      (remote) => {
        const tip = remote.git('rev-parse', 'refs/blueflame/tasks');
        remote.git('update-ref', '-d', 'refs/blueflame/tasks');
        remote.git('update-ref', 'refs/blueflame/tasks/old', tip);
      },
      /^origin rejects refs\/blueflame\/tasks: .*'refs\/blueflame\/tasks\/old' exists/,
      /^Delete the ref that is in its place: git push origin :refs\/blueflame\/tasks\/old$/,
    ],
    [
      'a rule about one of the refs',
      (remote) => {
        const hook = join(remote.path, 'hooks/update');
        writeFileSync(hook, '#!/bin/sh\n[ "$1" != refs/blueflame/tasks ]\n', { mode: 0o755 });
      },
      /^origin rejects refs\/blueflame\/tasks: hook declined/,
      /share through another remote/,
    ],
  ];
  for (const [name, spoil, message, hint] of cases) {
    const { remote, clones } = await makeClones(['task-001']);
    await change(clones[0], 'task-001', { title: 'from a' });
    spoil(remote);
    const error = await sync(clones[0]).catch((caught: unknown) => caught);
    assert.instance(error, FlameError, name);
    if (!(error instanceof FlameError)) continue;
    assert.is(error.code, 'remote-refuses-state', name);
    assert.match(error.message, message, name);
    assert.match(error.hints[0] ?? '', hint, name);
  }
});

test('a lock that goes away is waited out', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  await change(clones[0], 'task-001', { title: 'from a' });
  // As a push that is going on does: it holds the lock for two tries, then is done.
  const hook = join(remote.path, 'hooks/update');
  const script = `#!/bin/sh
n=$(cat "$GIT_DIR/tries" 2>/dev/null || echo 0)
echo $((n + 1)) > "$GIT_DIR/tries"
if [ "$n" -lt 2 ]; then : > "$GIT_DIR/refs/blueflame/tasks.lock"; else rm -f "$GIT_DIR/refs/blueflame/tasks.lock"; fi
`;
  writeFileSync(hook, script, { mode: 0o755 });
  await sync(clones[0]);
  assert.is(stateOf(clones[0]), stateOf(remote));
  assert.is(readFileSync(join(remote.path, 'tries'), 'utf8').trim(), '3');
});

test('a remote that is gone is named', async () => {
  const { clones } = await makeClones(['task-001']);
  clones[0].git('remote', 'set-url', 'origin', '/nonexistent/remote.git');
  const error = await sync(clones[0]).catch((caught: unknown) => caught);
  assert.ok(error instanceof FlameError);
  assert.is(error.code, 'remote-unreachable');
  assert.match(error.message, /nonexistent/);
});

type Json = Record<string, unknown>;
type Repo = Parameters<typeof stateOf>[0];

function noteOf(repo: Repo, id: string): Json {
  return JSON.parse(repo.git('show', `refs/blueflame/tasks:${pathOf(repo, id)}`));
}

function pathOf(repo: Repo, id: string): string {
  const key = repo.git('rev-parse', `refs/blueflame/tasks:anchors/ses-20260206-143022-1a2b/${id}`);
  return `${key.slice(0, 2)}/${key.slice(2)}`;
}

/** Changes a note with stock git. */
function rewriteNote(repo: Repo, id: string, edit: (json: Json) => Json): void {
  repo.write('.git/note.json', `${JSON.stringify({ ...edit(noteOf(repo, id)), rev: 2 }, null, 2)}\n`);
  const blob = repo.git('hash-object', '-w', '.git/note.json');
  repo.git('read-tree', '--index-output=.git/note.index', 'refs/blueflame/tasks');
  const index = { GIT_INDEX_FILE: join(repo.path, '.git/note.index') };
  const path = pathOf(repo, id);
  withEnv(repo, index, 'update-index', '--cacheinfo', `100644,${blob},${path}`);
  const tree = withEnv(repo, index, 'write-tree');
  const commit = repo.git('commit-tree', tree, '-p', 'refs/blueflame/tasks', '-m', 'by hand');
  repo.git('update-ref', 'refs/blueflame/tasks', commit);
}

function withEnv(repo: Repo, env: Record<string, string>, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: repo.path, env: { ...repo.env, ...env }, encoding: 'utf8' }).trim();
}

test.run();
