import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toTaskStateDecision } from '../../../lib/core/admission/make-decisions.ts';
import { type ObjectId, parseAgentId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { AgentRequest } from '../../../lib/domain/ports/agent-port.ts';
import type { AttemptRecord } from '../../../lib/domain/state/attempt-record.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const plain = { id: 'a', title: 'Do a', description: '.', file_locks: ['src/n.txt'] };

/** Writes so many lines. */
function write({ worktree }: AgentRequest, lines: number): void {
  const file = join(worktree.path, 'src/n.txt');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'line\n'.repeat(lines));
}

async function taskOf({ said, session }: TestWorkshop, id = 'a'): Promise<Task> {
  const task = (await said.snapshot()).tasksOf(session).find((one) => one.id === id);
  if (task === undefined) throw new Error(`there is no ${id}`);
  return task;
}

/** What is said of each attempt, by how many lines it changes: which one begins first is not known. */
function bySize<Value>({ tries = [] }: Task, tell: (one: AttemptRecord) => Value): Readonly<Record<number, Value>> {
  return Object.fromEntries(tries.map((one) => [one.work?.lines ?? 0, tell(one)]));
}

const alone = {
  concurrency: { development: 3, adaptive: false },
  roles: { validator: { adapter: 'none' } },
  limits: { max_retries: 1 },
};
const checked = { ...alone, validation: { validator_diagnostics: { enabled: true, commands: ['check'] } } };

/** A diagnostic that looks at how many lines the file has. */
function withCheck({ context }: TestWorkshop, isGood: (lines: number) => boolean): RunContext {
  return {
    ...context,
    agents: {
      ...context.agents,
      runCommand: async ({ worktree }) => {
        const file = join(worktree.path, 'src/n.txt');
        // On the base there is none.
        const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 100;
        return { exitCode: isGood(lines) ? 0 : 1, timedOut: false, duration_ms: 0, output: '' };
      },
    },
  };
}

const rateLimited = {
  failure: { kind: 'rate-limit', message: 'Too many requests.', details: [], retryable: true },
} as const;

test('RND-4 three agents work at once on one task under one claim, and the smallest work of those alike counts', async () => {
  let made = 0;
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 3 }],
    config: alone,
    agent: (request) => {
      made += 1;
      write(request, [9, 4, 6][made - 1] ?? 0);
      return { cost_usd: 0.1, tokens: 10 };
    },
  });
  await runWorkWave(bench.context, bench.session);
  const task = await taskOf(bench);
  assert.is(task.status, 'done');
  assert.equal(
    bySize(task, ({ ended, chosen }) => [ended, chosen]),
    {
      4: ['handed-in', true],
      6: ['handed-in', undefined],
      9: ['handed-in', undefined],
    },
  );
  const chosen = task.tries?.find((one) => one.chosen);
  assert.equal([task.commit, task.agent_id], [chosen?.work?.commit, chosen?.agent_id]);
  assert.is(new Set(bench.started.map(({ at }) => at)).size, 1, 'all at once');
});

test('RND-4 diagnostics decide before size', async () => {
  let made = 0;
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 3 }],
    config: checked,
    agent: (request) => {
      made += 1;
      write(request, [9, 4, 6][made - 1] ?? 0);
      return {};
    },
  });
  await runWorkWave(
    withCheck(bench, (lines) => lines > 4),
    bench.session,
  );
  const task = await taskOf(bench);
  assert.equal(
    bySize(task, ({ failing, verdict, chosen }) => [failing, verdict, chosen]),
    {
      4: [['check'], 'fail', undefined],
      6: [[], 'pass', true],
      9: [[], 'pass', undefined],
    },
  );
  assert.is(task.result.status, 'pass', 'what was found about it is not asked again');
  assert.match(
    bench.repo.git('log', '--format=%s', 'refs/blueflame/tasks'),
    /^a: claimed -> done by worker-[0-9a-f]{8}, best of 3: one of 2 that passed the diagnostics, the smallest, with 6 changed lines$/m,
  );
});

