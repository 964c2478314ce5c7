import assert from 'node:assert';
import { test } from 'node:test';
import { RateLimit } from '../src/rate-limit.js';

test('a full window tells how long to wait', () => {
  let now = 0;
  const limit = new RateLimit(2, 60, () => now);
  assert.strictEqual(limit.take('ada'), 0);
  now = 10_000;
  assert.strictEqual(limit.take('ada'), 0);
  assert.strictEqual(limit.take('ada'), 50);
  now = 60_000;
  assert.strictEqual(limit.take('ada'), 0);
});

test('each client has a window of its own', () => {
  const limit = new RateLimit(1, 60);
  assert.strictEqual(limit.take('ada'), 0);
  assert.strictEqual(limit.take('grace'), 0);
});
