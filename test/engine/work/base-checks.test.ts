import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BaseDecision } from '../../../lib/domain/ports/gates.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const tasks = [{ id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['src/a.txt'] }];

/** An engine whose diagnostics fail, with a person at a terminal who answers so. */
async function openRed(
  answer: BaseDecision,
  adapter: string,
): Promise<{ readonly bench: TestWorkshop; readonly context: RunContext; readonly asked: string[][] }> {
  const asked: string[][] = [];
  const tried = new Map<string, string>();
  const bench = await openTestWorkshop({
    tasks,
    config: {
      roles: { worker: { adapter } },
      validation: { validator_diagnostics: { enabled: true, commands: ['npm test'] } },
    },
    gates: {
      base: async ({ failing }) => {
        asked.push([...failing]);
        return answer;
      },
    },
    agent: ({ worktree }) => {
      mkdirSync(join(worktree.path, 'src'), { recursive: true });
      // What the commit holds already would be no work, and be tried again.
      writeFileSync(join(worktree.path, 'src/a.txt'), 'by an agent\n');
      return {};
    },
  });
  const context: RunContext = {
    ...bench.context,
    agents: {
      ...bench.context.agents,
      runCommand: async () => ({ exitCode: 1, timedOut: false, duration_ms: 0, output: 'broken' }),
    },
    trialCache: {
      read: async (key) => tried.get(key) ?? null,
      write: async (key, text) => void tried.set(key, text),
    },
  };
  return { bench, context, asked };
}

test('DSK-4 a person at a terminal is asked before agents are paid for what cannot pass, and may stop', async () => {
  const { bench, context, asked } = await openRed({ kind: 'stop' }, 'claude');
  const stopped = await runWorkWave(context, bench.session).catch((error: unknown) => error);
  assert.match(String(stopped), /No agent was started: diagnostics fail on the base already/);
  assert.equal(asked, [['npm test fails on main already (exit 1)']]);
  assert.equal(bench.started, []);
  const { tasks: now } = await viewSession(context, bench.session);
  assert.equal(
    now.map(({ status, retry_count }) => [status, retry_count]),
    [['pending', 0]],
  );
});

test('DSK-4 a yes is not asked for again, and scripts cost nothing', async () => {
  const paid = await openRed({ kind: 'go-on' }, 'claude');
  await runWorkWave(paid.context, paid.bench.session);
  assert.is(paid.bench.started.length, 1);
  await runWorkWave(paid.context, paid.bench.session);
  assert.is(paid.asked.length, 1);
  const free = await openRed({ kind: 'stop' }, 'exec');
  await runWorkWave(free.context, free.bench.session);
  assert.is(free.asked.length, 0);
  assert.is(free.bench.started.length, 1);
});

test('UNI-5 an agent that did nothing is tried again unless it says why in the form asked for', async () => {
  const outcomes = async (text: string): Promise<readonly [number, string]> => {
    const bench = await openTestWorkshop({
      tasks,
      config: { limits: { max_retries: 1 } },
      agent: () => ({ text }),
    });
    await runWorkWave(bench.context, bench.session);
    const { tasks: now } = await viewSession(bench.context, bench.session);
    return [bench.started.length, now[0]?.reason ?? ''];
  };
  assert.equal(await outcomes('All done and committed.'), [2, 'It ended without a change inside its scope.']);
  assert.equal(await outcomes('I looked.\nNOT DONE: there is no src.'), [
    1,
    'It ended without a change inside its scope, and said: there is no src.',
  ]);
});

test.run();
