import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { followLine } from '../../../lib/core/changesets/follow-line.ts';
import type { Hunk, PatchLine } from '../../../lib/domain/state/patch.ts';
import { makeRandom } from '../../support/random.ts';

const signs = { '+': 'insert', '-': 'delete', ' ': 'context' } as const;

function hunk(oldStart: number, newStart: number, ...lines: readonly string[]): Hunk {
  const toLine = (line: string): PatchLine => ({
    kind: signs[line.charAt(0) as keyof typeof signs],
    text: line.slice(1),
    isUnended: false,
  });
  return { heading: '', oldStart, newStart, lines: lines.map(toLine) };
}

test('RND-1 a line is followed to where it is now, or to the hunk that took it away', () => {
  const hunks = [hunk(2, 2, ' b', '-c', '+C', '+D', ' d'), hunk(10, 11, ' j', '-k', ' l')];
  const where = (line: number): unknown => {
    const found = followLine(hunks, line);
    return found.kind === 'changed' ? 'changed' : [found.line, found.beside !== null];
  };
  assert.equal([1, 2, 3, 4, 5, 10, 11, 12, 13].map(where), [
    [1, false],
    [2, true],
    'changed',
    [5, true],
    [6, false],
    [11, true],
    'changed',
    [12, true],
    [13, false],
  ]);
});

test('RND-1 whatever was changed, a line that stands has the same text there', () => {
  const { int: between } = makeRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const before = Array.from({ length: between(1, 30) }, (_, at) => `line ${at + 1}`);
    const after: string[] = [];
    const lines: string[] = [];
    for (const text of before) {
      if (between(0, 3) === 0) {
        after.push(`new before ${text}`);
        lines.push(`+new before ${text}`);
      }
      if (between(0, 3) === 0) lines.push(`-${text}`);
      else {
        after.push(text);
        lines.push(` ${text}`);
      }
    }
    const hunks = [hunk(1, 1, ...lines)];
    for (const [index, text] of before.entries()) {
      const found = followLine(hunks, index + 1);
      assert.is(
        found.kind === 'stands' ? after[found.line - 1] : 'changed',
        after.includes(text) ? text : 'changed',
      );
    }
  }
});

test.run();
