import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionId } from '../../lib/domain/ids.ts';
import { askAboutFailedTasks, askHowToEndCycle } from '../../lib/engine/end-session.ts';
import { askPlanner } from '../../lib/engine/plan/ask-planner.ts';
import { viewSession } from '../../lib/engine/record-changes.ts';
import type { RunContext } from '../../lib/engine/run-context.ts';
import { runWorkWave } from '../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop } from '../support/workshop.ts';

test.after(closeWorkshops);

const tasks = [{ id: 'a', title: 'A', description: 'true', file_locks: ['a'] }];

type End = (context: RunContext, id: SessionId) => Promise<void>;

async function after(review: boolean, isLed: boolean, planner = 'claude', end: End = askHowToEndCycle) {
  const asked: string[] = [];
  const { context, session } = await openTestWorkshop({
    agent: () => ({}),
    tasks,
    config: { queen: { review }, roles: { planner: { adapter: planner } } },
    gates: {
      session: async () => {
        asked.push('session');
        return { kind: 'stop' };
      },
      leftOver: async () => {
        asked.push('left over');
        return { kind: 'stop' };
      },
    },
  });
  context.run.isLed = isLed;
  await end(context, session);
  const { session: now } = await viewSession(context, session);
  return { asked, wave: now.wave, state: now.state, notes: now.sent_back?.notes ?? [] };
}

test('QUE-2 between cycles a planner looks at what came out where the lead wants it, and no person is asked before', async () => {
  const seen = await after(true, false);
  assert.equal([seen.asked, seen.wave, seen.state], [[], 'plan', 'active']);
  assert.match(seen.notes.join(), /Cycle 1 is over: 0 approved/);
});

test('QUE-2 by default, and where a model leads, the person is asked as ever', async () => {
  for (const seen of [await after(false, false), await after(true, true)])
    assert.equal([seen.asked, seen.state, seen.notes], [['session'], 'stopped', []]);
});

const leftOver: End = (context, id) => askAboutFailedTasks(context, id, 'all failed');

test('QUE-2 a planner looks at what is left over too, and a script is asked nothing', async () => {
  const seen = await after(true, false, 'claude', leftOver);
  assert.equal([seen.asked, seen.wave, seen.state], [[], 'plan', 'active']);
  assert.equal((await after(false, false, 'claude', leftOver)).asked, ['left over']);
  assert.equal((await after(true, false, 'exec')).asked, ['session']);
});

test('QUE-2 QUE-3 the planner is told why what is open came to nothing, and what was left with what is done', async () => {
  let told: readonly string[] = [];
  const { context, session } = await openTestWorkshop({
    tasks: [
      { id: 'good', title: 'Good', description: 'x', file_locks: ['good.txt'], cohesion_group: 'g' },
      { id: 'bad', title: 'Bad', description: 'x', file_locks: ['bad.txt'], cohesion_group: 'b' },
    ],
    config: { limits: { max_retries: 0 } },
    agent: ({ worktree, task }) => {
      if (task === 'bad') return { text: 'NOT DONE: the API it needs is gone' };
      if (task === null) return { answer: { tasks: [] } };
      writeFileSync(join(worktree.path, 'good.txt'), 'good');
      return { text: 'Done.\nNOTE: good.txt is read at start' };
    },
  });
  const planning: RunContext = {
    ...context,
    prompts: {
      lastWord: () => '',
      render: (data) => {
        if (data.role === 'planner') told = data.tasks;
        return { system: '', prompt: '' };
      },
    },
  };
  await runWorkWave(planning, session);
  const view = await viewSession(planning, session);
  await askPlanner(planning, { ...view, problems: [], isInteractive: false });
  assert.match(told.find((line) => line.startsWith('good is done')) ?? '', /\ngood\.txt is read at start$/);
  assert.match(told.find((line) => line.startsWith('bad is failed')) ?? '', /the API it needs is gone/);
});

test.run();
