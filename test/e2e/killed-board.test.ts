import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boardAddress, type TestBoard, visitBoard } from '../support/board.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { answerGate, nextGate } from '../support/gates.ts';
import { programEnd, startProgram } from '../support/program.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { makeShared } from '../support/shared-project.ts';

// An answer that was given on a board: whenever its run is killed, it is applied once, or asked again.

const tasks = [{ id: 'one', script: 'echo 1 > one.txt', locks: ['one.txt'], group: 'one' }];
const withBoard = ['run', '--web', '--no-open'];

/** A run with a board, until it is killed at that point or has ended. */
async function ranWith(
  repo: TestRepo,
  killAt: string,
  work: (tab: Pick<TestBoard, 'ask' | 'until'>) => Promise<void>,
): Promise<{ readonly code: number; readonly stderr: string; readonly passed: string }> {
  const log = join(makeTempDir(), 'kill.log');
  const env = { FLAME_TEST_KILL_AT: killAt, FLAME_TEST_KILL_LOG: log };
  const child = startProgram(repo, withBoard, { env });
  const ended = programEnd(child);
  const tab = visitBoard(await boardAddress(child));
  try {
    await work(tab);
  } finally {
    if (killAt === '') child.kill('SIGINT');
  }
  return { ...(await ended), passed: readFileSync(log, 'utf8') };
}

/** Answers and takes a connection that breaks for no answer. */
async function answerInVain(tab: Pick<TestBoard, 'ask' | 'until'>, gate: { readonly id: string }, answer: unknown) {
  return answerGate(tab, gate, answer).catch(() => 'nobody answers');
}

async function waitingAt(gates: Readonly<Record<string, readonly unknown[]>>): Promise<TestRepo> {
  const repo = makeExecProject();
  const decisions = writeDecisions(repo, gates);
  const plan = writePlan(repo, tasks);
  assert.is((await flame(repo, ['run', 'Count', '--from', plan, '--decisions-file', decisions])).code, 2);
  return repo;
}

test('DSK-1: killed before an answer is kept, it is asked again', async () => {
  const repo = await waitingAt({});
  const killed = await ranWith(repo, 'answer on a board read', async (tab) => {
    const plan = await nextGate(tab, 'plan');
    assert.is(await answerInVain(tab, plan, { kind: 'approve' }), 'nobody answers');
  });
  assert.is(killed.code, -1);
  await ranWith(repo, '', async (tab) => {
    const plan = await nextGate(tab, 'plan');
    assert.is(await answerGate(tab, plan, { kind: 'quit' }), '');
  });
});

for (const point of ['answer on a board kept', 'answer on a board given'])
  test(`DSK-1: killed at "${point}", the next run applies it and asks what comes next`, async () => {
    const repo = await waitingAt({});
    const killed = await ranWith(repo, point, async (tab) => {
      const plan = await nextGate(tab, 'plan');
      await answerInVain(tab, plan, { kind: 'approve' });
    });
    assert.is(killed.code, -1);
    const [before] = (await flameJson(repo, ['status'])).lines;
    assert.equal(before?.tasks, []);
    const after = await ranWith(repo, '', async (tab) => {
      const { gate } = await tab.until((state) => state.gate !== null);
      assert.is(gate?.asks.gate, 'changesets');
    });
    assert.match(after.stderr, 'Decided on the board: before the last run ended, the plan, approved.');
    const log = repo.git('log', '--format=%s', 'refs/blueflame/tasks');
    assert.is(log.split('\n').filter((line) => line.includes('one: pending -> claimed')).length, 1);
  });

test('DSK-1: killed once it is applied, an answer is not applied again, nor after it was taken back', async () => {
  const repo = await waitingAt({ plan: ['approve'] });
  const reject = { kind: 'reject', reason: 'Too early.' };
  const killed = await ranWith(repo, '/refs done/', async (tab) => {
    const changeset = await nextGate(tab, 'changesets');
    await answerInVain(tab, changeset, reject);
  });
  assert.is(killed.code, -1);
  assert.match(killed.passed, /answer on a board given[\s\S]*refs done/);
  const rejections = async (): Promise<number> => {
    const [status] = (await flameJson(repo, ['status'])).lines;
    return JSON.stringify(status).split('"rejection_reason":"Too early."').length - 1;
  };
  assert.is(await rejections(), 1);
  await ranWith(repo, '', async (tab) => {
    const { gate } = await tab.until((state) => state.gate !== null);
    assert.is(gate?.asks.gate, 'session');
  });
  assert.is(await rejections(), 1);
  const undone = await flame(repo, ['review', '--take-back', 'one']);
  assert.is(undone.code, 0, undone.stderr);
  const last = await ranWith(repo, '', async (tab) => {
    const { gate } = await tab.until((state) => state.gate !== null);
    assert.is(gate?.asks.gate, 'changesets');
  });
  assert.not.match(last.stderr, 'before the last run ended');
});

test('DSK-1: an answer that changes nothing is asked for again, and is given once after a kill', async () => {
  const { clone } = await makeShared({ upTo: 'plan' });
  const repo = await clone();
  assert.is((await flame(repo, ['sync'])).code, 0);
  const quit = async (tab: Pick<TestBoard, 'ask' | 'until'>): Promise<void> => {
    await answerInVain(tab, await nextGate(tab, 'plan'), { kind: 'quit' });
  };
  for (const _ of ['first', 'second']) {
    const run = await ranWith(repo, 'no such point', quit);
    assert.is(run.code, 1, run.stderr);
    assert.not.match(run.stderr, 'before the last run ended');
  }
  assert.is((await ranWith(repo, 'answer on a board given', quit)).code, -1);
  const after = await flame(repo, withBoard);
  assert.match(after.stderr, 'Decided on the board: before the last run ended, the plan, quit.');
  assert.not.match((await ranWith(repo, 'no such point', quit)).stderr, 'before the last run ended');
});

test.run();
