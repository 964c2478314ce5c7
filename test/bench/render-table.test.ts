import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BenchRow, median, medianFigure } from './figures.ts';
import { renderTable, withTable } from './render-table.ts';

const row: BenchRow = {
  what: '`status`',
  against: '`node -e 0`',
  figures: { ours: { wall_ms: 60, cpu_ms: 90 }, other: { wall_ms: 40, cpu_ms: 45 } },
  target: { kind: 'ratio', most: 1.5 },
};

test('a row tells both times, their ratios and the target', () => {
  assert.is(
    renderTable('Two cores', [row]).split('\n').at(-2),
    '| `status` | `node -e 0` | 60 ms | 40 ms | 1.50 | 2.00 | ≤ 1.5 |',
  );
});

test('a missed target says so, and so does what could not be measured', () => {
  const missed = renderTable('', [{ ...row, target: { kind: 'ms', most: 59 } }]);
  assert.match(missed, '| ≤ 59 ms, missed |');
  const missing = renderTable('', [{ ...row, figures: null, missing: 'no npm' }]);
  assert.match(missing, '| `status` | `node -e 0` |  |  | no npm |  | ≤ 1.5 |');
});

test('figures of single calls have no CPU ratio; short times keep a decimal, long ones are seconds', () => {
  const figures = { ours: { wall_ms: 2.345, cpu_ms: null }, other: { wall_ms: 4_690, cpu_ms: null } };
  assert.match(renderTable('', [{ ...row, figures }]), '| 2.3 ms | 4.7 s | 0.00 |  |');
});

test('medians: the middle one, or the mean of the two in the middle', () => {
  assert.is(median([5, 1, 3]), 3);
  assert.is(median([4, 1, 3, 2]), 2.5);
  assert.is(median([]), 0);
  const runs = [
    { wall_ms: 9, cpu_ms: 1 },
    { wall_ms: 7, cpu_ms: 3 },
    { wall_ms: 8, cpu_ms: 2 },
  ];
  assert.equal(medianFigure(runs), { wall_ms: 8, cpu_ms: 2 });
});

test('the table takes the place of what stood between its markers, and nothing else', () => {
  const text = 'a\n<!-- bench -->\nold $1\n<!-- /bench -->\nb\n';
  assert.is(withTable(text, '$& new\n'), 'a\n<!-- bench -->\n$& new\n<!-- /bench -->\nb\n');
  assert.throws(() => withTable('no markers', ''), /markers/);
});

test.run();
