import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { classifyModelApiError, parseRateLimitEnd } from '../../lib/agents/classify-error.ts';

const now = Date.parse('2026-11-21T10:30:00Z');
const endOf = (text: string): string | null => {
  const end = parseRateLimitEnd(text, now);
  return end === null ? null : new Date(end).toISOString();
};

test('LIF-5 the end of a limit is read as clients and APIs say it', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['Claude AI usage limit reached|1795264200', '2026-11-21T12:30:00.000Z'],
    ["You've hit your session limit · resets 3pm (UTC)", '2026-11-21T15:00:00.000Z'],
    ["You've hit your limit · resets 3:45pm (America/New_York)", '2026-11-21T20:45:00.000Z'],
    ['5-hour limit reached ∙ resets 9am (UTC)', '2026-11-22T09:00:00.000Z'],
    ['Weekly limit reached · resets Nov 24, 12am (Europe/Berlin)', '2026-11-23T23:00:00.000Z'],
    ['resets at 18:05 (UTC)', '2026-11-21T18:05:00.000Z'],
    ['Rate limit reached. Please try again in 6m12.5s.', '2026-11-21T10:36:12.500Z'],
    ['Please try again in 20 seconds', '2026-11-21T10:30:20.000Z'],
    ['try again in 850ms', '2026-11-21T10:30:00.850Z'],
    ['retry-after: 90', '2026-11-21T10:31:30.000Z'],
    ['resets in 1 hour, 5 minutes', '2026-11-21T11:35:00.000Z'],
    ['limit resets at 2026-11-21T11:00:00+00:00', '2026-11-21T11:00:00.000Z'],
    ['API Error: Request rejected (429) · This request would exceed your limit', null],
    ['Overloaded', null],
    ['the database resets 3 tables', null],
    ['limit reached|1000000000', null],
    ['try again in 90 days', null],
  ];
  for (const [text, end] of cases) assert.is(endOf(text), end, text);
});

test('LIF-5 a subscription that is used up is a rate limit with its end, spent credit is not', () => {
  const limited = classifyModelApiError({
    status: 429,
    text: "You've hit your limit · resets 3pm (UTC)",
    at: now,
  });
  assert.equal([limited?.kind, limited?.retryable, limited?.until], ['rate-limit', true, '2026-11-21T15:00:00.000Z']);
  const bare = classifyModelApiError({
    status: null,
    text: '5-hour limit reached ∙ resets 9am (UTC)',
    at: now,
  });
  assert.equal([bare?.kind, bare?.until], ['rate-limit', '2026-11-22T09:00:00.000Z']);
  const spent = classifyModelApiError({ status: 400, text: 'Credit balance is too low', at: now });
  assert.equal([spent?.kind, spent?.retryable], ['auth', false]);
  assert.is(spent !== null && 'until' in spent, false);
});

test.run();
