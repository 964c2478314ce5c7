import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  explainFailureByLimit,
  extendServiceLimitByBody,
  parseServiceLimit,
} from '../../../lib/cell/gateway/model-api-trouble.ts';
import { makeFailure } from '../../support/tasks.ts';

const now = Date.parse('2026-11-21T10:30:00Z');

test('LIF-5 the headers of a refusal tell when it ends: the later of two, nothing that is past', () => {
  const cases: readonly (readonly [number, Readonly<Record<string, string>>, number | null])[] = [
    [429, { 'retry-after': '90' }, now + 90_000],
    [429, { 'retry-after': 'Sat, 21 Nov 2026 10:31:00 GMT' }, now + 60_000],
    [429, { 'retry-after': '10', 'anthropic-ratelimit-unified-reset': `${now / 1_000 + 60}` }, now + 60_000],
    [529, { 'anthropic-ratelimit-unified-reset': '2026-11-21T11:30:00Z' }, now + 3_600_000],
    [503, { 'retry-after': '0' }, null],
    [429, { 'retry-after-ms': '1500' }, now + 1_500],
    [429, { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0.5s' }, now + 360_500],
    [429, { 'x-ratelimit-remaining-requests': '7', 'x-ratelimit-reset-requests': '9m' }, null],
    [429, { 'retry-after': 'soon', 'anthropic-ratelimit-unified-reset': '1000000000' }, null],
  ];
  for (const [statusCode, headers, until] of cases)
    assert.equal(
      parseServiceLimit({ statusCode, headers }, now),
      { status: statusCode, until, isQuota: false },
      JSON.stringify(headers),
    );
  assert.is(parseServiceLimit({ statusCode: 200, headers: { 'retry-after': '5' } }, now), null);
  assert.is(parseServiceLimit({ statusCode: 401, headers: {} }, now), null);
});

test('LIF-5 an agent that waited for its service until its time was over did not fail by its own fault', () => {
  const limit = { status: 429, until: now, isQuota: false };
  const late = explainFailureByLimit(makeFailure({ kind: 'agent-timeout', message: 'Too long.' }), limit);
  assert.equal(
    [late?.kind, late?.retryable, late?.until, late?.details],
    ['rate-limit', true, '2026-11-21T10:30:00.000Z', ['Too long.']],
  );
  assert.is(explainFailureByLimit(makeFailure({ kind: 'rate-limit' }), limit)?.until, '2026-11-21T10:30:00.000Z');
  for (const kind of ['budget', 'agent-stopped', 'violation', 'limit'] as const)
    assert.is(explainFailureByLimit(makeFailure({ kind }), limit)?.kind, kind);
  assert.is(explainFailureByLimit(null, limit), null);
  // What Google says of a limit of a minute, and its CLI of it, speaks of a quota.
  const misread = makeFailure({ kind: 'auth', message: 'Quota.' });
  assert.is(explainFailureByLimit(misread, limit)?.kind, 'rate-limit');
  assert.is(explainFailureByLimit(misread, { ...limit, until: null })?.kind, 'auth');
  assert.is(explainFailureByLimit(makeFailure({ kind: 'agent-timeout' }), null)?.kind, 'agent-timeout');
});

test('LIF-5 the body of a refusal tells how long to wait, and whether that is of any use, in each form', () => {
  const limit = { status: 429, until: null, isQuota: false };
  const google = (message: string, ...details: unknown[]): unknown => ({
    error: { code: 429, message, details },
  });
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' };
  const quota = 'You exceeded your current quota, please check your plan and billing details.';
  const cases: readonly (readonly [unknown, number | null, boolean])[] = [
    [google('Resource exhausted.', { '@type': 'x' }, retry), now + 34_500, false],
    [[google('Resource exhausted.', retry)], now + 34_500, false],
    [google(quota, retry), now + 34_500, false],
    [google(quota), null, true],
    [
      { error: { message: 'Rate limit reached. Please try again in 1m3.5s.', code: 'rate_limit_exceeded' } },
      now + 63_500,
      false,
    ],
    [{ error: { message: quota, type: 'insufficient_quota', code: 'insufficient_quota' } }, null, true],
    [
      {
        error: { message: 'max RPM: 3, please try again after 1 seconds', type: 'rate_limit_reached_error' },
      },
      now + 1_000,
      false,
    ],
    [{ error: { message: 'x', type: 'exceeded_current_quota_error' } }, null, true],
    [{ error: { message: 'overloaded', type: 'engine_overloaded_error' } }, null, false],
    [{ error: 'text' }, null, false],
    ['no object', null, false],
  ];
  for (const [body, until, isQuota] of cases)
    assert.equal(
      extendServiceLimitByBody(limit, JSON.stringify(body), now),
      { ...limit, until, isQuota },
      JSON.stringify(body),
    );
  assert.equal(extendServiceLimitByBody({ ...limit, until: now + 9 }, '<html>', now), {
    ...limit,
    until: now + 9,
  });
});

test('LIF-5 an account without credit is no limit that ends', () => {
  const limit = { status: 429, until: null, isQuota: true };
  for (const kind of ['rate-limit', 'agent-timeout', 'agent-error'] as const) {
    const failure = explainFailureByLimit(makeFailure({ kind }), limit);
    assert.equal([failure?.kind, failure?.retryable], ['auth', false], kind);
  }
  assert.is(explainFailureByLimit(makeFailure({ kind: 'violation' }), limit)?.kind, 'violation');
});

test.run();
