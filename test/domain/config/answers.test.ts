import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePlannerAnswer } from '../../../lib/domain/config/agent-answers.ts';

test('PLA-1 a planner chooses no adapter and no model: what its answer says of them is dropped', () => {
  const task = { id: 'a', title: 'Do a', description: 'Do it.', adapter: 'exec', model: 'large' };
  const parsed = parsePlannerAnswer({ tasks: [task] });
  assert.is(parsed.kind, 'ok');
  if (parsed.kind !== 'ok') return;
  assert.equal(
    parsed.value.tasks.map(({ id, adapter, model }) => ({ id, adapter, model })),
    [{ id: 'a', adapter: null, model: null }],
  );
});

test.run();
