import { execFileSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { serveHttp } from '../../support/remote-lines.ts';
import { until } from '../../support/until.ts';
import { sampleSessionId } from '../sample.ts';
import { makeClones, stateOf, taskIn } from '../sync-clones.ts';
import { claim, openMachine } from './machine.ts';

// Longer, with whole machines: node build/test/soak/machines.js --over http --latency 200 --lost 20

test('DST-1 DST-2 over a line of 200 ms that loses every third answer after the push was taken each task has one holder, who knows it', async () => {
  const ids = Array.from({ length: 6 }, (_, at) => `task-00${at + 1}`);
  const { remote, clones } = await makeClones(ids);
  let pushes = 0;
  const line = await serveHttp(remote.path, {
    roundTripMs: 200,
    lostAnswers: 33,
    chance: () => {
      pushes += 1;
      return pushes % 3 === 0;
    },
  });
  const repos = clones.slice(0, 2);
  for (const repo of repos) repo.git('remote', 'set-url', 'origin', line.url('127.0.0.1'));
  const machines = await Promise.all(repos.map((repo, at) => openMachine(repo, `host/${at}`)));
  // One after the other, so that there are pushes enough to lose; the machines beside each other.
  const won = await Promise.all(
    machines.map(async (machine, at) => {
      const own: string[] = [];
      for (const id of ids) if (await claim(machine, id, `worker-0000000${at}`)) own.push(id);
      return own;
    }),
  );
  assert.ok(pushes >= 3, 'answers were lost');
  assert.equal(won.flat().sort(), ids, 'each is known to have been won, once');
  const subjects = remote.git('log', '--format=%s', '--grep=-> claimed by', 'refs/blueflame/tasks').split('\n');
  assert.equal(
    subjects.sort(),
    won.flatMap((own, at) => own.map((id) => `${id}: pending -> claimed by worker-0000000${at}`)).sort(),
  );
  for (const machine of machines) {
    await machine.remoteSession.exchangeNow();
    await machine.close();
  }
  line.close();
  for (const repo of repos) assert.is(stateOf(repo), stateOf(remote));
});

test('DST-1 a server that accepts and never answers is given up and told; what was decided is made once it answers', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const [repo] = clones;
  const machine = await openMachine(repo, 'host/0', { patienceMs: 3_000 });
  await machine.remoteSession.exchangeNow();
  repo.git('remote', 'set-url', 'origin', `http://127.0.0.1:${port}/remote.git`);
  const claimed = claim(machine, 'task-001', 'worker-0000000a');
  await until('it is told', () => machine.lost.length > 0);
  assert.match(`${machine.lost[0]?.message}`, /^origin can't be read: its answer took longer than [\d.]+ s/);
  assert.is((await taskIn(repo, 'task-001')).status, 'pending');
  repo.git('remote', 'set-url', 'origin', `file://${remote.path}`);
  assert.is(await claimed, true);
  await machine.close();
  silent.close();
  assert.equal(machine.lines, [false, true]);
  assert.is(stateOf(repo), stateOf(remote));
});

test('DST-1 a machine of an earlier version stops at what a later one wrote: it is named, and nothing of it is replaced', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  const machine = await openMachine(b, 'host/b');
  await machine.remoteSession.exchangeNow();
  const [key = ''] =
    a.git('ls-tree', 'refs/blueflame/tasks', `anchors/${sampleSessionId}/task-001`).match(/[0-9a-f]{40}/) ?? [];
  const path = `${key.slice(0, 2)}/${key.slice(2)}`;
  const note = { ...JSON.parse(a.git('show', `refs/blueflame/tasks:${path}`)), v: 2, brand: 'new' };
  a.write('.git/note.json', `${JSON.stringify(note, null, 2)}\n`);
  const env = { ...a.env, GIT_INDEX_FILE: '.git/newer-index' };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: a.path, env, encoding: 'utf8' }).trim();
  git('read-tree', 'refs/blueflame/tasks');
  git('update-index', '--cacheinfo', `100644,${git('hash-object', '-w', '.git/note.json')},${path}`);
  const commit = git('commit-tree', git('write-tree'), '-p', 'refs/blueflame/tasks', '-m', 'newer');
  a.git('push', '-q', 'origin', `${commit}:refs/blueflame/tasks`);
  const before = stateOf(remote);
  const error = await claim(machine, 'task-002', 'worker-0000000b').catch((caught: unknown) => caught);
  await machine.close();
  assert.ok(error instanceof FlameError, String(error));
  assert.is(error.code, 'newer-state');
  assert.match(error.message, /were written by a newer git-flame/);
  assert.is(stateOf(remote), before);
});

test.run();
