import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findStronglyConnectedNodes, sortByNeeds } from '../../lib/core/schedule/sort-by-needs.ts';
import { compareText } from '../../lib/util/sort-and-group.ts';
import { makeRandom, type Random } from '../support/random.ts';

interface Node {
  readonly id: string;
  readonly needs: readonly string[];
}

test('components are exactly the nodes that reach each other, in random graphs', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const nodes = makeGraph(makeRandom(seed), 0.15);
    const components = findStronglyConnectedNodes(new Map(nodes.map(({ id, needs }) => [id, needs])));
    assert.equal(components.flat().sort(compareText), nodes.map(({ id }) => id).sort(compareText));
    for (const a of nodes) {
      const expected = nodes
        .filter((b) => b === a || (reaches(nodes, a.id, b.id) && reaches(nodes, b.id, a.id)))
        .map(({ id }) => id);
      assert.equal(
        components.find((component) => component.includes(a.id)),
        expected.sort(compareText),
        `seed ${seed}`,
      );
    }
  }
});

test('sorted, each item comes after its needs and takes the first free place by comparison', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = makeRandom(seed);
    const nodes = makeGraph(random, 0.08);
    const sorted = sort(nodes);
    assert.equal(sort(random.shuffle(nodes)), sorted, `seed ${seed}`);
    assert.equal(
      [...sorted].sort((a, b) => compareText(a.id, b.id)),
      [...nodes].sort((a, b) => compareText(a.id, b.id)),
    );
    const free = (node: Node, placed: ReadonlySet<string>): boolean =>
      node.needs.every((need) => placed.has(need) || !nodes.some(({ id }) => id === need));
    const placed = new Set<string>();
    const open = [...nodes].sort((a, b) => compareText(a.id, b.id));
    for (const node of sorted) {
      const first = open.find((other) => !placed.has(other.id) && free(other, placed));
      // What is in or behind a cycle comes last, by comparison.
      const expected = first ?? open.find((other) => !placed.has(other.id));
      assert.is(node.id, expected?.id, `seed ${seed}`);
      placed.add(first === undefined ? node.id : first.id);
      if (first === undefined) break;
    }
  }
});

test('chains of 10,000 are no problem', () => {
  const nodes = Array.from({ length: 10_000 }, (_, index) => ({ id: `${index}`, needs: [`${index + 1}`] }));
  assert.is(findStronglyConnectedNodes(new Map(nodes.map(({ id, needs }) => [id, needs]))).length, 10_000);
  assert.equal(sort(nodes), [...nodes].reverse());
});

function sort(nodes: readonly Node[]): Node[] {
  return sortByNeeds(nodes, {
    id: ({ id }) => id,
    needs: ({ needs }) => needs,
    compare: (a, b) => compareText(a.id, b.id),
  });
}

/** Cycles, self-needs, repeated and unknown needs included. */
function makeGraph(random: Random, density: number): Node[] {
  const ids = random.shuffle(Array.from({ length: random.int(1, 9) }, (_, index) => `n${index}`));
  return ids.map((id) => ({
    id,
    needs: [...ids, 'unknown', ...ids].filter(() => random.chance(density)),
  }));
}

function reaches(nodes: readonly Node[], from: string, to: string, seen = new Set<string>()): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  const needs = nodes.find(({ id }) => id === from)?.needs ?? [];
  return needs.some((need) => need === to || reaches(nodes, need, to, seen));
}

test.run();
