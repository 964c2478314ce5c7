import type { Task } from '../../domain/state/task.ts';
import { addTo, byText } from '../../util/sort-and-group.ts';

type Linked = Pick<Task, 'id' | 'status' | 'dependencies'>;

/**
 * For each task that needs one of `ids`, directly or through others, the dependency through which it does
 * (the nearest). A merged task passes nothing on: its work is on the base. The given ids are not in the answer.
 */
export function transitiveDependents(
  tasks: readonly Linked[],
  ids: readonly string[],
): ReadonlyMap<string, string> {
  const dependents = groupByDependency(tasks);
  const given = new Set(ids);
  const through = new Map<string, string>();
  const reached = [...given].sort(byText);
  // Grows while it's walked: breadth first.
  for (const id of reached) {
    for (const dependent of dependents.get(id) ?? []) {
      if (through.has(dependent) || given.has(dependent)) continue;
      through.set(dependent, id);
      reached.push(dependent);
    }
  }
  return through;
}

function groupByDependency(tasks: readonly Linked[]): ReadonlyMap<string, readonly string[]> {
  const dependents = new Map<string, string[]>();
  for (const task of [...tasks].sort((a, b) => byText(a.id, b.id))) {
    if (task.status === 'merged') continue;
    for (const id of task.dependencies) addTo(dependents, id, task.id);
  }
  return dependents;
}
