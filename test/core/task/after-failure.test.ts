import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { computeBackoffMs, decideRetryAfterFailure } from '../../../lib/core/task/retry-after-failure.ts';
import { appendHistoryEntry } from '../../../lib/core/task/task-history.ts';
import type { FailureKind } from '../../../lib/domain/failure.ts';
import { makeFailure, makeTask, testTime } from '../../support/tasks.ts';

const now = Date.parse(testTime);
const options = { maxRetries: 2, now, jitter: 0 };

test('LIF-5 the wait doubles from 2 s up to 5 min, and jitter takes at most half of it away', () => {
  assert.equal(
    [0, 1, 2, 7, 8, 50].map((retries) => computeBackoffMs(retries, 0)),
    [2_000, 4_000, 8_000, 256_000, 300_000, 300_000],
  );
  assert.equal(
    [0.5, 1].map((jitter) => computeBackoffMs(1, jitter)),
    [3_000, 2_000],
  );
  assert.equal(
    [-1, 7].map((jitter) => computeBackoffMs(1, jitter)),
    [4_000, 2_000],
  );
});

test('LIF-5 a retry is told when it may begin', () => {
  const task = makeTask('a', { retry_count: 1 });
  assert.equal(decideRetryAfterFailure(task, makeFailure(), { ...options, jitter: 0.5 }), {
    kind: 'retry',
    notBefore: new Date(now + 3_000).toISOString(),
    isCounted: true,
  });
});

test('crashes, time-outs and post-check violations retry until the retries are used up', () => {
  const kinds: readonly FailureKind[] = ['agent-crashed', 'agent-timeout', 'violation', 'no-commits'];
  for (const kind of kinds) {
    const decide = (retry_count: number) =>
      decideRetryAfterFailure(makeTask('a', { retry_count }), makeFailure({ kind }), options).kind;
    assert.equal([0, 1, 2, 3].map(decide), ['retry', 'retry', 'exhausted', 'exhausted']);
  }
});

test('with no retries configured the first failure is the last', () => {
  assert.is(decideRetryAfterFailure(makeTask('a'), makeFailure(), { ...options, maxRetries: 0 }).kind, 'exhausted');
});

test('LIF-5 what no attempt can mend is exhausted at once', () => {
  for (const kind of ['auth', 'rate-limit', 'agent-crashed'] as const) {
    const failure = makeFailure({ kind, retryable: false });
    assert.equal(decideRetryAfterFailure(makeTask('a'), failure, options), { kind: 'exhausted' });
  }
});

test('LIF-5 a rate limit burns no retry, waits longer each time, and ends some day', () => {
  const failure = makeFailure({ kind: 'rate-limit' });
  const after = (attempts: number) => {
    let history = makeTask('a').history;
    for (let index = 0; index < attempts; index += 1) {
      const ended = { result: 'failed', notes: '', rejection_reason: null, cost_usd: 0, tokens_used: 0 };
      history = appendHistoryEntry(history, { ...ended, agent_id: null, timestamp: testTime });
    }
    return decideRetryAfterFailure(makeTask('a', { retry_count: 2, history }), failure, options);
  };
  const expected = (ms: number) => ({
    kind: 'retry',
    notBefore: new Date(now + ms).toISOString(),
    isCounted: false,
  });
  assert.equal([after(1), after(3), after(49)], [expected(4_000), expected(16_000), expected(300_000)]);
  assert.equal(after(50), { kind: 'exhausted' });
});

test.run();
