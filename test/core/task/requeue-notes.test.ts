import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderRequeueNotes } from '../../../lib/core/task/task-outcome.ts';

const found = {
  status: 'fail',
  notes: 'It whispers.',
  issues: ['a.txt:1: small letters', 'b.txt: missing'],
} as const;
const result = { ...found, issues: [...found.issues] };

test('the person speaks first, then the validator', () => {
  assert.is(
    renderRequeueNotes('Speak up.', result),
    'Speak up.\nThe validator wrote: It whispers.\n- a.txt:1: small letters\n- b.txt: missing',
  );
});

test('what the person took over is not said twice', () => {
  assert.is(
    renderRequeueNotes('It whispers. Also b.txt: missing', result),
    'It whispers. Also b.txt: missing\n- a.txt:1: small letters',
  );
  assert.is(renderRequeueNotes('No.', { ...result, notes: '', issues: [] }), 'No.');
});

test.run();
