import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boundText, oneLine } from '../../../lib/core/task/one-line.ts';

test('one line: white space joined, controls and invisible characters gone', () => {
  assert.is(oneLine('  a\r\n\tb \u001b[31mc\u202e\u200b  '), 'a b [31mc');
});

test('several lines keep newlines and tabs alone', () => {
  assert.is(boundText('a\r\nb\rc\n\td\u0000\u2028\n'), 'a\nb\nc\n\td\u2028'.trim());
});

test('what is too long is cut with a mark, never inside a character', () => {
  assert.is(oneLine('abcdef', 6), 'abcdef');
  assert.is(oneLine('abcdefg', 6), 'abcde…');
  assert.is(oneLine('abc🔥🔥🔥', 6), 'abc🔥…');
  assert.is(oneLine('abcd🔥🔥🔥', 6), 'abcd…');
  assert.is(boundText('x'.repeat(5_000)).length, 4_000);
});

test.run();
