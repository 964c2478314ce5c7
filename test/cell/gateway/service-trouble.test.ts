import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainFailureByTrouble } from '../../../lib/cell/gateway/model-api-trouble.ts';

const trouble = { kind: 'unreachable', why: 'ENOTFOUND api.anthropic.com' } as const;
const budget = { unit: 'tokens', limit: 1_000 } as const;

test('DSK-4 what no network means is said once: not in the words of a client that misread it', () => {
  const misread = {
    kind: 'rate-limit' as const,
    message: 'The model API is overloaded or failing.',
    details: ['API Error: 502 · check your inference gateway (127.0.0.1:4711).'],
    retryable: true,
  };
  assert.equal(explainFailureByTrouble(misread, trouble, budget), {
    kind: 'unreachable',
    message: "The model API can't be reached (ENOTFOUND api.anthropic.com).",
    details: [],
    retryable: true,
  });
});

test('DSK-4 how an agent ended besides stays with it', () => {
  const crashed = {
    kind: 'agent-crashed' as const,
    message: 'It ended with 7.',
    details: ['x'],
    retryable: true,
  };
  const told = explainFailureByTrouble(crashed, trouble, budget);
  assert.equal(told?.details, ['It ended with 7.', 'x']);
});

test.run();
