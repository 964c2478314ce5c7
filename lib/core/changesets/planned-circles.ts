import type { PlannedCircle, PlannedGround } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { addTo } from '../../util/sort-and-group.ts';
import { cohesionGroups } from './cohesion-groups.ts';

/**
 * Groups of a plan that can't be decided one by one, as far as can be known before: those whose tasks depend on each
 * other in a circle go together, and those that build on each other's work in turn come in parts.
 */
export function plannedCircles({ tasks }: Plan, ground: readonly PlannedGround[]): readonly PlannedCircle[] {
  const below = new Map(ground.map(({ task, below: others }) => [task, others.map((other) => other.task)]));
  const built = tasks.map((task) => {
    const others = below.get(task.id) ?? [];
    return {
      ...task,
      built_on: tasks.filter(({ id }) => others.includes(id)).map(({ id }) => ({ task: id })),
    };
  });
  const found = cohesionGroups(built);
  const together = found.filter(({ cohesionGroups: names }) => names.length > 1);
  const parted = new Map<string, string[]>();
  for (const { group, cohesionGroups: names } of found) addTo(parted, names.join('+'), group);
  const seen = new Set<string>();
  return [
    ...together
      .map(({ cohesionGroups: groups }) => groups)
      .filter((groups) => !seen.has(groups.join('+')) && seen.add(groups.join('+')))
      .map((groups): PlannedCircle => ({ kind: 'together', groups })),
    ...[...parted.values()]
      .filter((groups) => groups.length > 1)
      .map((groups): PlannedCircle => ({ kind: 'in-parts', groups })),
  ];
}
