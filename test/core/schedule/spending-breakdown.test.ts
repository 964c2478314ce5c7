import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addAgentRunCost,
  breakDownSpending,
  presumeReservationsSpent,
  reserveShare,
} from '../../../lib/core/schedule/budget-state.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import { renderSpendingBreakdown } from '../../../lib/ui/render/render-session.ts';
import { sampleSession, sampleSessionId } from '../../store/sample.ts';
import { plainStyle } from '../../ui/samples.ts';

const told = (session: Session): readonly string[] =>
  renderSpendingBreakdown(breakDownSpending(session), plainStyle(), '');

function runOf(session: Session, machine: string, agent: string): Session {
  const held = reserveShare(session, { limit: 100, unit: 'usd', most: 4, machine, agent })?.session;
  assert.ok(held);
  return held;
}

function bookedOf(session: Session, machine: string, agent: string, cost: number): Session {
  return addAgentRunCost(runOf(session, machine, agent), {
    ...{ id: agent, role: 'worker', task_id: null, model: 'sonnet', started_at: '', ended_at: '' },
    ...{ outcome: 'ended', cost_usd: cost, tokens: 0 },
  });
}

test('BUD-2 who wonders about money is told who spent it, and what counts as spent, and nothing where there is neither', () => {
  const none = sampleSession(sampleSessionId);
  assert.equal([breakDownSpending(none), told(none)], [{}, []]);
  const one = bookedOf(none, 'host/1', 'a', 1.25);
  assert.equal(told(one), []);
  const two = bookedOf(one, 'host/2', 'b', 0.5);
  assert.equal(told(two), ['by machine: host/1 $1.25, host/2 $0.50']);
  // Set aside is not spent, until its machine is given up.
  const held = runOf(two, 'host/2', 'c');
  assert.equal(told(held), told(two));
  const gone = presumeReservationsSpent(held, ({ machine }) => machine === 'host/2');
  assert.equal(breakDownSpending(gone).presumed_spent, { cost_usd: 4, tokens: 0, machines: ['host/2'] });
  assert.equal(told(gone), [
    'by machine: host/1 $1.25, host/2 $0.50; also counted as spent: $4.00, which host/2 had reserved and may have spent',
  ]);
});

test.run();
