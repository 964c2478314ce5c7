import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openTrialCache, readWaitsBeyondDependencies } from '../../../lib/commands/context/waits-and-conflicts.ts';
import { withdrawTasks } from '../../../lib/core/task/block-dependents.ts';
import { requeueTask } from '../../../lib/core/task/task-outcome.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { TaskWait } from '../../../lib/domain/view-models/status-view.ts';
import { claimByHand } from '../../../lib/engine/manual/claim-by-hand.ts';
import { submitByHand } from '../../../lib/engine/manual/submit-by-hand.ts';
import { decideAndRecord, requireTaskInView, viewSession } from '../../../lib/engine/record-changes.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { openRepo, type TestRepo } from '../../support/repo.ts';
import { appending, landedText, openStack, runStack, type StackBench, shared } from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

// STK-1: where what a task would be built on conflicts, it waits; what a person takes by hand is built on the same.

test.after(closeWorkshops);

test('STK-1 a task waits while the work below it conflicts with the base, says so, and starts once that went back', async () => {
  const bench: StackBench = await openStack({
    tasks: [
      { id: 'a', priority: 1 },
      { id: 'b', priority: 2 },
    ],
    agent: (request, attempt) => {
      const done = appending()(request, attempt);
      if (request.task === 'a') {
        bench.repo.write(shared, 'by hand\n');
        bench.repo.git('add', shared);
        bench.repo.git('commit', '-q', '-m', 'by hand');
      }
      return done;
    },
  });
  await runStack(bench);
  const said = bench.events.flatMap((one) => (one.event === 'notice' ? [one.message] : []));
  assert.is(
    said.filter((message) => message.startsWith('b waits: it would be stacked on the work of a, ')).length,
    1,
    said.join('\n'),
  );
  assert.equal([(await bench.task('a')).status, (await bench.task('b')).status], ['requeued', 'merged']);
  assert.is(landedText(bench), 'by hand\nb');
});

test('STK-1 another process says why a task waits, from what the run noted, and no longer once that is not so', async () => {
  const bench: StackBench = await openStack({
    tasks: [
      { id: 'a', priority: 1 },
      { id: 'b', priority: 2 },
    ],
  });
  await claimFirst(bench);
  bench.repo.write(shared, 'by hand\n');
  bench.repo.commit('by hand');
  const { git } = bench.context;
  const trialCache = openTrialCache(git.repository.commonDir);
  await runWorkWave({ ...bench.context, trialCache }, bench.session);
  const look = async (): Promise<readonly TaskWait[]> => {
    const { session, tasks } = await viewSession(bench.context, bench.session);
    return readWaitsBeyondDependencies({ git }, session, tasks);
  };
  const [wait, ...others] = await look();
  assert.equal([wait?.task, others], ['b', []]);
  assert.match(wait?.because[0] ?? '', /^it would be stacked on the work of a, which conflicts .* in src\/price\.js$/);
  await decideAndRecord(bench.context, bench.session, ({ tasks, ...view }) => {
    const a = requireTaskInView({ ...view, tasks }, 'a');
    const at = '2026-02-06T15:00:00Z';
    return {
      steps: withdrawTasks(tasks, [requeueTask(a, { kind: 'rejected', reason: 'no', notes: '', at })], at),
    };
  });
  assert.equal(await look(), []);
});

const wish = { task: 'b', role: null, wantsWorktree: true } as const;
const handIn = { task: 'b', commit: null, notes: null, isForced: false };

/** A task that a person works on by hand, while another one's work waits below it. */
async function handOnTop(): Promise<{ readonly bench: StackBench; readonly hand: TestRepo }> {
  const bench = await openStack({
    tasks: [
      { id: 'a', priority: 1 },
      { id: 'b', priority: 2 },
    ],
  });
  await claimFirst(bench);
  const { worktree } = await claimByHand(bench.context, bench.session, wish);
  return { bench, hand: openRepo(worktree ?? '', bench.repo.env) };
}

test('STK-1 a claim by hand starts from the same work, and lands on top of it', async () => {
  const { bench, hand } = await handOnTop();
  const { context, session, repo } = bench;
  assert.is(hand.git('show', `HEAD:${shared}`), 'a');
  hand.write(shared, 'a\nby hand\n');
  hand.commit('b');
  await submitByHand(context, session, { ...handIn, cwd: repo.path });
  assert.equal(
    (await bench.task('b')).built_on?.map(({ task }) => task as string),
    ['a'],
  );
  await runStack(bench);
  assert.is(landedText(bench), 'a\nby hand');
});

test('STK-1 work by hand may be put onto the base alone', async () => {
  const { bench, hand } = await handOnTop();
  const { context, session, repo } = bench;
  hand.git('reset', '-q', '--hard', 'main');
  hand.write(shared, 'alone\n');
  hand.commit('alone');
  await submitByHand(context, session, { ...handIn, cwd: repo.path });
  assert.is((await bench.task('b')).built_on, undefined);
});

/** The first of the two is done by an agent, the second left for a person. */
async function claimFirst(bench: StackBench): Promise<void> {
  const { context, session } = bench;
  let isOver = false;
  const once = {
    ...context,
    gracefulStop: { ...context.gracefulStop, isRequested: () => isOver },
    agents: {
      ...context.agents,
      start: (...words: Parameters<typeof context.agents.start>) => {
        isOver = true;
        return context.agents.start(...words);
      },
    },
  };
  await runWorkWave(once, session);
  assert.is((await bench.task('a')).status, 'done');
  assert.is((await bench.task('b')).status, 'pending');
}

test('STK-1 what cannot be joined cannot be claimed by hand either', async () => {
  const bench = await openStack({
    tasks: [
      { id: 'a', priority: 1 },
      { id: 'b', priority: 2 },
    ],
  });
  await claimFirst(bench);
  bench.repo.write(shared, 'by hand\n');
  bench.repo.commit('by hand');
  const error = await claimByHand(bench.context, bench.session, wish).catch((caught: unknown) => caught);
  assert.is(error instanceof FlameError && error.code, 'dependencies-conflict');
  assert.is((await bench.task('b')).status, 'pending');
});

test.run();
