import type { PlannedGroupCircle, PlannedOverlap } from '../../domain/ports/gates.ts';
import type { Plan } from '../../domain/state/plan-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { addToListOfKey, compareText } from '../../util/sort-and-group.ts';
import { compareByPriority, findStronglyConnectedNodes, sortByNeeds } from '../schedule/sort-by-needs.ts';
import { listNeededTasks, type NeededWorkFields } from '../task/stack-state.ts';

/** Fields of a task that decide its group. */
export type GroupableTask = Pick<Task, 'id' | 'cohesion_group' | 'priority' | 'dependencies'> & NeededWorkFields;

/** Tasks of one cohesion group, of several that can only go together, or a part of one. */
interface GroupedTasks<T extends GroupableTask> {
  /** The group's name; of several, joined by `+` in order of the alphabet; of a later part, with its number. */
  readonly group: string;
  readonly cohesionGroups: readonly string[];
  /** In no particular order. */
  readonly tasks: readonly T[];
  /** Names of the entries it needs. */
  readonly dependsOn: readonly string[];
}

/**
 * Tasks by cohesion group, in an order in which every group comes after those it needs; then by highest task priority,
 * then name. Needs outside the list don't count. Groups whose tasks depend on each other in a circle go together as
 * `a+b`. Where they were only built on each other's work in turn, each is parted between the turns (`a`, `b`, `a-2`),
 * so that every part can be decided separately.
 */
export function groupByCohesion<T extends GroupableTask>(tasks: readonly T[]): readonly GroupedTasks<T>[] {
  const dependent = circles(
    tasks,
    ({ cohesion_group: group }) => group,
    (task) => task.dependencies,
  );
  const together = ({ cohesion_group: group }: GroupableTask): string => dependent.get(group) ?? group;
  const parts = partCircles(tasks, together);
  const partOf = new Map(tasks.map((task) => [task.id, parts.get(task) ?? together(task)]));
  const byName = new Map<string, T[]>();
  for (const task of tasks) addToListOfKey(byName, partOf.get(task.id) ?? together(task), task);
  const groups = [...byName].map(([group, members]) => {
    const cohesion = [...new Set(members.map((task) => task.cohesion_group))].sort(compareText);
    const needed = members.flatMap(listNeededTasks).flatMap((id) => partOf.get(id) ?? []);
    const dependsOn = [...new Set(needed)].filter((name) => name !== group).sort(compareText);
    return { group, cohesionGroups: cohesion, tasks: members, dependsOn };
  });
  return sortByNeeds(groups, {
    id: ({ group }) => group,
    needs: ({ dependsOn }) => dependsOn,
    compare: (a, b) => topPriority(a.tasks) - topPriority(b.tasks) || compareText(a.group, b.group),
  });
}

/** Tasks so that each comes after those it needs, then by priority, then id. */
export function sortTasksByDependency<T extends GroupableTask>(tasks: readonly T[]): T[] {
  return sortByNeeds(tasks, { id: (task) => task.id, needs: listNeededTasks, compare: compareByPriority });
}

/** For each name that `nameOf` gives, the names of all that need each other with it, joined by `+`. */
function circles<T extends GroupableTask>(
  tasks: readonly T[],
  nameOf: (task: T) => string,
  needs: (task: T) => readonly string[],
): ReadonlyMap<string, string> {
  const names = new Map<string, string>(tasks.map((task) => [task.id, nameOf(task)]));
  const graph = new Map<string, Set<string>>(tasks.map((task) => [nameOf(task), new Set()]));
  for (const task of tasks)
    for (const id of needs(task)) {
      const needed = names.get(id);
      if (needed !== undefined) graph.get(nameOf(task))?.add(needed);
    }
  const sorted = new Map([...graph].map(([name, needed]) => [name, [...needed].sort(compareText)]));
  const joined = findStronglyConnectedNodes(sorted).map((component) => [component, component.join('+')] as const);
  return new Map(joined.flatMap(([component, name]) => component.map((member) => [member, name] as const)));
}

