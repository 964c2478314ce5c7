import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sendPlanBack } from '../../../lib/core/changesets/reopen-session.ts';
import { sampleSession } from '../../store/sample.ts';

test('PLN-3 all notes on earlier plans are kept in order, and the plan that was sent back last', () => {
  const first = sendPlanBack(sampleSession(undefined, { proposal: [] }), 'smaller');
  assert.is(first.proposal, null);
  const second = sendPlanBack({ ...first, proposal: null }, 'by module');
  assert.equal(second.sent_back, { notes: ['smaller', 'by module'], plan: null });
  assert.equal(first.sent_back?.plan, []);
  let last = second;
  for (let turn = 0; turn < 30; turn += 1) last = sendPlanBack(last, `${turn}`);
  assert.is(last.sent_back?.notes.length, 20);
  assert.is(last.sent_back?.notes.at(-1), '29');
});

test.run();
