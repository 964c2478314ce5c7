import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nameDecider } from '../../../lib/ui/text/printable-text.ts';

test('a decision names its person without an address, and a conflict nobody', () => {
  const decided_by = 'Lea Lead <lea@example.com>';
  assert.is(nameDecider({ state: 'rejected', decided_by }), 'Lea Lead');
  assert.is(nameDecider({ state: 'conflict', decided_by }), null);
  assert.is(nameDecider({ state: 'waiting', decided_by: null }), null);
});

test.run();
