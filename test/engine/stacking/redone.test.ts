import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Gates } from '../../../lib/domain/ports/gates.ts';
import { filled, filling, openStack, roomFor, runStack, type StackBench, shared } from '../../support/stack.ts';
import { closeWorkshops, type FakeAgent } from '../../support/workshop.ts';

// STK-3: what depends on work that is done again is kept, and put on the new work.

test.after(closeWorkshops);

const chain = [{ id: 'a' }, { id: 'b', needs: ['a'], locks: [shared] }, { id: 'c', needs: ['b'], locks: [shared] }];

/** Says no to a group the first time it is shown. */
function rejectsOnce(group: string): Pick<Gates, 'changeset' | 'session'> {
  let isRejected = false;
  return {
    changeset: async ({ changeset }) => {
      if (changeset.group !== group || isRejected) return { kind: 'approve' };
      isRejected = true;
      return { kind: 'reject', reason: 'not like this' };
    },
    session: async () => ({ kind: 'continue' }),
  };
}

function attempts({ started }: StackBench): readonly string[] {
  return started.filter(({ role }) => role === 'worker').map(({ task }) => task ?? '');
}

test('STK-3 what depends on a rejected task is kept, put on its new work, validated again and lands: one worker is paid', async () => {
  const judged: string[] = [];
  const seen: (readonly string[])[] = [];
  const gates = rejectsOnce('a');
  const bench: StackBench = await openStack({
    tasks: chain,
    files: { [shared]: roomFor(['a', 'b', 'c']) },
    config: { roles: { worker: { adapter: 'exec' }, validator: { adapter: 'claude' } } },
    agent: (request, attempt) => {
      if (request.role !== 'validator') return filling(request, attempt);
      judged.push(request.task ?? '');
      return { answer: { status: 'pass', notes: 'Fine.', issues: [] } };
    },
    gates: {
      ...gates,
      session: async () => {
        seen.push((await bench.tasks()).map(({ id, status }) => `${id} ${status}`));
        return { kind: 'continue' };
      },
    },
  });
  await runStack(bench);
  // The fake agent counts validators too.
  assert.equal(seen, [['a requeued', 'b done', 'c done']]);
  assert.equal(attempts(bench), ['a', 'b', 'c', 'a']);
  assert.equal(filled(bench), ['a again 3', 'b', 'c']);
  assert.equal(judged.sort(), ['a', 'a', 'b', 'b', 'c', 'c']);
  const [, b, c] = await bench.tasks();
  assert.equal([b?.history.length, c?.history.length], [1, 1]);
  assert.is(c?.start_commit, b?.commit);
});

test('STK-3 only what conflicts with the new work goes back to its worker', async () => {
  const apart: FakeAgent = (request, attempt) => {
    if (request.task !== 'b') return filling(request, attempt);
    // Right where a writes.
    const path = join(request.worktree.path, shared);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/^a.*$/m, (line) => `${line} and b`),
    );
    return {};
  };
  const bench = await openStack({
    tasks: [...chain.slice(0, 2), { id: 'd', needs: ['a'], locks: [shared] }],
    files: { [shared]: roomFor(['a', 'b', 'd']) },
    agent: apart,
    gates: rejectsOnce('a'),
  });
  await runStack(bench);
  assert.equal(attempts(bench), ['a', 'b', 'd', 'a', 'b']);
  assert.equal(filled(bench), ['a again 2 and b', 'd']);
});

test('STK-3 while it waits nothing starts from it, and it is neither judged nor merged', async () => {
  let isOver = false;
  const bench = await openStack({
    tasks: [...chain, { id: 'e', needs: ['c'], locks: ['src/e.js'] }],
    files: { [shared]: roomFor(['a', 'b', 'c']), 'src/e.js': '' },
    config: { roles: { worker: { adapter: 'exec' }, validator: { adapter: 'claude' } } },
    agent: (request, attempt) => {
      if (request.role === 'validator')
        return {
          answer: { status: request.task === 'a' && !isOver ? 'fail' : 'pass', notes: 'Seen.', issues: [] },
        };
      if (request.task !== 'e') return filling(request, attempt);
      const path = join(request.worktree.path, 'src/e.js');
      writeFileSync(path, readFileSync(join(request.worktree.path, shared), 'utf8'));
      return {};
    },
    gates: {
      validation: async ({ task }) => {
        assert.is(task.id, 'a');
        isOver = true;
        return { kind: 'requeue', notes: 'once more' };
      },
      session: async () => ({ kind: 'continue' }),
    },
  });
  await runStack(bench);
  assert.equal(attempts(bench), ['a', 'b', 'c', 'e', 'a']);
  assert.equal(filled(bench), ['a again 3', 'b', 'c']);
  assert.is(bench.asked.length, 4);
});

test('STK-3 where the task fails for good, what depends on it is blocked', async () => {
  const bench = await openStack({
    tasks: chain.slice(0, 2),
    files: { [shared]: roomFor(['a', 'b']) },
    agent: (request, attempt) => {
      if (request.task !== 'a' || attempt === 1) return filling(request, attempt);
      const path = join(request.worktree.path, 'outside.txt');
      if (!existsSync(path)) writeFileSync(path, 'not in its locks');
      return {};
    },
    config: { roles: { worker: { adapter: 'exec' } }, limits: { max_retries: 0 } },
    gates: rejectsOnce('a'),
  });
  await runStack(bench);
  assert.equal(
    (await bench.tasks()).map(({ id, status }) => `${id} ${status}`),
    ['a failed', 'b blocked'],
  );
});

test.run();
