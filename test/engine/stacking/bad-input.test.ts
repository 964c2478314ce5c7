import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withdrawTasks } from '../../../lib/core/task/block-dependents.ts';
import { dropTask } from '../../../lib/core/task/task-outcome.ts';
import type { AgentRequest } from '../../../lib/domain/ports/agent-port.ts';
import { runMergeWave } from '../../../lib/engine/merge/merge-wave.ts';
import { decideAndRecord, requireTaskInView } from '../../../lib/engine/record-changes.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import {
  appending,
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

// STK-1 … STK-3 where something is odd about the work, the plan or the repository.

test.after(closeWorkshops);

async function upToMerge({ context, session }: StackBench): Promise<void> {
  await runWorkWave(context, session);
  await runValidateWave(context, session);
  await runMergeWave(context, session);
}

function write({ worktree }: Pick<AgentRequest, 'worktree'>, path: string, content: string | Buffer): void {
  const file = join(worktree.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

test('STK-1 a lock of everything builds on all that is there, and everything after it builds on that', async () => {
  const bench = await openStack({
    tasks: [
      { id: 'a', locks: ['src/a.js'], priority: 1 },
      { id: 'b', locks: ['lib/b.js'], priority: 1 },
      { id: 'c', locks: ['**'], priority: 2 },
      { id: 'd', locks: ['src/a.js'], priority: 3 },
    ],
    agent: appending((task) => ({ b: 'lib/b.js', d: 'src/a.js' })[task] ?? `src/${task}.js`),
  });
  await runStack(bench);
  assert.equal(
    (await bench.tasks()).map(({ status, built_on: builtOn = [] }) => [status, builtOn.map(({ task }) => task)]),
    [
      ['merged', []],
      ['merged', []],
      ['merged', ['a', 'b']],
      ['merged', ['c']],
    ],
  );
});

test('STK-2 tasks that share a file and depend on the group of each other land once each', async () => {
  const bench = await openStack({
    tasks: [
      { id: 'a1', group: 'a' },
      { id: 'b1', group: 'b', needs: ['a1'] },
      { id: 'a2', group: 'a', needs: ['b1'] },
      { id: 'c1', group: 'c' },
    ],
  });
  await runStack(bench);
  assert.equal(landedText(bench).split('\n').sort(), ['a1', 'a2', 'b1', 'c1']);
  assert.equal(bench.asked.map(({ changeset }) => changeset.group).sort(), ['a+b', 'c']);
});

test('STK-1 a chain of thirty: one attempt each, and all lines land in one cycle', async () => {
  const ids = Array.from({ length: 30 }, (_, at) => `t${String(at).padStart(2, '0')}`);
  const bench = await openStack({ tasks: ids.map((id) => ({ id })) });
  await runStack(bench);
  assert.is(landedText(bench), ids.join('\n'));
  assert.is(bench.started.length, 30);
  for (const { built_on: builtOn = [] } of await bench.tasks()) assert.ok(builtOn.length <= 1);
});

test('STK-3 a base that moved into the file: what conflicts goes back, the others stand without it', async () => {
  const bench = await openStack({
    tasks: ['a', 'b', 'c'].map((id) => ({ id })),
    agent: filling,
    files: { [shared]: roomFor(['a', 'b', 'c']) },
  });
  await upToMerge(bench);
  const { repo } = bench;
  repo.write(shared, roomFor(['a', 'b', 'c']).replace('# a\n', '# a\nby hand\n'));
  repo.commit('by hand');
  await runStack(bench);
  assert.equal(filled(bench), ['by hand', 'b', 'c']);
  assert.equal(
    (await bench.tasks()).map(({ status }) => status),
    ['requeued', 'merged', 'merged'],
  );
});

test('STK-3 a rename in the middle: what was written below it goes, what was written on top stays', async () => {
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b', locks: ['src'] }, { id: 'c', locks: ['src'] }],
    agent: (request, attempt) => {
      if (request.task === 'a') return filling(request, attempt);
      const [from, to] = [shared, 'src/cost.js'].map((path) => join(request.worktree.path, path));
      if (request.task === 'b') renameSync(from ?? '', to ?? '');
      else writeFileSync(to ?? '', readFileSync(to ?? '', 'utf8').replace('# c\n', '# c\nc\n'));
      return {};
    },
    files: { [shared]: roomFor(['a', 'b', 'c']) },
    decide: (group) => (group === 'a' ? { kind: 'reject', reason: 'no' } : undefined),
  });
  await runStack(bench);
  const lines = landedText(bench, 'src/cost.js').split('\n');
  assert.equal([lines.includes('a'), lines.includes('c')], [false, true]);
  assert.is(bench.repo.git('ls-tree', '--name-only', 'main', 'src/price.js'), '');
});

