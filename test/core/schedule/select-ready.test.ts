import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { computeChainLengths, predictTaskBatches } from '../../../lib/core/schedule/predict-batches.ts';
import { msUntilNextBackoffEnds, selectReadyTasks } from '../../../lib/core/schedule/select-ready.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { makeRandom as seeded } from '../../support/random.ts';
import { alterTask, makeTask } from '../../support/tasks.ts';

const now = Date.parse('2026-02-06T15:00:00Z');
const later = '2026-02-06T15:00:02.500Z';

function select(
  tasks: readonly Task[],
  options: { limit?: number; running?: readonly Task[]; judged?: readonly string[] } = {},
) {
  const { limit = 4, running = [], judged = [] } = options;
  const { selected, deferred } = selectReadyTasks({ tasks, running, judged: new Set(judged), limit, now });
  return {
    selected: selected.map(({ id }) => id as string),
    deferred: deferred.map(({ task, because }) => `${task.id} ${because}`),
  };
}

test('SCH-1 by priority, then id, up to the limit', () => {
  const tasks = [
    makeTask('c', { priority: 1 }),
    makeTask('b', { priority: 2 }),
    makeTask('a', { priority: 2 }),
    makeTask('d', { priority: 3 }),
  ];
  assert.equal(select(tasks, { limit: 3 }), {
    selected: ['c', 'a', 'b'],
    deferred: ['d no agent is free (limit 3)'],
  });
});

test('SCH-1 only pending tasks whose dependencies are all done or merged are ready', () => {
  const tasks = [
    makeTask('done', { status: 'done' }),
    makeTask('merged', { status: 'merged' }),
    makeTask('failed', { status: 'failed' }),
    makeTask('requeued', { status: 'requeued' }),
    makeTask('blocked', { status: 'blocked' }),
    makeTask('on-done', { dependencies: ['done', 'merged'] }),
    makeTask('on-failed', { dependencies: ['done', 'failed'] }),
    makeTask('on-requeued', { dependencies: ['requeued'] }),
    makeTask('on-nothing-known', { dependencies: ['nowhere'] }),
    makeTask('on-pending', { dependencies: ['on-done'] }),
  ];
  assert.equal(select(tasks), { selected: ['on-done'], deferred: [] });
});

test('SCH-1 a task waits until its backoff has elapsed', () => {
  const tasks = [
    makeTask('early', { not_before: new Date(now).toISOString() }),
    makeTask('late', { not_before: later }),
  ];
  assert.equal(select(tasks).selected, ['early']);
});

test('SCH-3 an agent that is over gives its place away while its work is judged', () => {
  const tasks = [makeTask('a', { status: 'claimed' }), makeTask('b'), makeTask('c')];
  assert.equal(select(tasks, { limit: 1 }).selected, []);
  assert.equal(select(tasks, { limit: 1, judged: ['a'] }).selected, ['b']);
});

test('SCH-3 what needs judged work, or a file of it, waits for the verdict', () => {
  const tasks = [
    makeTask('a', { status: 'claimed', file_locks: ['src/a.ts'] }),
    makeTask('on-a', { dependencies: ['a'] }),
    makeTask('same-file', { file_locks: ['src/'] }),
  ];
  assert.equal(select(tasks, { judged: ['a'] }).selected, []);
});

test('STK-4 the place of judged work is kept for a longer chain that goes on with it', () => {
  const chain = [
    makeTask('a', { status: 'claimed' }),
    makeTask('b', { dependencies: ['a'] }),
    makeTask('c', { dependencies: ['b'] }),
  ];
  const alone = makeTask('alone');
  assert.equal(select([...chain, alone], { limit: 1, judged: ['a'] }).selected, []);
  assert.equal(select([...chain, alone], { limit: 2, judged: ['a'] }).selected, ['alone']);
  // What waits for others too is not ready in a moment.
  const waiting = chain.map((task) =>
    task.id === 'b' ? { ...task, dependencies: [...task.dependencies, alone.id] } : task,
  );
  assert.equal(select([...waiting, alone], { limit: 1, judged: ['a'] }).selected, ['alone']);
});

test('SCH-1 a lower priority goes where a higher one is deferred', () => {
  const tasks = [
    makeTask('a', { priority: 1, file_locks: ['src/'] }),
    makeTask('b', { priority: 2, file_locks: ['docs/x.md', 'src/a.ts'] }),
    makeTask('c', { priority: 3, file_locks: ['docs/**'] }),
  ];
  assert.equal(select(tasks), { selected: ['a', 'c'], deferred: ['b shares src/a.ts with a'] });
});

