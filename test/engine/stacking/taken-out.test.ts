import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runMergeWave } from '../../../lib/engine/merge/merge-wave.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { runReviewWave } from '../../../lib/engine/review/review-wave.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import {
  filled,
  filling,
  landedText,
  openStack,
  roomFor,
  runStack,
  type StackBench,
  shared,
} from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

// STK-3: what is rejected, dropped or failed is taken out from under what was built on it.

test.after(closeWorkshops);

const five = ['a', 'b', 'c', 'd', 'e'];

function openFive(options: Partial<Parameters<typeof openStack>[0]> = {}): Promise<StackBench> {
  return openStack({
    tasks: five.map((id) => ({ id })),
    agent: filling,
    files: { [shared]: roomFor(five) },
    ...options,
  });
}

function workers({ started }: StackBench): readonly (string | null)[] {
  return started.filter(({ role }) => role === 'worker').map(({ task }) => task);
}

test('STK-3 of a chain of five with the middle one rejected the other four stand and land in the same cycle', async () => {
  const bench = await openFive({
    decide: (group) => (group === 'c' ? { kind: 'reject', reason: 'not like this' } : undefined),
  });
  await runStack(bench);
  assert.equal(filled(bench), ['a', 'b', 'd', 'e']);
  assert.equal(workers(bench), five);
  const { session, tasks } = await viewSession(bench.context, bench.session);
  assert.is(session.cycle, 1);
  assert.equal(
    tasks.map(({ id, status }) => `${id} ${status}`),
    ['a merged', 'b merged', 'c requeued', 'd merged', 'e merged'],
  );
  // Each was shown again, with its own line alone.
  assert.equal(
    bench.asked.map(({ changeset }) => changeset.group),
    ['a', 'b', 'c', 'd', 'e'],
  );
  for (const { changeset } of bench.asked.slice(3)) assert.is(changeset.diffstat.insertions, 1);
});

test('STK-3 of a chain whose first one is rejected nothing of it lands', async () => {
  const bench = await openFive({
    decide: (group) => (group === 'a' ? { kind: 'reject', reason: 'no' } : undefined),
  });
  await runStack(bench);
  assert.equal(filled(bench), ['b', 'c', 'd', 'e']);
  const a = await bench.task('a');
  assert.is(bench.repo.git('rev-list', 'main').includes(a.commit ?? 'none'), false);
});

test('STK-3 what stands on the rest of a group is not held up by what was rejected of it before', async () => {
  const groups = { a: 'odd', b: 'even', c: 'odd', d: 'last' };
  const bench = await openStack({
    tasks: Object.entries(groups).map(([id, group]) => ({ id, group })),
    agent: filling,
    files: { [shared]: roomFor(['a', 'b', 'c', 'd']) },
    decide: (_, { changeset }) =>
      changeset.tasks.some((id) => id === 'a') ? { kind: 'reject', reason: 'not like this' } : undefined,
  });
  await runStack(bench);
  assert.equal(filled(bench), ['b', 'c', 'd']);
  const { session } = await viewSession(bench.context, bench.session);
  assert.is(session.cycle, 1);
  assert.equal(
    session.changesets.map(({ id, state, tasks, depends_on: below }) => [id, state, tasks, below]),
    [
      ['1-odd', 'rejected', ['a'], []],
      ['1-even', 'landed', ['b'], []],
      ['1-odd-2', 'landed', ['c'], ['even']],
      ['1-last', 'landed', ['d'], ['odd']],
    ],
  );
});

test('STK-3 nothing lands on top of one whose landing was refused', async () => {
  let exitCode = 0;
  const bench = await openFive({
    config: {
      roles: { worker: { adapter: 'exec' } },
      validation: { validator_diagnostics: { commands: ['check'] } },
    },
  });
  const agents = {
    ...bench.context.agents,
    runCommand: async () => ({ exitCode, timedOut: false, duration_ms: 1, output: '' }),
  };
  const context: RunContext = { ...bench.context, agents, reload: async () => context };
  await runWorkWave(context, bench.session);
  await runValidateWave(context, bench.session);
  await runMergeWave(context, bench.session);
  const base = bench.repo.git('rev-parse', 'main');
  // By other rules each is proven once more, and the first is red by now.
  exitCode = 1;
  const outcome = await runReviewWave({ ...context, configDigest: 'sha256:other' }, bench.session);
  assert.equal(outcome, { landed: 0, refused: 5 });
  assert.is(bench.repo.git('rev-parse', 'main'), base);
  const { session } = await viewSession(context, bench.session);
  assert.equal(
    session.changesets.map(({ state }) => state),
    ['waiting', 'approved', 'approved', 'approved', 'approved'],
  );
});

test('STK-3 the verdict of what was replayed is void: it is validated again, at its new commit', async () => {
  const judged: string[] = [];
  const bench = await openFive({
    config: { roles: { worker: { adapter: 'exec' }, validator: { adapter: 'claude' } } },
    agent: (request, attempt) => {
      if (request.role !== 'validator') return filling(request, attempt);
      judged.push(request.task ?? '');
      return { answer: { status: 'pass', notes: 'Fine.', issues: [] } };
    },
    decide: (group) => (group === 'd' ? { kind: 'reject', reason: 'no' } : undefined),
  });
  await runStack(bench);
  assert.equal(filled(bench), ['a', 'b', 'c', 'e']);
  assert.equal(judged.sort(), ['a', 'b', 'c', 'd', 'e', 'e']);
});

test('STK-3 what conflicts without it goes back to its worker with the conflict, and what stands on that follows', async () => {
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    decide: (group) => (group === 'a' ? { kind: 'reject', reason: 'no' } : undefined),
  });
  await runStack(bench);
  const { tasks } = await viewSession(bench.context, bench.session);
  assert.equal(
    tasks.map(({ status }) => status),
    ['requeued', 'requeued', 'requeued'],
  );
  const [, b] = tasks;
  assert.match(
    b?.result.notes ?? '',
    /^It was stacked on a, which is requeued\. Rebased without that, its change conflicts in src\/price\.js\./,
  );
  assert.match(b?.result.notes ?? '', /CONFLICT/);
});

test('STK-3 with another cycle all of them are done again on top of each other, and land', async () => {
  let rejected = 0;
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    decide: (group) => {
      if (group !== 'a' || rejected > 0) return undefined;
      rejected += 1;
      return { kind: 'reject', reason: 'no' };
    },
    gates: { session: async () => ({ kind: 'continue' }) },
  });
  await runStack(bench);
  assert.is(landedText(bench), 'a again 2\nb again 2\nc again 2');
});

test('STK-3 a task that failed validation and is dropped is taken out from under the others', async () => {
  const bench = await openFive({
    config: { roles: { worker: { adapter: 'exec' }, validator: { adapter: 'claude' } } },
    agent: (request, attempt) => {
      if (request.role !== 'validator') return filling(request, attempt);
      return { answer: { status: request.task === 'b' ? 'fail' : 'pass', notes: 'Seen.', issues: [] } };
    },
    gates: { validation: async () => ({ kind: 'drop' }) },
  });
  await runStack(bench);
  assert.equal(filled(bench), ['a', 'c', 'd', 'e']);
  assert.equal(workers(bench), five);
  const { tasks } = await viewSession(bench.context, bench.session);
  const dropped = tasks.find(({ status }) => status === 'dropped');
  assert.is(dropped?.reason, `dropped by ${bench.context.gates.person.split(' <')[0]}`);
});

test.run();
