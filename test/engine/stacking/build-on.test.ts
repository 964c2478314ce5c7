import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { appending, landedText, openStack, runStack } from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

// STK-1, STK-2: tasks that lock the same file start from each other's work and land on top of each other.

test.after(closeWorkshops);

test('STK-1 three groups that write one file: one attempt each, one cycle, every line lands', async () => {
  const bench = await openStack({ tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] });
  await runStack(bench);
  assert.is(landedText(bench), 'a\nb\nc');
  assert.equal(
    bench.started.map(({ task }) => task),
    ['a', 'b', 'c'],
  );
  const { session, tasks } = await viewSession(bench.context, bench.session);
  assert.is(session.cycle, 1);
  assert.equal(
    tasks.map(({ built_on: builtOn = [] }) => builtOn.map(({ task }) => task as string)),
    [[], ['a'], ['b']],
  );
  const [a, b] = tasks;
  assert.is(b?.start_commit, a?.commit);
});

test('STK-2 each changeset has the one below as parent, shows its own line alone, and lands as it was shown', async () => {
  const bench = await openStack({ tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] });
  await runStack(bench);
  const { repo, asked } = bench;
  const shown = asked.map(({ changeset }) => changeset);
  assert.equal(
    shown.map(({ group, depends_on }) => [group, depends_on]),
    [
      ['a', []],
      ['b', ['a']],
      ['c', ['b']],
    ],
  );
  const [a, b, c] = shown;
  assert.equal([b?.parent, c?.parent], [a?.commit, b?.commit]);
  assert.equal(
    shown.map(({ diffstat }) => diffstat),
    shown.map(() => ({ files: 1, insertions: 1, deletions: 0 })),
  );
  assert.is(repo.git('rev-parse', 'main'), c?.commit);
  assert.is(repo.git('rev-list', '--count', '--first-parent', `${a?.base}..main`), '3');
});

test('STK-5 with overlap: separate each starts from the base, and what conflicts is done again', async () => {
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b' }],
    config: { roles: { worker: { adapter: 'exec' } }, concurrency: { overlap: 'separate' } },
    gates: { session: async () => ({ kind: 'continue' }) },
  });
  await runStack(bench);
  assert.equal(
    bench.started.map(({ task }) => task),
    ['a', 'b', 'b'],
  );
  assert.is((await viewSession(bench.context, bench.session)).session.cycle, 2);
  assert.is(landedText(bench), 'a\nb again 2');
});

test('STK-1 works that are apart are joined below one that overlaps with both', async () => {
  const bench = await openStack({
    tasks: [
      { id: 'a', locks: ['src/a.js'] },
      { id: 'b', locks: ['src/b.js'] },
      { id: 'c', locks: ['src'] },
    ],
    agent: appending((task) => `src/${task}.js`),
  });
  await runStack(bench);
  const c = await bench.task('c');
  assert.equal(
    (c.built_on ?? []).map(({ task }) => task as string),
    ['a', 'b'],
  );
  assert.is(landedText(bench, 'src/c.js'), 'c');
  const [, , changeset] = bench.asked;
  assert.equal(changeset?.changeset.depends_on, ['a', 'b']);
  assert.is(changeset?.changeset.diffstat.files, 1);
  assert.is(bench.repo.git('rev-list', '--count', '--first-parent', `${changeset?.changeset.base}..main`), '3');
});

test('STK-2 groups built on each other in turn are shown in parts, not as one', async () => {
  const bench = await openStack({
    tasks: [
      { id: 'a1', group: 'a' },
      { id: 'b1', group: 'b' },
      { id: 'c1', group: 'a' },
    ],
  });
  await runStack(bench);
  assert.equal(
    bench.asked.map(({ changeset: { group, tasks, depends_on } }) => [group, tasks, depends_on]),
    [
      ['a', ['a1'], []],
      ['b', ['b1'], ['a']],
      ['a-2', ['c1'], ['b']],
    ],
  );
  assert.is(landedText(bench), 'a1\nb1\nc1');
});

test('STK-2 nothing lands with one that was not approved: the one on top waits', async () => {
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b' }],
    decide: (group) => (group === 'a' ? { kind: 'skip' } : undefined),
  });
  await runStack(bench);
  const { session } = await viewSession(bench.context, bench.session);
  assert.equal(
    session.changesets.map(({ state }) => state),
    ['skipped', 'deferred'],
  );
  assert.is(bench.repo.git('log', '--oneline', '-1', '--format=%s', 'main'), 'initial commit');
});

test.run();
