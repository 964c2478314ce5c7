import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findUnmatchedLocks } from '../../lib/engine/plan/predict-plan-order.ts';

const there = ['README.md', 'src/a.ts', 'test/a.test.ts'];

/** The tasks, of those with such locks, that match nothing. */
async function unmatched(...locks: readonly (readonly string[])[]): Promise<readonly string[]> {
  const git = { listFiles: async () => there, resolveCommit: async (commit: string) => commit };
  const tasks = locks.map((file_locks, at) => ({ id: `task-00${at + 1}`, file_locks }));
  const found = await findUnmatchedLocks({ git } as never, 'abc' as never, { tasks } as never);
  return found.map(({ task }) => task);
}

test('PLN-5 a task whose wildcards match no file is told of; names of files to make, and no locks, are not', async () => {
  assert.equal(await unmatched(['benchmarks/**']), ['task-001']);
  assert.equal(await unmatched(['benchmarks/'], ['src/**']), ['task-001']);
  assert.equal(await unmatched(['benchmarks/**', 'src/**']), []);
  assert.equal(await unmatched(['benchmarks/run.ts']), []);
  assert.equal(await unmatched([], ['test/']), []);
});

test('PLN-5 what another task may make is there', async () => {
  assert.equal(await unmatched(['benchmarks/**'], ['benchmarks/run.ts']), []);
});

test('WTR-6 a lock without a file is shown with the files it may mean', async () => {
  const paths = ['app/[slug]/page.tsx', 'app/s/page.tsx', 'lib/a.ts', 'lib/b.ts', 'lib/Cart.ts'];
  const git = { listFiles: async () => paths, resolveCommit: async (commit: string) => commit };
  const closeTo = async (lock: string): Promise<readonly string[]> => {
    const tasks = [{ id: 'task-001', file_locks: [lock, 'app/[slug]/**'] }];
    const found = await findUnmatchedLocks({ git } as never, 'abc' as never, { tasks } as never);
    return found.flatMap(({ close }) => close);
  };
  assert.equal(await closeTo('app/slug/page.tsx'), ['app/[slug]/page.tsx']);
  assert.equal(await closeTo('app/[s]/page.tsx'), ['app/s/page.tsx']);
  assert.equal(await closeTo('lib/[ab].ts'), ['lib/a.ts', 'lib/b.ts']);
  assert.equal(await closeTo('lib/cart.ts'), ['lib/Cart.ts']);
  assert.equal(await closeTo('lib/new.ts'), []);
  assert.equal(await closeTo('app/[id]/page.tsx'), []);
});

test('PLN-5 a commit that is not in this clone is not looked at', async () => {
  const git = { listFiles: async () => assert.unreachable(), resolveCommit: async () => null };
  const tasks = [{ id: 'task-001', file_locks: ['x/**'] }];
  assert.equal(await findUnmatchedLocks({ git } as never, 'abc' as never, { tasks } as never), []);
});

test.run();