test('RND-4 a validator decides between those that pass the diagnostics, and is paid for none of the others', async () => {
  let made = 0;
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 3 }],
    config: { ...checked, roles: {} },
    agent: (request) => {
      if (request.role === 'validator') {
        const lines = readFileSync(join(request.worktree.path, 'src/n.txt'), 'utf8').split('\n').length - 1;
        return { answer: { status: lines === 9 ? 'pass' : 'fail', notes: `${lines} lines`, issues: [] } };
      }
      made += 1;
      write(request, [9, 4, 6][made - 1] ?? 0);
      return {};
    },
  });
  const context = withCheck(bench, (lines) => lines > 4);
  await runWorkWave(context, bench.session);
  const judged = bench.started.filter(({ role }) => role === 'validator').length;
  assert.is(judged, 2);
  assert.equal(
    bySize(await taskOf(bench), ({ chosen }) => chosen),
    { 4: undefined, 6: undefined, 9: true },
  );
  await runValidateWave(context, bench.session);
  assert.is(bench.started.filter(({ role }) => role === 'validator').length, judged, 'its verdict is known');
  assert.is((await taskOf(bench)).result.status, 'pass');
});

test('RND-4 where all fail, that is one failed attempt at the task, and the next ones read about each', async () => {
  let made = 0;
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 2 }],
    config: { ...alone, limits: { max_retries: 1 } },
    agent: (request) => {
      made += 1;
      const message = `Reason ${made}.`;
      if (made > 2) write(request, made);
      return made > 2
        ? {}
        : { failure: { kind: 'agent-error', message, details: [`detail ${made}`], retryable: made === 2 } };
    },
  });
  await runWorkWave(bench.context, bench.session);
  const task = await taskOf(bench);
  assert.is(task.status, 'done');
  assert.is(task.retry_count, 1);
  const [first, ...others] = task.history;
  assert.equal(
    task.history.map(({ attempt, result }) => [attempt, result]),
    [
      [1, 'failed'],
      [2, 'done'],
    ],
  );
  for (const words of ['Reason 1.', 'Reason 2.', 'detail 1', 'detail 2']) assert.match(first?.notes ?? '', words);
  assert.is(others.length, 1);
  assert.is(task.tries?.length, 2);
});

test('RND-4 one that its service refused is made again, those that are over are not', async () => {
  let made = 0;
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 3 }],
    config: { ...alone, limits: { max_retries: 0 } },
    agent: (request) => {
      made += 1;
      if (made === 2) return rateLimited;
      write(request, made);
      return { cost_usd: 1, tokens: 1 };
    },
  });
  await runWorkWave(bench.context, bench.session);
  const task = await taskOf(bench);
  assert.is(made, 4);
  assert.equal(
    bySize(task, ({ chosen }) => chosen),
    { 1: true, 3: undefined, 4: undefined },
  );
  assert.is(task.retry_count, 0);
  assert.is(task.history.at(-1)?.cost_usd, 3, 'what the others had cost is not lost');
});

test("RND-4 one that its service never serves is left out in the end, and what another handed in is the task's", async () => {
  let [made, refused] = [0, 0];
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 2 }],
    config: alone,
    agent: (request) => {
      made += 1;
      if (made > 1) {
        refused += 1;
        return rateLimited;
      }
      write(request, 3);
      return { cost_usd: 1, tokens: 1 };
    },
  });
  await runWorkWave(bench.context, bench.session);
  const task = await taskOf(bench);
  assert.equal([task.status, refused], ['done', 50]);
  assert.equal(
    task.tries?.map(({ ended, notes, chosen }) => [ended, ended === 'left-out' ? notes : '', chosen]).sort(),
    [
      ['handed-in', '', true],
      ['left-out', 'Too many requests.', undefined],
    ],
  );
});

test('RND-4 more attempts than places take turns, and no more than their places', async () => {
  let atOnce = 0;
  let most = 0;
  let allThere = (): void => undefined;
  const untilAllThere = new Promise<void>((resolve) => {
    allThere = resolve;
  });
  const bench = await openTestWorkshop({
    tasks: [
      { ...plain, attempts: 4 },
      { ...plain, id: 'b', file_locks: ['src/b.txt'], attempts: 2 },
    ],
    config: { ...alone, concurrency: { development: 3, adaptive: false } },
    agent: () => ({ failure: { kind: 'agent-error', message: 'No.', details: [], retryable: false } }),
  });
  const { start } = bench.context.agents;
  const agents = {
    ...bench.context.agents,
    start: async (...words: Parameters<typeof start>) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      if (most === 3) allThere();
      const running = await start(...words);
      const outcome = (async () => {
        await untilAllThere;
        // Should there be places for more, they come in this time.
        for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
        return running.outcome;
      })();
      return { ...running, outcome };
    },
  };
  await runWorkWave({ ...bench.context, agents }, bench.session);
  assert.is(bench.started.length, 6);
  assert.is(most, 3);
});

