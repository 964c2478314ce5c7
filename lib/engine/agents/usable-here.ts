import { roleChoice } from '../../domain/config/role-settings.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Task } from '../../domain/state/task.ts';
import { attemptsOf } from '../../domain/state/task-facts.ts';
import { isJoined } from '../machines/await-others.ts';
import { tellOnce } from '../tell-once.ts';
import type { Workshop } from '../workshop.ts';
import { requireChosen } from './require-chosen.ts';

/**
 * Finds out, once for each CLI and model, whether tasks could run on a machine that joined: its programs are its own. What
 * could not is said and left to the other machines, instead of failing here what does well there.
 */
export async function findUnusable(workshop: Workshop, tasks: readonly Task[]): Promise<void> {
  if (!isJoined(workshop)) return;
  const { usable } = workshop.run;
  for (const task of tasks.flatMap(attemptsOf)) {
    const name = nameOf(workshop, task);
    if (usable.has(name)) continue;
    const why = await objection(workshop, task);
    usable.set(name, why === null);
    if (why !== null)
      tellOnce(workshop, `What is to run with ${name.trim()} is left to other machines: ${why.message}`, {
        details: why.hints,
      });
  }
}

/** Whether nothing is known that keeps a task from running on this machine. */
export function isUsableHere({ config, run }: Pick<Workshop, 'config' | 'run'>, task: Task): boolean {
  return (
    run.usable.size === 0 ||
    attemptsOf(task).every((one) => run.usable.get(nameOf({ config }, one)) !== false)
  );
}

function nameOf({ config }: Pick<Workshop, 'config'>, task: Task): string {
  const { adapter, model } = roleChoice(config, 'worker', task);
  return `${adapter} ${model}`;
}

async function objection(workshop: Workshop, task: Task): Promise<FlameError | null> {
  const { adapter } = roleChoice(workshop.config, 'worker', task);
  try {
    await workshop.agents.checkAdapter(adapter);
    await requireChosen(workshop, 'worker', [task]);
    return null;
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
}
