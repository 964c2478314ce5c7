import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentOutcome } from '../../lib/domain/ports/agent-port.ts';
import { runWorkWave } from '../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../support/workshop.ts';

test.after(closeWorkshops);

const notMade = (retryable: boolean): Partial<AgentOutcome> => ({
  failure: {
    kind: 'spawn-failed',
    message: "The agent's cell could not be started.",
    details: ['cannot create cgroup.procs: Directory nonexistent'],
    retryable,
  },
});

async function workWith(failures: number, retryable: boolean): Promise<TestWorkshop> {
  let left = failures;
  const bench = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', file_locks: ['a.txt'] }],
    agent: ({ worktree }) => {
      left -= 1;
      if (left >= 0) return notMade(retryable);
      writeFileSync(join(worktree.path, 'a.txt'), 'done\n');
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  return bench;
}

async function endOf({ context, session }: TestWorkshop): Promise<readonly unknown[]> {
  const [task] = (await context.store.snapshot()).tasksOf(session);
  return [task?.status, task?.retry_count, task?.history.length];
}

test('a cell that could not be made is tried again, and no attempt is used up', async () => {
  const bench = await workWith(2, true);
  assert.is(bench.started.length, 3);
  assert.equal(await endOf(bench), ['done', 0, 1]);
});

test('it is given up after the third time, or at once where it can only fail again', async () => {
  const bench = await workWith(100, true);
  assert.is(bench.started.length, 3);
  assert.equal((await endOf(bench))[0], 'failed');
  assert.is((await workWith(100, false)).started.length, 1);
});

test.run();
