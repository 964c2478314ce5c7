import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listChangedCellPaths } from '../../../lib/core/task/cell-changes-and-renames.ts';

const start = { src: 'folder', 'src/a.ts': '1', '.git/HEAD': '1' };

function changes(after: Readonly<Record<string, string>>): readonly string[] {
  return listChangedCellPaths(new Map(Object.entries(start)), new Map(Object.entries(after)));
}

test('VAL-2: new, changed and missing paths are found', () => {
  assert.equal(changes(start), []);
  const { 'src/a.ts': _, ...without } = start;
  assert.equal(changes(without), ['src/a.ts']);
  assert.equal(changes({ ...start, 'src/a.ts': '2', 'src/b': '1', out: 'folder', '.git/HEAD': '2' }), [
    '.git/HEAD',
    'out',
    'src/a.ts',
    'src/b',
  ]);
});

test('names that are no UTF-8 are told apart and can be shown', () => {
  assert.equal(changes({ ...start, 'caf\u00c3\u00a9': '1', '\u00ff': '1' }), ['café', '\ufffd']);
});

test.run();
