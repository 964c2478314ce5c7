import { sortByNeeds } from '../../core/schedule/sort-by-needs.ts';
import { needsOf } from '../../core/task/needs-of.ts';
import { badValue } from '../../domain/bad-input.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { GraphTask } from '../../domain/shown/task-story.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { graphDot, graphMermaid, renderGraph } from '../../ui/render/render-graph.ts';
import { byText } from '../../util/sort-and-group.ts';
import { showLong } from '../open/show-long.ts';
import type { Showing } from './showing.ts';

/** The plan as a graph with its progress: drawn, or for Mermaid or Graphviz. */
export async function showGraph({ args, io, reading, session, tasks }: Showing): Promise<number> {
  const { output } = reading;
  const graph = sortByNeeds(toGraph(session, tasks), {
    id: ({ id }) => id,
    needs: ({ dependencies }) => dependencies,
    compare: (a, b) => byText(a.group, b.group) || byText(a.id, b.id),
  });
  const format = args.options.format ?? 'text';
  output.json({ session: session.id, tasks: graph });
  if (format === 'mermaid') output.result(graphMermaid(graph));
  else if (format === 'dot') output.result(graphDot(graph));
  else if (format === 'text') await showLong(output, io, renderGraph(graph, output.style));
  else throw unknownFormat(format);
  return 0;
}

/** A plan that waits for its gate takes the place of the tasks it would replace. */
function toGraph({ proposal }: Session, tasks: readonly Task[]): readonly GraphTask[] {
  const proposed = new Set<string>((proposal ?? []).map(({ id }) => id));
  return [
    ...tasks
      .filter(({ id }) => !proposed.has(id))
      .map((task) => ({ task, dependencies: isWorkedOn(task) ? needsOf(task) : task.dependencies }))
      .map(({ task: { id, title, status, cohesion_group: group }, dependencies }) => ({
        id,
        title,
        status,
        group,
        dependencies,
      })),
    ...(proposal ?? []).map(({ id, title, cohesion_group: group, dependencies }) => ({
      id,
      title,
      group,
      dependencies,
      status: 'proposed' as const,
    })),
  ];
}

/** False once a task was sent back: then its base set is ignored. */
function isWorkedOn({ status }: Task): boolean {
  return status === 'claimed' || status === 'done' || status === 'merged';
}

function unknownFormat(format: string): FlameError {
  return badValue(`Option --format needs text, mermaid or dot, not ${JSON.stringify(format)}.`, {
    hints: ['git flame show --graph --format mermaid', 'git flame show -h'],
  });
}
