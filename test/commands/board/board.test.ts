import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BoardTaskDetails } from '../../../lib/domain/view-models/board-view.ts';
import { type TestBoard, withBoard } from '../../support/board.ts';
import { makeExecProject, writeDecisions, writePlan } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import type { TestRepo } from '../../support/repo.ts';

const tasks = ['one', 'two'].map((name) => ({
  id: name,
  script: `echo ${name} > src/${name}.txt`,
  locks: [`src/${name}.txt`],
  group: name,
  needs: name === 'two' ? ['one'] : [],
}));

async function stoppedAt(gates: Readonly<Record<string, readonly unknown[]>>): Promise<TestRepo> {
  const repo = makeExecProject();
  const decisions = writeDecisions(repo, gates);
  const run = ['run', 'Count', '--from', writePlan(repo, tasks), '--decisions-file', decisions];
  assert.is((await flame(repo, run)).code, 2);
  return repo;
}

test('DSK-1: the board of a process of its own follows what other commands do, and ends with 0', async () => {
  const repo = await stoppedAt({});
  await withBoard(repo, (board) => followed(repo, board));
});

async function followed(repo: TestRepo, board: TestBoard): Promise<void> {
  const planned = await board.until(({ session }) => session !== null);
  assert.equal(
    planned.waves.map(({ wave, stands }) => `${wave} ${stands}`),
    ['plan now', 'work next', 'validate next', 'merge next', 'review next'],
  );
  assert.is(planned.session?.next, 'git flame plan');
  assert.equal(
    Object.entries(planned.tasks).map(([id, { status, needs }]) => [id, status, needs]),
    [
      ['one', 'proposed', []],
      ['two', 'proposed', ['one']],
    ],
  );
  const proposed = await board.ask('/api/task/two');
  const { prompt, description } = proposed.value as BoardTaskDetails;
  assert.equal([prompt?.prompt, description], [tasks[1]!.script, tasks[1]!.script]);
  const seen = board.until(({ changesets, is_running }) => changesets.length === 2 && !is_running);
  const goOn = ['run', '--decisions-file', writeDecisions(repo, { plan: ['approve'] })];
  assert.is((await flame(repo, goOn)).code, 2);
  const waiting = await seen;
  assert.equal(
    waiting.changesets.map(({ group, state, red }) => [group, state, red]),
    [
      ['one', 'waiting', false],
      ['two', 'waiting', false],
    ],
  );
  assert.ok(waiting.log.some(({ text }) => text.startsWith('claimed by worker-')));
  assert.equal([waiting.is_running, waiting.agents], [false, []]);
  const agent = waiting.tasks.one?.by ?? '';
  const details = (await board.ask('/api/task/one')).value as BoardTaskDetails;
  assert.is(details.verdicts[0]?.status, 'pass');
  assert.equal(details.files, [{ path: 'src/one.txt', insertions: 1, deletions: 0 }]);
  assert.is(details.agents[0]?.id, agent);
  assert.is((await board.ask('/api/task/none')).status, 404);
  assert.is((await board.ask('/api/task/one?session=ses-20200101-000000-0000')).status, 409);
  assert.is((await board.ask('/api/stream/..%2F..%2Fconfig')).status, 404);
  const config = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  repo.write('.blueflame.yml', `${config}limits: { max_session_cost_usd: 77 }\n`);
  const limited = await board.until(({ session }) => session?.budget?.limit === 77);
  assert.is(limited.session?.id, waiting.session?.id);
  const { code, stderr } = await board.end();
  assert.is(code, 0, stderr);
}

test('what a task builds on beside what it needs is foreseen at the gate of its plan, and stays once it has begun', async () => {
  const repo = makeExecProject();
  const remoteSession = ['one', 'two'].map((id) => ({
    ...{ id, script: `echo ${id} >> src/same.txt`, locks: ['src/same.txt'], group: id },
    priority: id === 'one' ? 1 : 2,
  }));
  const decisions = writeDecisions(repo, {});
  const run = ['run', 'Count', '--from', writePlan(repo, remoteSession), '--decisions-file', decisions];
  assert.is((await flame(repo, run)).code, 2);
  const expected = { kind: 'build-on', below: [{ task: 'one', lock: 'src/same.txt' }] };
  await withBoard(repo, async (board) => {
    const planned = await board.until(({ session }) => session !== null);
    assert.equal([planned.tasks.one?.overlap, planned.tasks.two?.overlap], [null, expected]);
    const seen = board.until(({ changesets }) => changesets.length === 2);
    const goOn = ['run', '--decisions-file', writeDecisions(repo, { plan: ['approve'] })];
    assert.is((await flame(repo, goOn)).code, 2);
    const { overlap, needs } = (await seen).tasks.two ?? {};
    assert.equal([overlap, needs], [expected, []]);
  });
});

test('what can not be served is said with the way out', async () => {
  const repo = makeExecProject();
  await withBoard(repo, async (board) => {
    const empty = await board.until(() => true);
    assert.equal([empty.session, empty.sessions], [null, []]);
    const { port } = new URL(board.url);
    const taken = await flame(repo, ['board', '--no-open', '--port', port]);
    assert.is(taken.code, 128);
    assert.match(taken.stderr, `Port ${port} can't be used`);
  });
  for (const address of ['desk', 'ftp://desk.example', 'https://desk.example/path'])
    assert.is((await flame(repo, ['board', '--address', address])).code, 129, address);
  assert.is((await flame(repo, ['board', '--port', '70000'])).code, 129);
});

test.run();
