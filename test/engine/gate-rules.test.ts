import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { parseObjectId, parseRefName } from '../../lib/domain/ids.ts';
import type {
  BudgetDecision,
  Gates,
  SessionDecision,
  SessionQuestion,
  UnfinishedSessionDecision,
  ValidationDecision,
} from '../../lib/domain/ports/gates.ts';
import { askToRaiseBudget } from '../../lib/engine/agents/ask-person.ts';
import { runMergeWave } from '../../lib/engine/merge/merge-wave.ts';
import { viewSession } from '../../lib/engine/record-changes.ts';
import { performCleanup } from '../../lib/engine/retention/cleanup-perform.ts';
import type { CleanupItem } from '../../lib/engine/retention/stale-worktrees.ts';
import { runReviewWave } from '../../lib/engine/review/review-wave.ts';
import type { RunContext } from '../../lib/engine/run-context.ts';
import { runSession } from '../../lib/engine/run-session.ts';
import { runValidateWave } from '../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../support/workshop.ts';

// Whoever answers at a gate may be a page, a file or a program that knows none of its rules.
test.after(closeWorkshops);

const tasks = ['a', 'b'].map((id) => ({
  ...{ id, title: `Do ${id}`, description: 'Do it.', cohesion_group: id },
  file_locks: [`src/${id}.txt`],
}));

function open(
  gates: Partial<Gates>,
  { verdict = 'pass', config = {} }: { readonly verdict?: string; readonly config?: object } = {},
): Promise<TestWorkshop> {
  return openTestWorkshop({
    tasks,
    gates,
    config: { ...config },
    agent: ({ role, task, worktree }) => {
      if (role === 'validator') return { answer: { status: verdict, notes: 'It says so.', issues: [] } };
      const file = join(worktree.path, `src/${task}.txt`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'work\n');
      return {};
    },
  });
}

function codeOf(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    () => null,
    (error: unknown) => (error instanceof FlameError ? error.code : error),
  );
}

test('BUD-2 a budget is raised by an amount, whoever says so', async () => {
  for (const amount of [-5, 0, Number.NaN, Number.POSITIVE_INFINITY]) {
    const raise: BudgetDecision = { kind: 'raise', amount };
    const { context, session } = await open({ budget: async () => raise });
    const state = { spent: 5, limit: 5, unit: 'usd', isSpent: true, isNear: true } as const;
    assert.is(await codeOf(askToRaiseBudget(context, session, state)), 'bad-raise', String(amount));
    assert.is((await viewSession(context, session)).session.raised_limit, null);
  }
});

test('VAL-5 what a task is changed to when it is requeued keeps the rules of plans', async () => {
  const requeue: ValidationDecision = { kind: 'requeue', notes: 'again', file_locks: ['../elsewhere/**'] };
  const { context, session } = await open({ validation: async () => requeue }, { verdict: 'fail' });
  await runWorkWave(context, session);
  assert.is(await codeOf(runValidateWave(context, session)), 'bad-task');
  const [task] = (await viewSession(context, session)).tasks;
  assert.equal([task?.status, task?.file_locks], ['done', ['src/a.txt']]);
});

test('MRG-4 MRG-9 a rejection says why, and an approval out of turn which commit it is about', async () => {
  const merged = async (changeset: Gates['changeset']): Promise<TestWorkshop> => {
    const bench = await open({ changeset });
    await runWorkWave(bench.context, bench.session);
    await runValidateWave(bench.context, bench.session);
    await runMergeWave(bench.context, bench.session);
    return bench;
  };
  const states = async ({ context, session }: TestWorkshop): Promise<readonly string[]> =>
    (await viewSession(context, session)).session.changesets.map(({ state }) => state);
  const mute = await merged(async () => ({ kind: 'reject', reason: ' \n' }));
  assert.is(await codeOf(runReviewWave(mute.context, mute.session)), 'needs-reason');
  assert.equal(await states(mute), ['waiting', 'waiting']);
  const blind = await merged(async ({ decideOther }) => {
    await decideOther('1-b', { kind: 'approve' });
    return { kind: 'skip' };
  });
  assert.is(await codeOf(runReviewWave(blind.context, blind.session)), 'not-shown');
  assert.equal(await states(blind), ['waiting', 'waiting']);
});

