import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunContext } from '../../lib/engine/run-context.ts';
import { runWorkWave } from '../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop } from '../support/workshop.ts';

test.after(closeWorkshops);

const perAgentMb = 1_000;
const tasks = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({
  ...{ id, title: `Do ${id}`, description: 'Do it.', file_locks: [`src/${id}.txt`] },
}));

/** How many agents ran at most, on a machine with so much memory, where each takes up what it uses only by and by. */
async function mostAtOnce(freeMb: number, usesMb: number): Promise<number> {
  const { context, session } = await openTestWorkshop({
    tasks,
    config: {
      concurrency: { development: 5, adaptive: true, adaptive_min_ram_per_agent_mb: perAgentMb },
    },
    agent: ({ worktree, task }) => {
      const file = join(worktree.path, `src/${task}.txt`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'work\n');
      return {};
    },
  });
  const running: (() => void)[] = [];
  let most = 0;
  const slow: RunContext = {
    ...context,
    agents: {
      ...context.agents,
      usedMemoryMb: () => running.map(() => usesMb),
      start: async (request, onActivity) => {
        const agent = await context.agents.start(request, onActivity);
        const end = new Promise<void>((resolve) => running.push(resolve));
        return { ...agent, outcome: end.then(() => agent.outcome) };
      },
    },
    machine: {
      ...context.machine,
      freeMemoryMb: () => freeMb - running.length * usesMb,
      // Nothing more starts: one of them is done.
      sleep: async (ms, signal) => {
        await context.machine.sleep(ms, signal);
        if (signal.aborted) return;
        most = Math.max(most, running.length);
        running.shift()?.();
      },
    },
  };
  await runWorkWave(slow, session);
  return most;
}

test('CFG-3 agents that run will still take what they were counted for: no more are started beside them', async () => {
  assert.is(await mostAtOnce(3 * perAgentMb, 0), 3);
  assert.is(await mostAtOnce(3 * perAgentMb, perAgentMb / 2), 3);
  assert.is(await mostAtOnce(perAgentMb / 2, 0), 1);
  assert.is(await mostAtOnce(9 * perAgentMb, 0), 5);
});

test.run();
