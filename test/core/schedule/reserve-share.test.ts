import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addRun } from '../../../lib/core/schedule/add-run.ts';
import { reserveShare, withoutReservations } from '../../../lib/core/schedule/reserve-share.ts';
import type { Session } from '../../../lib/domain/state/session.ts';
import { sampleSession, sampleSessionId } from '../../store/sample.ts';
import { makeRandom } from '../../support/random.ts';

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
        session = addRun(session, {
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

test.run();
