import type { Task } from '../../domain/state/task.ts';
import { findComponents } from '../schedule/find-components.ts';
import { sortByNeeds } from '../schedule/sort-by-needs.ts';
import { byPriority, byText } from '../task/by-priority.ts';

/** Tasks of one cohesion group, or of several that need each other and can only go together. */
export interface GroupedTasks {
  /** The group's name; of several, joined by `+` in order of the alphabet. */
  readonly group: string;
  readonly cohesionGroups: readonly string[];
  /** In no particular order. */
  readonly tasks: readonly Task[];
  /** Names of the entries it needs. */
  readonly dependsOn: readonly string[];
}

/**
 * Tasks by cohesion group, in an order in which every group comes after those it needs; then by highest
 * task priority, then name. Dependencies on tasks outside the list don't count.
 */
export function cohesionGroups(tasks: readonly Task[]): readonly GroupedTasks[] {
  const needs = groupNeeds(tasks);
  const nameOf = new Map<string, string>();
  for (const component of findComponents(needs)) {
    for (const member of component) nameOf.set(member, component.join('+'));
  }
  const byName = new Map<string, Task[]>();
  for (const task of tasks) {
    const name = nameOf.get(task.cohesion_group) ?? task.cohesion_group;
    const members = byName.get(name);
    if (members === undefined) byName.set(name, [task]);
    else members.push(task);
  }
  const groups = [...byName].map(([group, members]) => {
    const cohesion = [...new Set(members.map((task) => task.cohesion_group))].sort(byText);
    const needed = cohesion.flatMap((name) => needs.get(name) ?? []).map((name) => nameOf.get(name) ?? name);
    const dependsOn = [...new Set(needed)].filter((name) => name !== group).sort(byText);
    return { group, cohesionGroups: cohesion, tasks: members, dependsOn };
  });
  return sortByNeeds(groups, {
    id: ({ group }) => group,
    needs: ({ dependsOn }) => dependsOn,
    compare: (a, b) => topPriority(a.tasks) - topPriority(b.tasks) || byText(a.group, b.group),
  });
}

/** Tasks so that each comes after those it needs, then by priority, then id. */
export function inDependencyOrder(tasks: readonly Task[]): Task[] {
  return sortByNeeds(tasks, {
    id: (task) => task.id,
    needs: (task) => task.dependencies,
    compare: byPriority,
  });
}

function groupNeeds(tasks: readonly Task[]): ReadonlyMap<string, readonly string[]> {
  const groupOf = new Map<string, string>(tasks.map((task) => [task.id, task.cohesion_group]));
  const needs = new Map<string, Set<string>>(tasks.map((task) => [task.cohesion_group, new Set()]));
  for (const task of tasks) {
    for (const id of task.dependencies) {
      const needed = groupOf.get(id);
      if (needed !== undefined) needs.get(task.cohesion_group)?.add(needed);
    }
  }
  return new Map([...needs].map(([group, needed]) => [group, [...needed].sort(byText)]));
}

function topPriority(tasks: readonly Task[]): number {
  return tasks.reduce((top, task) => Math.min(top, task.priority), Number.POSITIVE_INFINITY);
}