test('SCH-2 what runs holds its locks and its place, named or found among the tasks', () => {
  const running = makeTask('run', { status: 'claimed', file_locks: ['src/**'] });
  const tasks = [makeTask('a', { file_locks: ['src/x.ts'] }), makeTask('b'), makeTask('c')];
  const rest = tasks.map((task, index) => (index === 0 ? task : { ...task, file_locks: [`docs/${task.id}`] }));
  const expected = {
    selected: ['b'],
    deferred: ['a shares src/x.ts with run', 'c no agent is free (limit 2)'],
  };
  assert.equal(select(rest, { limit: 2, running: [running] }), expected);
  assert.equal(select([...rest, running], { limit: 2 }), expected);
  assert.equal(select([...rest, running], { limit: 2, running: [running] }), expected);
});

test('SCH-3 a deferred task is taken as soon as its locks are free', () => {
  const tasks = [makeTask('a', { file_locks: ['src/'] }), makeTask('b', { file_locks: ['src/b.ts'] })];
  assert.equal(select(tasks).selected, ['a']);
  assert.equal(select([alterTask(tasks[0]!, { status: 'done' }), tasks[1]!]).selected, ['b']);
});

test('no limit is exceeded by what runs already', () => {
  const running = [makeTask('x', { status: 'claimed' }), makeTask('y', { status: 'claimed' })];
  assert.equal(select([makeTask('a')], { limit: 1, running }).selected, []);
});

test('the next wake is the earliest backoff of a task that nothing else holds back', () => {
  const soon = '2026-02-06T15:00:01Z';
  const tasks = [
    makeTask('a', { not_before: later }),
    makeTask('b', { not_before: '2026-02-06T15:01:00Z' }),
    makeTask('c', { not_before: soon, status: 'dropped' }),
    makeTask('d', { not_before: soon, dependencies: ['a'] }),
    makeTask('e', { not_before: '2026-02-06T14:59:00Z' }),
    makeTask('f'),
  ];
  assert.is(msUntilNextBackoffEnds(tasks, now), 2_500);
  assert.is(msUntilNextBackoffEnds(tasks.slice(2), now), null);
  assert.is(msUntilNextBackoffEnds([], now), null);
});

test('STK-4 of equal priority the one goes first that the longest chain waits for, then by id', () => {
  const tasks = [
    makeTask('a', { file_locks: ['docs/a.md'] }),
    makeTask('b', { file_locks: ['src/x.ts'] }),
    makeTask('c', { file_locks: ['src'] }),
    makeTask('d', { file_locks: ['src/x.ts'] }),
    makeTask('e', { file_locks: ['lib/e.ts'] }),
    makeTask('f', { file_locks: ['lib/f.ts'], dependencies: ['e'] }),
    makeTask('g', { file_locks: ['test/**'], priority: 9 }),
    makeTask('h', { file_locks: ['test/h.ts'], priority: 9 }),
  ];
  assert.equal(select(tasks, { limit: 2 }).selected, ['b', 'e']);
  assert.equal(select([...tasks].reverse(), { limit: 2 }).selected, ['b', 'e']);
});

test('STK-4 with overlaps and dependencies at random all is done within a tenth of the critical path', () => {
  const random = seeded(7);
  let [rounds, shortest] = [0, 0];
  for (let run = 0; run < 60; run += 1) {
    const tasks = Array.from({ length: 24 }, (_, at) =>
      makeTask(`t${String(at).padStart(2, '0')}`, {
        file_locks: [`src/${random.int(1, 6)}.ts`],
        dependencies: random.chance(0.3) && at > 0 ? [`t${String(random.int(0, at - 1)).padStart(2, '0')}`] : [],
      }),
    );
    rounds += predictTaskBatches(tasks, 4).length;
    shortest += lowerBound(tasks, 4);
  }
  assert.ok(rounds <= shortest * 1.1, `${rounds} rounds, ${shortest} at least`);
});

/** No order can do better: by agents, by the most wanted file, by the longest chain of dependencies. */
function lowerBound(tasks: readonly Task[], limit: number): number {
  const files = new Map<string, number>();
  const depth = new Map<string, number>();
  for (const {
    id,
    file_locks: [file = ''],
    dependencies,
  } of tasks) {
    files.set(file, (files.get(file) ?? 0) + 1);
    depth.set(id, 1 + Math.max(0, ...dependencies.map((need) => depth.get(need) ?? 0)));
  }
  return Math.max(Math.ceil(tasks.length / limit), ...files.values(), ...depth.values());
}

test('STK-4 ten thousand tasks are put in order in a moment, whatever they lock', () => {
  const tasks = Array.from({ length: 10_000 }, (_, at) =>
    makeTask(`t${at}`, { file_locks: [`src/${at % 100}/${at}.ts`, ...(at % 500 === 0 ? ['**'] : [])] }),
  );
  assert.is(computeChainLengths(tasks).size, 10_000);
});

test.run();
