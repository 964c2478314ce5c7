import { nearestName } from '../util/nearest-name.ts';
import { FlameError, type FlameErrorInit } from './flame-error.ts';

// Errors of names that don't exist: one constructor for each code.

/** `id` null: none was named, and there is none yet. */
export function noSessionError(id: string | null, hints: readonly string[]): FlameError {
  const message = id === null ? 'There is no session in this repository yet.' : `There is no session ${id}.`;
  return new FlameError({ kind: 'refused', code: 'no-session', message, hints });
}

/** `tasks`: those that are there. */
export function noTaskError(id: string, tasks: readonly { readonly id: string }[]): FlameError {
  const typed = id.slice(0, 100);
  return new FlameError({
    kind: 'refused',
    code: 'no-task',
    message: `There is no task ${JSON.stringify(typed)} in this session${suggest(typed, tasks)}`,
    hints: ['git flame status'],
  });
}

/** `known`: what could have been named. */
export function noSuchNameError(
  session: string,
  name: string,
  { known, hints }: { readonly known: readonly { readonly id: string }[]; readonly hints: readonly string[] },
): FlameError {
  const typed = name.slice(0, 100);
  return new FlameError({
    kind: 'refused',
    code: 'nothing-named-so',
    message: `Session ${session} has no task, agent or changeset named ${JSON.stringify(typed)}${suggest(typed, known)}`,
    hints,
  });
}

function suggest(name: string, known: readonly { readonly id: string }[]): string {
  return (
    suggestId(
      name,
      known.map(({ id }) => id),
    ) || '.'
  );
}

/** The end of a sentence about an id that isn't there: `; did you mean task-001?`, or ''. Another number is not misspelt. */
export function suggestId(id: string, known: readonly string[]): string {
  const shape = (text: string): string => text.replace(/\d/g, '0');
  const others = known.filter((one) => shape(one) !== shape(id));
  const near = id.length < 3 ? null : nearestName(id, others);
  return near === null ? '' : `; did you mean ${near}?`;
}

/** `isKept`: something is left of it to look at, or that was not asked. */
export function agentNotRunningError(name: string, { isKept }: { readonly isKept: boolean }): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'agent-not-running',
    message: `No agent ${JSON.stringify(name)} runs on this machine${isKept ? '' : ', and no log of one is kept'}.`,
    hints: ['git flame agent list', ...(isKept ? [] : ['git flame status'])],
  });
}

/** The branch work starts from and lands on. */
export function noBaseBranchError(branch: string, hints: readonly string[]): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'no-base-branch',
    message: `The base branch ${branch} does not exist.`,
    hints,
  });
}

/** None is there, or none of that name; or none of them waits for what was asked. */
export function noChangesetError(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'refused', code: 'no-changeset', message, hints });
}

/** A folder that was named, or the one the command runs in. */
export function noFolderError(message: string, hint: string): FlameError {
  return new FlameError({ kind: 'environment', code: 'no-such-folder', message, hints: [hint] });
}

/** `init` says whether it was named on the command line (`usage`) or in what is stored. */
export function noCommitError(message: string, init: Pick<FlameErrorInit, 'kind' | 'hints' | 'details'>): FlameError {
  return new FlameError({ ...init, code: 'no-such-commit', message });
}

/** An object is missing in git. */
export function missingObjectError(message: string): FlameError {
  return new FlameError({ kind: 'environment', code: 'object-missing', message, hints: ['git fsck'] });
}

// Usage errors of more than one command: one constructor for each code.

/** An option doesn't take its value. */
export function badOptionValueError(message: string, init: Pick<FlameErrorInit, 'hints' | 'data'>): FlameError {
  return new FlameError({ ...init, kind: 'usage', code: 'bad-value', message });
}

/** Two options that exclude each other. */
export function contradictingOptionsError(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'usage', code: 'contradiction', message, hints });
}

/** `--keep-work` beside nothing that goes back. */
export function nothingToKeepError(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'usage', code: 'nothing-to-keep', message, hints });
}

// Errors of plans: one constructor for each code. `details` names the mistakes.

export function badPlanError(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'hintsFor' | 'data'> & {
    readonly kind?: 'refused' | 'environment';
  },
): FlameError {
  return new FlameError({ kind: 'refused', ...init, code: 'bad-plan', message });
}

export function badTaskError(message: string, details: readonly string[], hint: string): FlameError {
  return new FlameError({ kind: 'refused', code: 'bad-task', message, details, hints: [hint] });
}
