import assert from 'node:assert';
import { test } from 'node:test';
import { answer } from '../src/answer.js';

const ask = (path) => answer({ method: 'GET', path });

test('a loan is found by its number', () => {
  assert.strictEqual(ask('/loans/17').body.book, 'Middlemarch');
});

test('an unknown loan is not found', () => {
  assert.strictEqual(ask('/loans/99').status, 404);
});
