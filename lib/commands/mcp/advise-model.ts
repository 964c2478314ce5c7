import type { FlameError } from '../../domain/flame-error.ts';

/** What a model that leads can do about an error. */
export interface Advice {
  readonly next: readonly string[];
  /** Commands and changes that only the person can make; absent: nothing is left to them. */
  readonly for_lead?: readonly string[];
}

const mostHints = 5;

/**
 * What a model can do about an error: hints are commands of a person as a rule, and it has its tools alone. `tellLead` is
 * how the person hears of what only they can mend.
 */
export function adviseModel({ code, hints, hintsFor }: FlameError, tellLead: string): Advice {
  if (hintsFor === 'model' && hints.length > 0) return { next: hints.slice(0, mostHints) };
  const way = ways.get(code);
  if (way !== undefined) return { next: [way] };
  return { next: [tellLead], ...(hints.length === 0 ? {} : { for_lead: hints.slice(0, mostHints) }) };
}

const again = 'Call it again in a moment; if that brings the same, tell the lead';
const look = 'It changed meanwhile: get_status shows how it stands now';

/** What a model can do by itself about errors that a person hears as well, by their codes. */
const ways: ReadonlyMap<string, string> = new Map([
  ['bad-note', 'leave_note with other words, or for fewer'],
  ['bad-plan', 'Mend these tasks and call create_tasks again'],
  ['branch-moved', again],
  ['changed-meanwhile', again],
  ['illegal-transition', look],
  ['no-session', 'create_tasks with an objective begins one'],
  ['no-task', 'get_status names the tasks there are'],
  ['secret-in-note', 'Say where the credential is kept, not what it is'],
  ['session-archived', 'create_tasks with an objective begins another one'],
  ['session-busy', 'Another command of the lead works on it: call it again once that has ended'],
  ['session-ended', 'create_tasks with an objective begins another one'],
  ['session-over', 'create_tasks with an objective begins another one'],
  ['session-open', 'The session is there now: call create_tasks again without objective, to add to it'],
  ['state-busy', again],
  ['task-not-editable', look],
  ['too-many-notes', 'Do without it: those that are there are told'],
  ['verdict-for-other-commit', look],
]);
