import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutToFailureText, pickFailureLine, pickFailureLines } from '../../lib/util/error-text.ts';

const tap = Array.from({ length: 153 }, (_, index) =>
  index === 70 ? 'not ok 71 - dashes are kept\n  found: 1\n  wanted: 2' : `ok ${index + 1} - works`,
).join('\n');

test('of 153 lines of TAP the one that failed is among the few that are shown, then the end', () => {
  const shown = pickFailureLines(`${tap}\n1..153\n# fail 1\n`, 12);
  assert.equal(shown.slice(0, 4), ['not ok 71 - dashes are kept', '  found: 1', '  wanted: 2', '…']);
  assert.is(shown.at(-1), '# fail 1');
  assert.is(shown.length, 13);
});

test('what is expected to fail is no failure, and short output is shown whole', () => {
  assert.equal(pickFailureLines('not ok 1 # TODO later\nok 2', 12), ['not ok 1 # TODO later', 'ok 2']);
  const lines = pickFailureLines(`not ok 1 # TODO later\n${'ok\n'.repeat(30)}end`, 4);
  assert.equal(lines, ['ok', 'ok', 'ok', 'end']);
});

test('what is kept of long output begins with what failed, and is no longer than asked', () => {
  const kept = cutToFailureText(`${tap}\n${'# noise\n'.repeat(2_000)}# fail 1`, 4_000);
  assert.match(kept, /^not ok 71 - dashes are kept\n {2}found: 1/);
  assert.match(kept, /# fail 1$/);
  assert.ok(kept.length <= 4_000);
  assert.is(cutToFailureText('short', 4_000), 'short');
  assert.is(cutToFailureText('x'.repeat(5_000), 4_000).length, 4_000);
});

test('lines of one failure that follow each other are kept once', () => {
  const one = 'ERROR: test_cache\n-----\nImportError: no test_cache\nTraceback\n  File x';
  const kept = cutToFailureText(`${one}\n${'noise\n'.repeat(1_000)}end`, 1_000);
  assert.is(kept.split('ImportError').length, 2, kept);
  assert.match(kept, /^ERROR: test_cache\n-----\nImportError: no test_cache\nTraceback\n {2}File x\n…\n/);
});

test('of a stack the line that names the error is the one to read', () => {
  const python = ['Traceback (most recent call last):', '  File "x", line 1', 'ImportError: no x'];
  assert.is(pickFailureLine(python), 'ImportError: no x');
  const node = ['/x.js:1', 'Error: broken', '    at x (/x.js:1:1)', '', 'Node.js v20.20.2'];
  assert.is(pickFailureLine(node), 'Error: broken');
  assert.is(pickFailureLine(['', ' ']), null);
});

test.run();
