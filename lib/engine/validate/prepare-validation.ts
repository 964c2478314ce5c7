import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import { runScript } from '../run-script.ts';
import type { Workshop } from '../workshop.ts';

/** Runs the person's own script before tasks are judged. Throws FlameError `pre-validation-failed`. */
export async function prepareValidation(
  workshop: Workshop,
  session: SessionId,
  tasks: readonly Task[],
): Promise<void> {
  if (tasks.length === 0) return;
  if (await runScript(workshop, 'pre_validation', { session, tasks: tasks.map(({ id }) => id) })) return;
  throw new FlameError({
    kind: 'refused',
    code: 'pre-validation-failed',
    message: 'hooks.pre_validation failed, so nothing was validated.',
    hints: ['git flame validate'],
  });
}
