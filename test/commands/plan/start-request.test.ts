import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { goingOn, isMeant, type StartWish } from '../../../lib/commands/plan/start-request.ts';

const planning = { wave: 'plan', objective: 'Do it' } as const;
const working = { wave: 'work', objective: 'Do it' } as const;

function wish(wanted: Partial<StartWish>): StartWish {
  return { ...goingOn, ...wanted };
}

test('without an objective the open session is meant, with --new never', () => {
  assert.ok(isMeant(working, goingOn));
  assert.not(isMeant(working, wish({ isBeside: true })));
});

test('a plan file or the objective again is about the open session while it has no plan', () => {
  assert.ok(isMeant(planning, wish({ from: 'plan.yml' })));
  assert.ok(isMeant(planning, wish({ objective: 'Do it' })));
  assert.not(isMeant(planning, wish({ objective: 'Something else' })));
  assert.not(isMeant(working, wish({ from: 'plan.yml' })));
  assert.not(isMeant(working, wish({ objective: 'Do it' })));
});

test.run();