test('STK-3 a binary that both touched goes back without the one below', async () => {
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b' }],
    agent: (request) => {
      write(request, shared, Buffer.from([0, 1, 2, request.task === 'a' ? 3 : 4]));
      return {};
    },
    files: { [shared]: '\0\x01\x02' },
    decide: (group) => (group === 'a' ? { kind: 'reject', reason: 'no' } : undefined),
  });
  await runStack(bench);
  const b = await bench.task('b');
  assert.is(b.status, 'requeued');
  assert.match(b.result.notes, /conflicts in src\/price\.js/);
});

test('STK-3 dropped in the middle while the next one runs: the next one is put on what remains', async () => {
  const drop = async (bench: StackBench): Promise<void> => {
    await decideAndRecord(bench.context, bench.session, ({ tasks, ...view }) => {
      const task = requireTaskInView({ ...view, tasks }, 'b');
      return {
        steps: withdrawTasks(tasks, [dropTask(task, { reason: 'not wanted' })], '2026-02-06T15:00:00Z'),
      };
    });
  };
  let dropped: Promise<void> = Promise.resolve();
  const bench: StackBench = await openStack({
    tasks: ['a', 'b', 'c', 'd'].map((id) => ({ id })),
    agent: (request, attempt) => {
      if (request.task === 'c') dropped = drop(bench);
      return filling(request, attempt);
    },
    files: { [shared]: roomFor(['a', 'b', 'c', 'd']) },
  });
  await runStack(bench);
  await dropped;
  assert.equal(filled(bench), ['a', 'c', 'd']);
  assert.is(bench.started.length, 4);
});

test('UNI-3 MRG-9 a branch amended by hand changes nothing of what stands on it: what was judged lands, and it is said', async () => {
  const bench = await openStack({ tasks: [{ id: 'a' }, { id: 'b' }] });
  await runWorkWave(bench.context, bench.session);
  const { repo } = bench;
  const a = await bench.task('a');
  repo.git('checkout', '-q', '--detach', a.commit ?? '');
  repo.write(shared, 'other\n');
  repo.git('commit', '-q', '-a', '--amend', '-m', 'other');
  repo.git('branch', '-f', a.branch ?? '', 'HEAD');
  repo.git('checkout', '-q', 'main');
  await runStack(bench);
  assert.is(landedText(bench), 'a\nb');
  const told = bench.events.flatMap((one) => (one.event === 'notice' ? one.message : []));
  assert.match(told.join('\n'), new RegExp(`branch of a moved to .* Only ${a.commit?.slice(0, 10)} was judged`));
});

test('STK-3 an attempt that is done again is shown its own change, not that of what was refused below it', async () => {
  const prompts: string[] = [];
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b' }],
    decide: (group) => (group === 'a' ? { kind: 'reject', reason: 'no' } : undefined),
    gates: { session: async () => ({ kind: 'continue' }) },
    config: { roles: { worker: { adapter: 'claude' } }, limits: { max_wave_cycles: 2 } },
    agent: (request, attempt) =>
      request.role === 'validator'
        ? { answer: { status: 'pass', notes: 'Fine.', issues: [] } }
        : appending()(request, attempt),
  });
  const context = {
    ...bench.context,
    prompts: {
      lastWord: () => '',
      render: (data: { readonly role: string; readonly earlier?: string }) => {
        if (data.earlier) prompts.push(data.earlier);
        return { system: '', prompt: '' };
      },
    },
    reload: async () => context,
  };
  await runStack({ ...bench, context });
  const own = prompts.filter((diff) => diff.includes('+b'));
  assert.is(own.length, 1);
  assert.is(
    own.some((diff) => diff.includes('+a')),
    false,
  );
});

test.run();
