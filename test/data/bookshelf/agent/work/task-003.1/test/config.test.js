import assert from 'node:assert';
import { test } from 'node:test';
import { readConfig } from '../src/config.js';

test('the limit is 60 requests a minute unless the environment says otherwise', () => {
  assert.strictEqual(readConfig({}).requestsPerMinute, 60);
  assert.strictEqual(readConfig({ REQUESTS_PER_MINUTE: '10' }).requestsPerMinute, 10);
});
