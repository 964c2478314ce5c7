import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  continueOpenSession,
  type StartRequest,
  selectsOpenSession,
} from '../../../lib/commands/plan/start-request.ts';

const planning = { wave: 'plan', objective: 'Do it' } as const;
const working = { wave: 'work', objective: 'Do it' } as const;

function wish(wanted: Partial<StartRequest>): StartRequest {
  return { ...continueOpenSession, ...wanted };
}

test('without an objective the open session is meant, with --new never', () => {
  assert.ok(selectsOpenSession(working, continueOpenSession));
  assert.not(selectsOpenSession(working, wish({ isBeside: true })));
});

test('a plan file or the objective again is about the open session while it has no plan', () => {
  assert.ok(selectsOpenSession(planning, wish({ from: 'plan.yml' })));
  assert.ok(selectsOpenSession(planning, wish({ objective: 'Do it' })));
  assert.not(selectsOpenSession(planning, wish({ objective: 'Something else' })));
  assert.not(selectsOpenSession(working, wish({ from: 'plan.yml' })));
  assert.not(selectsOpenSession(working, wish({ objective: 'Do it' })));
});

test.run();