/**
 * The part of each task whose unit (a group, or several together) is in a circle with others: a task comes one part
 * later for each change of unit on its way down through what it needs, so that no part needs a later one.
 */
function partCircles<T extends GroupableTask>(
  tasks: readonly T[],
  unitOf: (task: T) => string,
): ReadonlyMap<T, string> {
  const circleOf = circles(tasks, unitOf, listNeededTasks);
  const byId = new Map<string, T>(tasks.map((task) => [task.id, task]));
  const level = new Map<T, number>();
  for (const task of sortTasksByDependency(tasks)) {
    const unit = unitOf(task);
    const below = listNeededTasks(task).flatMap((id) => byId.get(id) ?? []);
    const levels = below
      .filter((other) => circleOf.get(unitOf(other)) === circleOf.get(unit))
      .map((other) => (level.get(other) ?? 0) + (unitOf(other) === unit ? 0 : 1));
    level.set(task, Math.max(0, ...levels));
  }
  const units = new Map<string, T[]>();
  for (const task of tasks) addToListOfKey(units, unitOf(task), task);
  const taken = new Set(units.keys());
  const parts = new Map<T, string>();
  for (const [unit, members] of [...units].sort(([a], [b]) => compareText(a, b))) {
    const levels = [...new Set(members.map((task) => level.get(task) ?? 0))].sort((a, b) => a - b);
    const names = levels.map((_, index) => (index === 0 ? unit : freeName(unit, taken)));
    for (const task of members) parts.set(task, names[levels.indexOf(level.get(task) ?? 0)] ?? unit);
  }
  return parts;
}

/** `a-2`, or the next number; taken then. */
function freeName(unit: string, taken: Set<string>): string {
  let number = 2;
  while (taken.has(`${unit}-${number}`)) number += 1;
  const name = `${unit}-${number}`;
  taken.add(name);
  return name;
}

function topPriority(tasks: readonly GroupableTask[]): number {
  return tasks.reduce((top, task) => Math.min(top, task.priority), Number.POSITIVE_INFINITY);
}

/** Done tasks without a verdict: groups in dependency order, each group's tasks by priority, then id. */
export function listTasksToValidate(tasks: readonly Task[]): readonly Task[] {
  return groupByCohesion(tasks).flatMap((group) =>
    group.tasks.filter((task) => task.status === 'done' && task.result.status === null).sort(compareByPriority),
  );
}

/**
 * Groups of a plan that can't be decided one by one, as far as can be known before: those whose tasks depend on each
 * other in a circle go together, and those that build on each other's work in turn come in parts.
 */
export function findInseparableGroups(
  { tasks }: Plan,
  overlaps: readonly PlannedOverlap[],
): readonly PlannedGroupCircle[] {
  const below = new Map(overlaps.map(({ task, below: others }) => [task, others.map((other) => other.task)]));
  const built = tasks.map((task) => {
    const others = below.get(task.id) ?? [];
    return {
      ...task,
      built_on: tasks.filter(({ id }) => others.includes(id)).map(({ id }) => ({ task: id })),
    };
  });
  const found = groupByCohesion(built);
  const together = found.filter(({ cohesionGroups: names }) => names.length > 1);
  const parted = new Map<string, string[]>();
  for (const { group, cohesionGroups: names } of found) addToListOfKey(parted, names.join('+'), group);
  const seen = new Set<string>();
  return [
    ...together
      .map(({ cohesionGroups: groups }) => groups)
      .filter((groups) => !seen.has(groups.join('+')) && seen.add(groups.join('+')))
      .map((groups): PlannedGroupCircle => ({ kind: 'together', groups })),
    ...[...parted.values()]
      .filter((groups) => groups.length > 1)
      .map((groups): PlannedGroupCircle => ({ kind: 'in-parts', groups })),
  ];
}
