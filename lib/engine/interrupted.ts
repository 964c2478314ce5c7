import { FlameError } from '../domain/flame-error.ts';

/** What a command ends with when the person stopped it. */
export function interruptedError(): FlameError {
  return new FlameError({
    kind: 'interrupted',
    code: 'interrupted',
    message: 'Stopped. The agents have ended, their tasks are free again and their worktrees are kept.',
    hints: ['git flame run'],
  });
}
