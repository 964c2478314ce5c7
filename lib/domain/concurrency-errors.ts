import { shellQuote } from '../util/shell-quote.ts';
import { FlameError } from './flame-error.ts';

// Errors of concurrent changes: one constructor for each code.

/** Another command changed it between the look at it and the writing. */
export function changedConcurrentlyError(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'refused', code: 'changed-meanwhile', message, hints });
}

/** `how`: by whom, or during what. */
export function branchMovedError(branch: string, how: string, hints: readonly string[]): FlameError {
  const message = `Branch ${branch} was moved ${how}.`;
  return new FlameError({ kind: 'refused', code: 'branch-moved', message, hints });
}

/** `kind` is waiting where the work goes on once the other has ended. */
export function claimedElsewhereError(
  kind: 'refused' | 'waiting',
  message: string,
  hints: readonly string[],
): FlameError {
  return new FlameError({ kind, code: 'claimed-elsewhere', message, hints });
}

export const sameCommandHint = ['Run the same command on that machine'];

/** Another machine leads the session: it alone plans, merges and lands. */
export function ledElsewhereError(lead: string, first: readonly string[] = ['git flame work --join']): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'led-elsewhere',
    message: `${lead} leads this session.`,
    hints: [...first, 'If that machine will not come back: git flame run --remote --take-over'],
  });
}

/**
 * Another machine took the lead from this one while it led. `freed`: tasks that its agents held; `kept`: where what they
 * wrote is, a line each; `missed`: what of it could not be done, a sentence each.
 */
export function leadTakenOverError({
  lead,
  term,
  remote,
  freed = [],
  kept = [],
  missed = [],
}: {
  readonly lead: string;
  readonly term: number;
  readonly remote: string;
  readonly freed?: readonly string[];
  readonly kept?: readonly string[];
  readonly missed?: readonly string[];
}): FlameError {
  const free = freed.length === 1 ? 'is free again: its agent' : 'are free again: their agents';
  return new FlameError({
    kind: 'refused',
    code: 'lead-passed-on',
    message: `${lead} leads this session now, in term ${term}: it took over from this machine, which no longer decides in it.`,
    details: [
      ...(freed.length === 0 ? [] : [`${freed.join(', ')} ${free} here ended.`]),
      ...(kept.length === 0 ? [] : ['Unfinished work is kept here:']),
      ...kept,
      ...missed,
    ],
    hints: [`To help with it: git flame work --join ${shellQuote(remote)}`, 'git flame machines'],
    data: { lead, term, freed, kept },
  });
}

/** Its steps are decided at a remote, where other machines decide too: here alone two would do the same. */
export function sessionIsSharedError(id: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'session-shared',
    message: `Session ${id} is shared with other machines, so its remote decides each step.`,
    hints: ['git flame run', 'On a machine that helps: git flame work --join'],
  });
}
