import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { placeTasksInColumns, type TaskGraphNode } from '../../../lib/ui/board/place-tasks-in-columns.ts';
import { makeRandom } from '../../support/random.ts';

test('each stands right of all it needs, and none on top of another, in random plans of 200', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = makeRandom(seed);
    const nodes = Array.from({ length: 200 }, (_, index): TaskGraphNode => {
      const needs = Array.from({ length: random.int(0, 3) }, () => random.int(0, Math.max(0, index - 1)));
      return { id: `t-${index}`, needs: index === 0 ? [] : needs.map((need) => `t-${need}`) };
    });
    const { nodes: placed, alone, edges } = placeTasksInColumns(nodes);
    assert.is(placed.length + alone.length, 200);
    const byId = new Map(placed.map((node) => [node.id, node]));
    for (const { id, needs } of nodes)
      for (const need of needs) assert.ok(byId.get(need)!.column < byId.get(id)!.column, `${need} of ${id}`);
    for (const one of placed)
      for (const other of placed)
        if (one !== other && one.column === other.column)
          assert.ok(Math.abs(one.row - other.row) >= 1, `${one.id} and ${other.id}`);
    assert.ok(placed.every(({ row }) => row >= 0));
    assert.ok(edges.every(([from, to]) => byId.has(from) && byId.has(to)));
  }
});

test('what follows from other edges is not drawn, and what hangs together with nothing stands apart', () => {
  const { edges, alone, columns, rows } = placeTasksInColumns([
    { id: 'a', needs: [] },
    { id: 'b', needs: ['a'] },
    { id: 'c', needs: ['a', 'b', 'gone', 'b'] },
    { id: 'd', needs: [] },
  ]);
  assert.equal(edges, [
    ['a', 'b'],
    ['b', 'c'],
  ]);
  assert.equal([alone, columns, rows], [['d'], 3, 1]);
});

test('a circle, a task that needs itself and a chain of 1,000 are drawn', () => {
  const circle = placeTasksInColumns([
    { id: 'a', needs: ['b'] },
    { id: 'b', needs: ['a'] },
    { id: 'c', needs: ['c'] },
  ]);
  assert.is(circle.nodes.length + circle.alone.length, 3);
  const chain = Array.from({ length: 1_000 }, (_, index) => ({
    id: `t-${index}`,
    needs: index === 999 ? [] : [`t-${index + 1}`],
  }));
  assert.is(placeTasksInColumns(chain).columns, 1_000);
  assert.equal(placeTasksInColumns([]), { nodes: [], edges: [], alone: [], columns: 0, rows: 0 });
});

test.run();
