import assert from 'node:assert';
import { test } from 'node:test';
import { answer } from '../src/answer.js';

const ask = (path, client = 'ada') =>
  answer({ method: 'GET', path, client });

test('a loan is found by its number', () => {
  assert.strictEqual(ask('/loans/17').body.book, 'Middlemarch');
});

test('an unknown loan is not found', () => {
  assert.strictEqual(ask('/loans/99').status, 404);
});

test('the 61st request in a minute has to wait', () => {
  for (let at = 0; at < 60; at += 1) ask('/loans', 'grace');
  const { status, headers } = ask('/loans', 'grace');
  assert.strictEqual(status, 429);
  assert.ok(headers['Retry-After'] > 59);
});
