import type { GraphTask } from '../../domain/shown/task-story.ts';
import { visibleLine } from '../text/visible-text.ts';

const dotColours: Readonly<Record<GraphTask['status'], string>> = {
  proposed: 'white',
  pending: 'gray95',
  requeued: 'lightyellow',
  claimed: 'lightblue',
  done: 'honeydew',
  merged: 'palegreen',
  failed: 'lightpink',
  blocked: 'thistle',
  dropped: 'gray85',
};

/** The graph for Graphviz' dot, one cluster for each group. */
export function graphDot(tasks: readonly GraphTask[]): string {
  const known = new Set(tasks.map(({ id }) => id));
  const groups = [...new Set(tasks.map(({ group }) => group))];
  return [
    'digraph plan {',
    '  rankdir=TB;',
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
    ...groups.flatMap((group, index) => [
      `  subgraph cluster_${index + 1} {`,
      `    label=${quote(group)};`,
      ...tasks
        .filter((task) => task.group === group)
        .map(({ id, title, status }) => {
          const label = `${quote(`${id}: ${title}`).slice(0, -1)}\\n${status}"`;
          return `    ${quote(id)} [label=${label}, fillcolor=${dotColours[status]}];`;
        }),
      '  }',
    ]),
    ...tasks.flatMap(({ id, dependencies }) =>
      dependencies.filter((need) => known.has(need)).map((need) => `  ${quote(need)} -> ${quote(id)};`),
    ),
    '}',
  ].join('\n');
}

function quote(text: string): string {
  return `"${visibleLine(text).replace(/[\\"]/g, '\\$&')}"`;
}
