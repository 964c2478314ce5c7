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

/** The person stopped the program before an agent was started, while something was waited for or not. */
export function stoppedBeforeStart(waitedFor: string | null): FlameError {
  const waiting = waitedFor === null ? '' : ` while it waited: ${waitedFor}`;
  return new FlameError({
    kind: 'interrupted',
    code: 'interrupted',
    message: `Stopped${waiting === '' ? '.' : waiting}`,
    details: ['No agent was running for it; what is done is kept.'],
    hints: ['git flame run'],
  });
}
