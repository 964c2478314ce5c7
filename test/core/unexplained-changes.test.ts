import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { unexplainedChanges } from '../../lib/core/unexplained-changes.ts';

const start = { src: 'folder', 'src/a.ts': '1', cache: 'folder', 'cache/x': '1', '.git/HEAD': '1' };
const checked = { ...start, 'cache/x': '2', out: 'folder', 'out/report': '1' };

function changes(after: Readonly<Record<string, string>>): readonly string[] {
  const [before, middle, last] = [start, checked, after].map((entries) => new Map(Object.entries(entries)));
  return unexplainedChanges({
    before: before ?? new Map(),
    checked: middle ?? new Map(),
    after: last ?? new Map(),
  });
}

test('VAL-2: what diagnostics change by themselves is explained, and what lies in folders they made', () => {
  assert.equal(changes(checked), []);
  assert.equal(
    changes({ ...checked, 'cache/x': '3', 'out/report': '2', 'out/more': '1', 'out/deep': 'folder' }),
    [],
  );
  const { 'out/report': _, out: __, ...without } = checked;
  assert.equal(changes(without), []);
});

test('VAL-2: new, changed and missing paths are not explained by others beside them', () => {
  const { 'src/a.ts': _, ...without } = checked;
  assert.equal(changes(without), ['src/a.ts']);
  assert.equal(changes({ ...checked, 'src/a.ts': '2', 'cache/y': '1', output: 'folder', '.git/HEAD': '2' }), [
    '.git/HEAD',
    'cache/y',
    'output',
    'src/a.ts',
  ]);
});

test('names that are no UTF-8 are told apart and can be shown', () => {
  assert.equal(changes({ ...checked, 'caf\u00c3\u00a9': '1', '\u00ff': '1' }), ['café', '\ufffd']);
});

test.run();
