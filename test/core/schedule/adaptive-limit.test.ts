import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { limitAgentsByMemory } from '../../../lib/core/schedule/pauses-and-limits.ts';

const limitOf = (freeMb: number, usedMb: readonly number[] = [], configured = 4): number =>
  limitAgentsByMemory({ configured, freeMb, minPerAgentMb: 600, usedMb }).limit;

test('SCH-5 never more agents than free memory has room for, never more than configured, at least one', () => {
  assert.is(limitOf(10_000), 4);
  assert.is(limitOf(1_300), 2);
  assert.is(limitOf(0), 1);
  assert.is(limitAgentsByMemory({ configured: 4, freeMb: 1_300, minPerAgentMb: 600 }).isReduced, true);
  assert.is(limitAgentsByMemory({ configured: 4, freeMb: 10_000, minPerAgentMb: 600 }).isReduced, false);
});

test('SCH-5 what running agents will still take is not free', () => {
  // Two fit in 1,300 MB; just started, they have taken nothing: no third one.
  assert.is(limitOf(1_300, [0, 0]), 2);
  // They have taken all they want, and there is room for one more beside them.
  assert.is(limitOf(700, [600, 650]), 3);
  assert.is(limitOf(500, [600, 600]), 2);
  assert.is(limitOf(900, [300, 300]), 2);
  assert.is(limitOf(1_200, [300, 300]), 3);
});

test.run();
