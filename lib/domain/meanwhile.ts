import { FlameError } from './flame-error.ts';

// What somebody else does with the same things: one constructor for each code.

/** Another command changed it between the look at it and the writing. */
export function changedMeanwhile(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'refused', code: 'changed-meanwhile', message, hints });
}

/** `how`: by whom, or during what. */
export function branchMoved(branch: string, how: string, hints: readonly string[]): FlameError {
  const message = `Branch ${branch} was moved ${how}.`;
  return new FlameError({ kind: 'refused', code: 'branch-moved', message, hints });
}

/** `kind` is waiting where the work goes on once the other has ended. */
export function claimedElsewhere(
  kind: 'refused' | 'waiting',
  message: string,
  hints: readonly string[],
): FlameError {
  return new FlameError({ kind, code: 'claimed-elsewhere', message, hints });
}

/** Another machine leads the session: it alone plans, merges and lands. */
export function ledElsewhere(lead: string, first: readonly string[] = ['git flame work --join']): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'led-elsewhere',
    message: `${lead} leads this session.`,
    hints: [...first, 'If that machine is gone for good: git flame run --remote --take-over'],
  });
}

/** Its steps are decided at a remote, where other machines decide too: here alone two would do the same. */
export function sessionShared(id: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'session-shared',
    message: `Session ${id} is shared with other machines, so its steps are decided at its remote.`,
    hints: ['git flame run', 'On a machine that helps: git flame work --join'],
  });
}