test('RND-4 what does not fit in the budget with all that each may spend is not made, and that is said', async () => {
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 3 }],
    config: { ...alone, limits: { max_session_cost_usd: 5, token_budget: { worker_usd: 2 } } },
    agent: (request) => {
      write(request, 3);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  assert.equal(
    (await taskOf(bench)).tries?.map(({ ended }) => ended),
    ['handed-in', 'handed-in', 'left-out'],
  );
  assert.is(bench.started.length, 2);
  const said = bench.events.flatMap((one) => (one.event === 'notice' ? one.message : []));
  assert.ok(said.includes("a: 3 attempts could spend more than is left of the session's budget, so it makes 2."));
});

test('RND-4 each is made with the adapter and model of its own', async () => {
  const asked: string[] = [];
  const bench = await openTestWorkshop({
    tasks: [
      {
        ...plain,
        model: 'claude-opus-4-1',
        attempts: [{}, { adapter: 'codex' }, { model: 'claude-haiku-4-5' }],
      },
    ],
    config: alone,
    agent: (request) => {
      asked.push(`${request.adapter} ${request.model}`);
      write(request, 3);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  assert.equal(asked.toSorted(), ['claude claude-haiku-4-5', 'claude claude-opus-4-1', 'codex gpt-5.5']);
  const [first, second] = (await taskOf(bench)).tries ?? [];
  assert.equal([first?.adapter, second?.adapter], ['claude', 'codex']);
  assert.is(first?.chosen, true, 'of those that are alike the first');
});

test('RND-4 work that does not keep to the rules is no candidate, and its worktree stays', async () => {
  let made = 0;
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 2 }],
    config: alone,
    agent: (request) => {
      made += 1;
      write(request, 9);
      if (made === 1) writeFileSync(join(request.worktree.path, 'README.md'), 'Not its own.\n');
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  const { tries } = await taskOf(bench);
  assert.equal(tries?.map(({ ended, failure, chosen }) => [ended, failure?.kind, chosen]).toSorted(), [
    ['failed', 'violation', undefined],
    ['handed-in', undefined, true],
  ]);
  const cells = await bench.context.git.cells();
  assert.equal(
    cells.map(({ path }) => basename(path)),
    tries?.flatMap(({ ended, agent_id }) => (ended === 'failed' ? agent_id : [])),
  );
});

test('RND-4 what another clone says was handed in counts once it is judged here: what breaks the rules or is not there is made', async () => {
  const bench = await openTestWorkshop({
    tasks: [{ ...plain, attempts: 3 }],
    config: alone,
    agent: (request) => {
      write(request, 4);
      return {};
    },
  });
  const { repo, said, session, started, context } = bench;
  const base = parseObjectId(repo.git('rev-parse', 'HEAD'));
  repo.write('other.txt', 'outside of its locks');
  const outside = parseObjectId(repo.commit('feat: outside'));
  repo.git('reset', '-q', '--hard', base);
  const forge = (at: number, commit: ObjectId): AttemptRecord => ({
    ...{ agent_id: parseAgentId(`worker-0000000${at}`), adapter: 'exec', model: null, ended: 'handed-in' },
    ...{ notes: '', left: [], cost_usd: 0, tokens: 0, failing: [], verdict: 'pass' },
    work: { commit, start: base, files: 1, lines: 1 },
  });
  await said.transact((state) => {
    const tries = [forge(1, outside), forge(2, parseObjectId('7'.repeat(40)))];
    const tasks = state.tasksOf(session).map((task): Task => ({ ...task, tries }));
    context.decided.record(tasks.map(toTaskStateDecision));
    return { actor: 'eve', changes: [{ subject: 'a: tried', tasks }] };
  });
  await runWorkWave(context, session);
  const task = await taskOf(bench);
  assert.is(task.status, 'done');
  assert.is(started.length, 3, 'all three are made here');
  const commits = (task.tries ?? []).map(({ work }) => work?.commit);
  assert.not.ok(commits.includes(outside) || task.commit === outside);
});

test.run();