test('MRG-7 no answer begins a cycle beyond the limit', async () => {
  for (const decision of [{ kind: 'continue' }, { kind: 'replan', notes: 'anew' }] as const) {
    const answer: SessionDecision = decision;
    const { context, session } = await open(
      { session: async () => answer },
      { config: { limits: { max_wave_cycles: 1 } } },
    );
    context.gracefulStop.ask();
    const run = runSession(context, session, { plan: null, wantsTalk: false });
    assert.is(await codeOf(run), 'cycle-limit');
    assert.is((await viewSession(context, session)).session.cycle, 1);
  }
});

test('MRG-7 what failed last is tried again, or ends the session, as the person says', async () => {
  const ending = async (leftOver: UnfinishedSessionDecision['kind'] | null, cycles = 5) => {
    const asked: SessionQuestion[] = [];
    const bench = await openTestWorkshop({
      tasks: tasks.slice(0, 1),
      config: { limits: { max_retries: 0, max_wave_cycles: cycles } },
      gates: {
        leftOver: async (question) => {
          asked.push(question);
          if (leftOver === null) return null;
          return leftOver === 'retry' && asked.length === 1 ? { kind: leftOver } : { kind: 'stop' };
        },
      },
      agent: () => ({
        failure: { kind: 'agent-crashed', message: 'It fell.', details: [], retryable: false },
      }),
    });
    let reloads = 0;
    const context: RunContext = {
      ...bench.context,
      reload: async () => {
        reloads += 1;
        return context;
      },
    };
    await runSession(context, bench.session, { plan: null, wantsTalk: false });
    const { session } = await viewSession(context, bench.session);
    const gates = session.gates.filter(({ gate }) => gate === 'session').map(({ decision }) => decision);
    return { asked, gates, session, reloads, runs: bench.started.length };
  };
  const again = await ending('retry');
  assert.equal([again.gates, again.runs, again.session.cycle], [['retry', 'stop'], 2, 2]);
  // The configuration is read again for what follows, and not where nothing does.
  assert.equal([again.reloads, (await ending('stop')).reloads], [1, 0]);
  assert.equal([again.session.state, again.asked[0]?.summary.failed], ['ended', 1]);
  const over = await ending('stop');
  assert.equal([over.gates, over.runs, over.session.state], [['stop'], 1, 'ended']);
  // Nobody was there: nothing is noted as a person's word.
  const alone = await ending(null);
  assert.equal([alone.gates, alone.runs, alone.session.state], [[], 1, 'ended']);
  const last = await ending('retry', 1);
  assert.equal([last.asked.length, last.session.state], [0, 'ended']);
});

test('CLN-1 UNI-5 what holds work that was not merged goes only where that was asked for', async () => {
  const { context, session, repo } = await open({});
  repo.git('branch', 'kept');
  const commit = parseObjectId(repo.git('rev-parse', 'kept'));
  const { id } = (await viewSession(context, session)).tasks[0] ?? {};
  if (id === undefined) throw new Error('no task');
  const stale: CleanupItem = {
    kind: 'branch',
    ...{ name: 'kept', why: 'not merged', needsForce: true, isMerged: false },
    ...{ ref: { ref: parseRefName('refs/heads/kept'), commit }, subject: { session, task: id } },
  };
  assert.equal(await performCleanup(context, [stale], { isForced: false, includesRescues: false }), []);
  assert.is(repo.git('rev-parse', 'kept'), commit);
  const [done] = await performCleanup(context, [stale], { isForced: true, includesRescues: false });
  assert.is(done?.outcome, 'rescued');
});

test.run();
