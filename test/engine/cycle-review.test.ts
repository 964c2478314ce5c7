import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endCycle } from '../../lib/engine/end-cycle.ts';
import { viewSession } from '../../lib/engine/record.ts';
import { closeWorkshops, openTestWorkshop } from '../support/workshop.ts';

test.after(closeWorkshops);

const tasks = [{ id: 'a', title: 'A', description: 'true', file_locks: ['a'] }];

async function after(review: boolean, isLed: boolean) {
  const asked: string[] = [];
  const { workshop, session } = await openTestWorkshop({
    agent: () => ({}),
    tasks,
    config: { queen: { review } },
    gates: {
      session: async () => {
        asked.push('session');
        return { kind: 'stop' };
      },
    },
  });
  workshop.run.isLed = isLed;
  await endCycle(workshop, session);
  const { session: now } = await viewSession(workshop, session);
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

test.run();
