import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { followLinesThroughHunks } from '../../../lib/core/changesets/versions-seen-before.ts';
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
    const found = followLinesThroughHunks(hunks, { line });
    return found.kind !== 'stands' ? found.kind : [found.line, found.beside !== null];
  };
  assert.equal([1, 2, 3, 4, 5, 10, 11, 12, 13].map(where), [
    [1, false],
    [2, true],
    'changed',
    [5, true],
    [6, false],
    [11, true],
    'gone',
    [12, true],
    [13, false],
  ]);
});

test('RND-1 lines are followed together: gone once nothing stands in their place, changed once one of them is', () => {
  const hunks = [hunk(2, 2, ' b', '-c', '-d', ' e', '-f', '+F', ' g')];
  const where = (line: number, to: number): unknown => {
    const found = followLinesThroughHunks(hunks, { line, to });
    return found.kind !== 'stands' ? found.kind : [found.line, found.beside !== null];
  };
  assert.equal(
    [where(3, 4), where(3, 3), where(3, 5), where(3, 6), where(6, 6), where(1, 2), where(7, 9), where(8, 9)],
    ['gone', 'gone', 'changed', 'changed', 'changed', [1, true], [5, true], [6, false]],
  );
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
      const found = followLinesThroughHunks(hunks, { line: index + 1 });
      assert.is(found.kind === 'stands' ? after[found.line - 1] : 'changed', after.includes(text) ? text : 'changed');
    }
  }
});

test.run();
