import type { Plan, PlannedTask } from '../domain/plan.ts';

const heading = `# The plan. Change it, save and close; empty the file to leave the plan as it was.
# priority: 1 is the highest. file_locks: what the task may change. dependencies: ids of other tasks.
`;

/** A plan as the YAML a person edits: what is not set is left out. */
export async function planToYaml(plan: Plan): Promise<string> {
  // Only who edits pays for loading it.
  const { stringify } = await import('../util/yaml.ts');
  return heading + stringify({ tasks: plan.tasks.map(toEntry) }, { lineWidth: 0 });
}

function toEntry(task: PlannedTask): Readonly<Record<string, unknown>> {
  const { id, title, description, priority, cohesion_group, dependencies, file_locks } = task;
  return {
    id,
    title,
    description,
    priority,
    cohesion_group,
    dependencies,
    file_locks,
    ...(task.acceptance_criteria.length > 0 ? { acceptance_criteria: task.acceptance_criteria } : {}),
    ...(task.constraints.length > 0 ? { constraints: task.constraints } : {}),
    ...(task.model === null ? {} : { model: task.model }),
    ...(task.adapter === null ? {} : { adapter: task.adapter }),
  };
}
