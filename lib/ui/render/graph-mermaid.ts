import type { GraphTask } from '../../domain/shown/task-story.ts';
import { visibleLine } from '../text/visible-text.ts';

// Light enough for black text, apart also for those who see no red or green.
const mermaidColours: Readonly<Record<GraphTask['status'], string>> = {
  proposed: '#ffffff',
  pending: '#f2f2f2',
  requeued: '#fff2b3',
  claimed: '#cfe2ff',
  done: '#d9f2d9',
  merged: '#a6d8a6',
  failed: '#f5b5b5',
  blocked: '#e8d0e8',
  dropped: '#dddddd',
};

/** The graph as Mermaid, one subgraph for each group, for documents and pull requests. */
export function graphMermaid(tasks: readonly GraphTask[]): string {
  const names = new Map(tasks.map(({ id }, index) => [id, `t${index + 1}`]));
  const groups = [...new Set(tasks.map(({ group }) => group))];
  const used = [...new Set(tasks.map(({ status }) => status))];
  return [
    'flowchart TD',
    ...groups.flatMap((group, index) => [
      `  subgraph g${index + 1}["${asLabel(group)}"]`,
      ...tasks
        .filter((task) => task.group === group)
        .map(({ id, title, status }) => {
          const label = `${asLabel(id)}: ${asLabel(title)}<br/>${status}`;
          return `    ${names.get(id)}["${label}"]:::${status}`;
        }),
      '  end',
    ]),
    ...tasks.flatMap(({ id, dependencies }) =>
      dependencies.flatMap((need) => (names.has(need) ? [`  ${names.get(need)} --> ${names.get(id)}`] : [])),
    ),
    ...used.map(
      (status) => `  classDef ${status} fill:${mermaidColours[status]},stroke:#666666,color:#000000`,
    ),
  ].join('\n');
}

/** Mermaid knows no backslash, only character numbers; what it might read as markup is given as one. */
function asLabel(text: string): string {
  return visibleLine(text).replace(
    /[^\p{L}\p{N} .,:()/_-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
}
