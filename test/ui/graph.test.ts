import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GraphTask } from '../../lib/domain/view-models/task-story.ts';
import { drawGraphLines, renderGraph } from '../../lib/ui/render/render-graph.ts';
import { textWidth } from '../../lib/util/format-width.ts';
import { makeRandom } from '../support/random.ts';
import { hostile, isHarmless, plainStyle } from './samples.ts';

const tasks: readonly GraphTask[] = [
  { id: 'a', title: 'Store', status: 'merged', group: 'one', dependencies: [] },
  { id: 'b', title: 'Form', status: 'done', group: 'one', dependencies: ['a'] },
  { id: 'c', title: 'Docs', status: 'claimed', group: 'two', dependencies: [] },
  { id: 'd', title: 'Login', status: 'pending', group: 'one', dependencies: ['a', 'b', 'gone'] },
  { id: 'e', title: 'Release', status: 'blocked', group: 'two', dependencies: ['c', 'd'] },
];

function draw(edges: Readonly<Record<string, readonly string[]>>): string {
  const nodes = Object.entries(edges).map(([id, dependencies]) => ({ id, dependencies }));
  return drawGraphLines(nodes, () => '*').join('\n');
}

test('PLN-5: a graph with its progress', () => {
  assert.is(
    renderGraph(tasks, plainStyle()),
    [
      '████████░░░░░░░░░░░░ 2 of 5 tasks done',
      '',
      '●          a  merged   [one] Store',
      '├─◉        b  done     [one] Form',
      '│ │ ◐      c  claimed  [two] Docs',
      '└─┴─│─○    d  pending  [one] Login',
      '    └─┴─⊘  e  blocked  [two] Release',
    ].join('\n'),
  );
});

test('rails: chains, diamonds, roots beside each other, two needs over a third', () => {
  assert.is(draw({ a: [], b: ['a'], c: ['b'] }), '*\n└─*\n  └─*');
  assert.is(draw({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'] }), '*\n├─*\n└─│─*\n  └─┴─*');
  assert.is(draw({ a: [], b: [], c: [] }), '*\n*\n*');
  assert.is(draw({ a: [], b: [], c: ['a'], d: ['b'], e: ['a', 'b'] }), '*\n│ *\n├─│─*\n│ ├─*\n└─┴─*');
});

test('every need is joined to its task, whatever the graph', () => {
  const random = makeRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const count = 1 + random.int(0, 11);
    const nodes = Array.from({ length: count }, (_, index) => ({
      id: `n${index}`,
      dependencies: Array.from({ length: index }, (_, at) => `n${at}`).filter(() => random.chance(0.3)),
    }));
    const lines = drawGraphLines(nodes, () => '*');
    for (const [index, { dependencies }] of nodes.entries()) {
      const joints = [...(lines[index] ?? '')].filter((character) => '├└┼┴'.includes(character)).length;
      assert.is(joints, dependencies.length, lines.join('\n'));
    }
  }
});

test('at 40 columns, and of a chain that is too long to draw, the needs are named', () => {
  const chain = Array.from({ length: 30 }, (_, index): GraphTask => {
    const dependencies = index === 0 ? [] : [`task-${index - 1}`];
    return { id: `task-${index}`, title: 'Something to do', status: 'pending', group: 'main', dependencies };
  });
  const text = renderGraph(chain, plainStyle(40));
  assert.match(text, /○ {2}task-29 {2}pending {2}after task-28: \S+…/);
  assert.match(renderGraph(chain, plainStyle(80)), /○ {2}task-29 {2}pending {2}after task-28: Something to do/);
  const lines = [text, renderGraph(tasks, plainStyle(40))].join('\n').split('\n');
  assert.ok(lines.every((line) => textWidth(line) <= 40));
});

test('a hostile title is drawn harmless', () => {
  const evil: readonly GraphTask[] = [{ id: 'x', title: hostile, status: 'proposed', group: 'g', dependencies: [] }];
  assert.ok(isHarmless(renderGraph(evil, plainStyle())));
});

test.run();
