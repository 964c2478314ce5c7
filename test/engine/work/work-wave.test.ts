import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { workWave } from '../../../lib/engine/work/work-wave.ts';
import type { Workshop } from '../../../lib/engine/workshop.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const ids = ['a', 'b', 'c', 'd'];

/** One agent at once on tasks that have nothing to do with each other. */
function openWave(): Promise<TestWorkshop> {
  return openTestWorkshop({
    tasks: ids.map((id) => ({ id, title: `Do ${id}`, description: '.', file_locks: [`src/${id}.txt`] })),
    config: { concurrency: { development: 1, adaptive: false } },
    agent: ({ worktree, task }) => {
      const file = join(worktree.path, `src/${task}.txt`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'work\n');
      return {};
    },
  });
}

/** Holds back what comes after a step until the wave has looked around in vain so often. */
function heldWave(
  { workshop, started }: TestWorkshop,
  hold: (workshop: Workshop, held: (task: string) => Promise<void>) => Workshop,
): { readonly workshop: Workshop; readonly startedMeanwhile: ReadonlyMap<string, number> } {
  const startedMeanwhile = new Map<string, number>();
  let waiting: (() => void)[] = [];
  let looks = 0;
  const held = async (task: string): Promise<void> => {
    looks = 0;
    await new Promise<void>((resolve) => waiting.push(resolve));
    startedMeanwhile.set(task, started.length);
  };
  const slow: Workshop = {
    ...workshop,
    machine: {
      ...workshop.machine,
      sleep: async (ms, signal) => {
        await workshop.machine.sleep(ms, signal);
        if (!signal.aborted) looks += 1;
        if (looks < 3) return;
        looks = 0;
        for (const go of waiting) go();
        waiting = [];
      },
    },
  };
  return { workshop: hold(slow, held), startedMeanwhile };
}

test('SCH-3 the next agent starts while the work of the last one is judged, and no more wait than there are agents', async () => {
  const wave = await openWave();
  const { workshop, startedMeanwhile } = heldWave(wave, (slow, held) => ({
    ...slow,
    git: {
      ...slow.git,
      importCell: async (cell, tip) => {
        await held(cell.path);
        await slow.git.importCell(cell, tip);
      },
    },
  }));
  await workWave(workshop, wave.session);
  assert.is([...startedMeanwhile.values()][0], 2, 'one is judged, and the next one is at work');
  assert.equal(
    (await wave.said.snapshot()).tasksOf(wave.session).map(({ status }) => status),
    ids.map(() => 'done'),
  );
});

test('SCH-3 nobody waits for the worktree of accepted work to be removed', async () => {
  const wave = await openTestWorkshop({
    tasks: [
      { id: 'a', title: 'Do a', description: '.', file_locks: ['src/a.txt'] },
      { id: 'b', title: 'Do b', description: '.', file_locks: ['src/a.txt'], dependencies: ['a'] },
    ],
    agent: ({ worktree, task }) => {
      writeFileSync(join(worktree.path, 'src/a.txt'), `work of ${task}\n`);
      return {};
    },
  });
  const { workshop, startedMeanwhile } = heldWave(wave, (slow, held) => ({
    ...slow,
    git: {
      ...slow.git,
      discardCell: async (cell) => {
        await held(cell.path);
        await slow.git.discardCell(cell);
      },
    },
  }));
  await workWave(workshop, wave.session);
  assert.is([...startedMeanwhile.values()][0], 2);
});

test.run();
