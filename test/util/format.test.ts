import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatCount, formatDuration, formatSpend, formatTime, formatUsd } from '../../lib/util/format-figures.ts';
import { cutText, joinTitles, padText, textWidth, wrapText } from '../../lib/util/format-width.ts';
import { nearestName } from '../../lib/util/nearest-name.ts';
import { renderTable } from '../../lib/util/table.ts';

test('widths count columns, not characters, and no colour codes', () => {
  assert.is(textWidth('abc'), 3);
  assert.is(textWidth('\u001b[31mabc\u001b[39m'), 3);
  assert.is(textWidth('漢字'), 4);
  assert.is(textWidth('e\u0301'), 1);
  assert.is(textWidth('✅'), 2);
  // Joined of several: one character on the screen.
  for (const emoji of ['👩‍👩‍👧', '👍🏽', '🇩🇪', '1️⃣', '❤️']) assert.is(textWidth(emoji), 2, emoji);
  assert.is(textWidth('❤'), 1);
  assert.is(textWidth('⟦U+202E⟧'), 8);
  assert.is(padText('漢', 4), '漢  ');
});

test('a cut is marked and never wider than asked', () => {
  assert.is(cutText('abcdef', 6), 'abcdef');
  assert.is(cutText('abcdefg', 6), 'abcde…');
  assert.is(cutText('漢字漢字', 6), '漢字…');
  assert.is(cutText('ab👩‍👩‍👧cd', 5), 'ab👩‍👩‍👧…');
});

test('wrapping breaks at spaces, long words anywhere, and keeps line breaks', () => {
  assert.equal(wrapText('one two three', 9), ['one two', 'three']);
  assert.equal(wrapText('one two three', 9, ' '), [' one two', ' three']);
  assert.equal(wrapText('abcdefghijkl', 8), ['abcdefgh', 'ijkl']);
  assert.equal(wrapText('x abcdefghijkl y', 8), ['x', 'abcdefgh', 'ijkl y']);
  assert.equal(wrapText('a\n\nb', 8), ['a', '', 'b']);
  assert.equal(wrapText('', 8), ['']);
  assert.equal(wrapText('as long as it is', Number.POSITIVE_INFINITY), ['as long as it is']);
  assert.equal(wrapText('漢字漢字漢字', 8), ['漢字漢字', '漢字']);
});

test('a table aligns by columns, wraps the last and stacks where it is narrow', () => {
  const rows = [
    ['task-001', 'done', 'Add password hashing to the login'],
    ['t', 'pending', 'x'],
  ];
  assert.equal(renderTable(rows, { width: 80 }), [
    'task-001  done     Add password hashing to the login',
    't         pending  x',
  ]);
  assert.equal(renderTable(rows, { width: 40 }), [
    'task-001  done     Add password hashing',
    '                   to the login',
    't         pending  x',
  ]);
  assert.equal(renderTable(rows, { width: 24, indent: ' ' }), [
    ' task-001  done',
    '   Add password hashing',
    '   to the login',
    ' t  pending',
    '   x',
  ]);
  assert.equal(renderTable([], { width: 80 }), []);
});

test('amounts', () => {
  assert.is(formatUsd(1.5), '$1.50');
  assert.is(formatUsd(0.00421), '$0.0042');
  assert.is(formatUsd(0), '$0.00');
  assert.is(formatCount(1, 'task'), '1 task');
  assert.is(formatCount(1_234_567, 'token'), '1,234,567 tokens');
  assert.is(formatSpend({ cost_usd: 0, tokens: 5 }), '5 tokens');
  assert.is(formatSpend({ cost_usd: 0, tokens: 0 }), '$0.00');
});

test('times', () => {
  assert.is(formatDuration(0), '0 ms');
  assert.is(formatDuration(3_210), '3.2 s');
  assert.is(formatDuration(59_999), '1m 00s');
  assert.is(formatDuration(3_720_000), '1h 02m');
  assert.is(formatDuration(47 * 3_600_000), '47h 00m');
  assert.is(formatDuration(99.5 * 3_600_000), '4d 03h');
  assert.is(formatTime('2026-02-06T14:30:22+02:00'), '2026-02-06 12:30 UTC');
  assert.is(formatTime('soon'), 'soon');
});

test('the nearest name, or none', () => {
  assert.is(nearestName('stauts', ['status', 'show']), 'status');
  assert.is(nearestName('val', ['validate', 'merge']), 'validate');
  assert.is(nearestName('xyz', ['validate', 'merge']), null);
  assert.is(nearestName('--jsno', ['--json', '--plain']), '--json');
});

test('as many titles as fit are joined, and the others are counted', () => {
  assert.is(joinTitles([], 20), '');
  assert.is(joinTitles(['Do one'], 3), 'Do one');
  assert.is(joinTitles(['Do one', 'Do two'], 20), 'Do one and Do two');
  assert.is(joinTitles(['Do one', 'Do two'], 16), 'Do one and 1 more');
  assert.is(joinTitles(['Do one', 'Do two', 'Do three', 'Do four'], 25), 'Do one, Do two and 2 more');
  assert.is(joinTitles(['漢字', '漢字', '漢字'], 13), '漢字 and 2 more');
});

test.run();
