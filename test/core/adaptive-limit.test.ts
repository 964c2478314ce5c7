import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { adaptiveLimit } from '../../lib/core/adaptive-limit.ts';

test('SCH-5 no more agents than free memory allows, at least one', () => {
  const limit = (freeMb: number, running?: number) =>
    adaptiveLimit({
      configured: 4,
      freeMb,
      minPerAgentMb: 600,
      ...(running === undefined ? {} : { running }),
    });
  assert.equal(limit(10_000), { limit: 4, isReduced: false });
  assert.equal(limit(2_400), { limit: 4, isReduced: false });
  assert.equal(limit(2_399), { limit: 3, isReduced: true });
  assert.equal(limit(100), { limit: 1, isReduced: true });
  assert.equal(limit(-5), { limit: 1, isReduced: true });
  assert.equal(limit(700, 2), { limit: 3, isReduced: true });
  assert.equal(limit(0, 4), { limit: 4, isReduced: false });
});

test('one configured agent is never reduced', () => {
  assert.equal(adaptiveLimit({ configured: 1, freeMb: 0, minPerAgentMb: 600 }), {
    limit: 1,
    isReduced: false,
  });
});

test.run();
