import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boundText, toOneLine } from '../../../lib/core/task/bound-text.ts';

test('one line: white space joined, controls and invisible characters gone', () => {
  assert.is(toOneLine('  a\r\n\tb \u001b[31mc\u202e\u200b  '), 'a b [31mc');
});

test('several lines keep newlines and tabs alone', () => {
  assert.is(boundText('a\r\nb\rc\n\td\u0000\u2028\n'), 'a\nb\nc\n\td\u2028'.trim());
});

test('what is too long is cut with a mark, never inside a character', () => {
  assert.is(toOneLine('abcdef', 6), 'abcdef');
  assert.is(toOneLine('abcdefg', 6), 'abcde…');
  assert.is(toOneLine('abc🔥🔥🔥', 6), 'abc🔥…');
  assert.is(toOneLine('abcd🔥🔥🔥', 6), 'abcd…');
  assert.is(boundText('x'.repeat(5_000)).length, 4_000);
});

test.run();
