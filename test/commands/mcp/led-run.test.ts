import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { type LedRun, ledRun, type QueenScript } from '../../support/led-run.ts';
import { leadsWell, ledTasks, untilNews } from '../../support/led-tasks.ts';
import type { TestRepo } from '../../support/repo.ts';

// Runs that a model leads, with scripts for her and her workers.

const approvals = { plan: ['approve'], changesets: ['approve', 'approve'], session: ['stop'] };

function makeProject(queen: object = {}): TestRepo {
  const repo = makeExecProject({ config: { queen } });
  writeDecisions(repo, approvals);
  return repo;
}

function statesOf({ lines }: LedRun): readonly string[] {
  const tasks = lines.at(-1)?.tasks;
  return Array.isArray(tasks) ? tasks.map(({ id, status }) => `${id} ${status}`) : [];
}

const merged = ledTasks.map(({ id }) => `${id} merged`);
const failed = (kind: 'budget' | 'timeout' | 'agent-crashed') => ({
  failure: { kind, message: `It ended by ${kind}.`, details: [], retryable: false },
});

test('QUE-1 what she leads lands by the person, and each of her calls is told with what she cost', async () => {
  const repo = makeProject();
  const run = await ledRun(repo, leadsWell);
  assert.is(run.code, 0, run.stderr);
  assert.equal(statesOf(run), merged);
  const calls = run.lines.filter(({ event }) => event === 'queen-call');
  assert.is(calls[0]?.tool, 'create_tasks');
  assert.is(calls.at(-1)?.tool, 'complete');
  assert.is(run.queens.length, 1);
});

const ends: readonly (readonly [string, QueenScript])[] = [
  ['before she did anything', async () => failed('agent-crashed')],
  [
    'once she has proposed',
    async ({ call }) => {
      await call('create_tasks', { tasks: ledTasks });
      return failed('budget');
    },
  ],
  [
    'while agents work',
    async ({ call }) => {
      await call('create_tasks', { tasks: ledTasks });
      await call('assign_task', { task_ids: ['one'] });
      return failed('timeout');
    },
  ],
  [
    'with one approved and one not',
    async ({ call }) => {
      await call('create_tasks', { tasks: ledTasks });
      await call('assign_task');
      await untilNews(call, ({ verdicts }) => verdicts === ledTasks.length);
      await call('approve_task', { task_id: 'one' });
      // She ends as if all were done.
      return {};
    },
  ],
];

for (const [when, queen] of ends.slice(1)) {
  test(`QUE-2 she ends ${when}: the waves go on, and say so`, async () => {
    const repo = makeProject();
    const run = await ledRun(repo, queen);
    assert.is(run.code, 0, run.stderr);
    assert.equal(statesOf(run), merged);
    assert.match(run.stderr, /no longer leads: [^"]*The session continues without it\./);
  });
}

for (const [when, queen] of ends) {
  test(`QUE-2 she ends ${when}, and the lead wants nothing without her: it stops, and goes on when asked`, async () => {
    const repo = makeProject({ on_exit: 'stop' });
    const run = await ledRun(repo, queen);
    assert.match(run.stderr, /no longer leads: [^"]*The session stops \(queen\.on_exit\)\./);
    assert.is(run.lines.at(-1)?.event, 'session-ended');
    assert.not.ok(statesOf(run).includes('one merged'), 'it landed');
    const again = await ledRun(repo, leadsWell, { objective: null });
    assert.is(again.code, 0, again.stderr);
    assert.equal(statesOf(again), merged);
  });
}

test('QUE-2 she only waits, for what cannot come: she is told, then ended, and the waves go on', async () => {
  const repo = makeProject();
  const codes: unknown[] = [];
  const run = await ledRun(repo, async ({ call }) => {
    await call('create_tasks', { tasks: ledTasks });
    for (let turn = 0; turn < 1_000; turn += 1) {
      // With a cursor, without one, and with one that nobody gave out: the same.
      const cursor = [{}, { cursor: 'c1' }, { cursor: 'c999' }][turn % 3];
      const said = await call('wait_for_workers', { timeout_s: 60, ...cursor });
      codes.push(said.isError ? said.at('error.code') : said.at('next'));
    }
    return undefined;
  });
  assert.is(run.code, 0, run.stderr);
  assert.equal(codes.slice(0, 4), ['assign_task', 'assign_task', 'assign_task', 'nothing-to-wait-for']);
  // She goes on asking until her process is gone: how often is up to the machine.
  assert.equal([...new Set(codes.slice(3))], ['nothing-to-wait-for']);
  assert.ok(codes.length < 1_000, 'she was ended');
  assert.match(run.stderr, /was stopped: it kept waiting for something that can't happen\./);
  assert.equal(statesOf(run), merged);
});

test('QUE-2 a plan that nobody approves is not waited for by a model', async () => {
  const repo = makeExecProject();
  const run = await ledRun(repo, leadsWell, { decisions: null });
  assert.is(run.code, 2, run.stderr);
  assert.match(run.stderr, /The plan waits for a person/);
  const status = await flame(repo, ['status', '--json']);
  assert.match(status.stdout, /"state":"active"/);
});

test.run();
