import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainByLimit, readLimit } from '../../../lib/cell/gateway/service-limit.ts';
import { makeFailure } from '../../support/tasks.ts';

const now = Date.parse('2026-11-21T10:30:00Z');

test('LIF-5 the headers of a refusal tell when it ends: the later of two, nothing that is past', () => {
  const cases: readonly (readonly [number, Readonly<Record<string, string>>, number | null])[] = [
    [429, { 'retry-after': '90' }, now + 90_000],
    [429, { 'retry-after': 'Sat, 21 Nov 2026 10:31:00 GMT' }, now + 60_000],
    [429, { 'retry-after': '10', 'anthropic-ratelimit-unified-reset': `${now / 1_000 + 60}` }, now + 60_000],
    [529, { 'anthropic-ratelimit-unified-reset': '2026-11-21T11:30:00Z' }, now + 3_600_000],
    [503, { 'retry-after': '0' }, null],
    [429, { 'retry-after': 'soon', 'anthropic-ratelimit-unified-reset': '1000000000' }, null],
  ];
  for (const [statusCode, headers, until] of cases)
    assert.equal(
      readLimit({ statusCode, headers }, now),
      { status: statusCode, until },
      JSON.stringify(headers),
    );
  assert.is(readLimit({ statusCode: 200, headers: { 'retry-after': '5' } }, now), null);
  assert.is(readLimit({ statusCode: 401, headers: {} }, now), null);
});

test('LIF-5 an agent that waited for its service until its time was over did not fail by its own fault', () => {
  const limit = { status: 429, until: now };
  const late = explainByLimit(makeFailure({ kind: 'agent-timeout', message: 'Too long.' }), limit);
  assert.equal(
    [late?.kind, late?.retryable, late?.until, late?.details],
    ['rate-limit', true, '2026-11-21T10:30:00.000Z', ['Too long.']],
  );
  assert.is(explainByLimit(makeFailure({ kind: 'rate-limit' }), limit)?.until, '2026-11-21T10:30:00.000Z');
  for (const kind of ['budget', 'agent-stopped', 'violation', 'limit'] as const)
    assert.is(explainByLimit(makeFailure({ kind }), limit)?.kind, kind);
  assert.is(explainByLimit(null, limit), null);
  assert.is(explainByLimit(makeFailure({ kind: 'agent-timeout' }), null)?.kind, 'agent-timeout');
});

test.run();
