import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultConfig } from '../../../lib/config/load-config.ts';
import {
  addAgentRunCost,
  computeBudgetState,
  presumeReservationsSpent,
  reserveShare,
  withoutReservations,
} from '../../../lib/core/schedule/budget-state.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import { sampleSession, sampleSessionId } from '../../store/sample.ts';
import { makeRandom } from '../../support/random.ts';

const aRun = {
  ...{ role: 'worker' as const, task_id: null, model: 'sonnet', started_at: '', ended_at: '' },
  ...{ outcome: 'ended', tokens: 0 },
} as const;
const limit = 10;
const wanted = { limit, unit: 'usd' as const, most: 4, machine: 'host/1' };
const held = ({ cost_usd, reservations = [] }: Session): number =>
  reservations.reduce((sum, one) => sum + one.cost_usd, cost_usd);

test('UNI-8 BUD-2 what is spent and set aside on all machines never passes the limit', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const random = makeRandom(seed);
    let session = sampleSession(sampleSessionId);
    for (let step = 0; step < 200; step += 1) {
      const [own] = random.shuffle([...(session.reservations ?? [])]);
      if (own !== undefined && random.chance(0.5)) {
        // An agent spends no more than its share, and gives the rest back by being booked.
        const cost = random.chance(0.3) ? own.cost_usd : own.cost_usd / 2;
        session = addAgentRunCost(session, {
          ...{ id: own.agent, role: 'worker', task_id: null, model: 'sonnet', started_at: '', ended_at: '' },
          ...{ outcome: 'ended', cost_usd: cost, tokens: 0 },
        });
        assert.not(session.reservations?.some(({ agent }) => agent === own.agent));
      } else {
        const agent = `worker-${step}`;
        session = reserveShare(session, { ...wanted, agent })?.session ?? session;
      }
      assert.ok(held(session) <= limit + 1e-6, `seed ${seed}, step ${step}: ${held(session)}`);
    }
    assert.is(reserveShare({ ...session, cost_usd: limit }, { ...wanted, agent: 'late' }), null);
  }
});

test('BUD-2 an agent that reserves again replaces its own share; what is left is cut to it', () => {
  const first = reserveShare(sampleSession(sampleSessionId, { cost_usd: 7 }), { ...wanted, agent: 'a' });
  assert.equal([first?.share, first?.isCut], [3, true]);
  assert.is(first && reserveShare(first.session, { ...wanted, agent: 'b' }), null);
  assert.is(first && reserveShare(first.session, { ...wanted, agent: 'a' })?.share, 3);
  const none = first && withoutReservations(first.session, ({ machine }) => machine === 'host/1');
  assert.is(none?.reservations, undefined);
});

test('BUD-2 TRU-2 a raised limit reaches what a machine may set aside; its own limit holds all the same', () => {
  const spent = sampleSession(sampleSessionId, { cost_usd: limit });
  assert.is(reserveShare(spent, { ...wanted, agent: 'a', mostHere: 3 }), null);
  const raised = { ...wanted, limit: 2 * limit };
  const first = reserveShare(spent, { ...raised, agent: 'a', mostHere: 3 });
  assert.equal([first?.share, first?.isCut], [3, true]);
  assert.is(first && reserveShare(first.session, { ...raised, agent: 'b', mostHere: 3 }), null);
  assert.is(first && reserveShare(first.session, { ...raised, agent: 'b' })?.share, 4);
  const run = { ...aRun, id: 'a', cost_usd: 2 };
  const booked = first && addAgentRunCost(first.session, run);
  assert.equal(booked?.spent_on, { 'host/1': { cost_usd: 2, tokens: 0 } });
  assert.is(booked && reserveShare(booked, { ...raised, agent: 'b', mostHere: 3 })?.share, 1);
});

test('BUD-2 what a machine had set aside that is gone counts as spent, until its clone says what it was', () => {
  const config = defaultConfig();
  const first = reserveShare(sampleSession(sampleSessionId, { cost_usd: 1 }), { ...wanted, agent: 'a' });
  assert.ok(first);
  const presumed = presumeReservationsSpent(first.session, ({ machine }) => machine === 'host/1');
  assert.is(computeBudgetState(config, first.session).spent, 1);
  assert.is(computeBudgetState(config, presumed).spent, 5);
  assert.is(reserveShare(presumed, { ...wanted, agent: 'b', most: 9, machine: 'host/2' })?.share, 5);
  const back = addAgentRunCost(presumed, { ...aRun, id: 'a', cost_usd: 0.5 });
  assert.equal([computeBudgetState(config, back).spent, back.reservations], [1.5, undefined]);
  const free = withoutReservations(presumed, ({ machine }) => machine === 'host/1');
  assert.is(computeBudgetState(config, free).spent, 1);
});

test.run();
