import { FlameError, type FlameErrorInit } from './flame-error.ts';

// Errors of names that don't exist: one constructor for each code.

/** `id` null: none was named, and there is none yet. */
export function noSession(id: string | null, hints: readonly string[]): FlameError {
  const message = id === null ? 'There is no session in this repository yet.' : `There is no session ${id}.`;
  return new FlameError({ kind: 'refused', code: 'no-session', message, hints });
}

export function noTask(id: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-task',
    message: `There is no task ${JSON.stringify(id.slice(0, 100))} in this session.`,
    hints: ['git flame status'],
  });
}

export function noSuchName(session: string, name: string, hints: readonly string[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'nothing-named-so',
    message: `Session ${session} has no task, agent or changeset named ${JSON.stringify(name)}.`,
    hints,
  });
}

/** `isKept`: something is left of it to look at, or that was not asked. */
export function agentNotRunning(name: string, { isKept }: { readonly isKept: boolean }): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'agent-not-running',
    message: `No agent ${JSON.stringify(name)} runs on this machine${isKept ? '' : ', and no log of one is kept'}.`,
    hints: ['git flame agent list', ...(isKept ? [] : ['git flame status'])],
  });
}

/** The branch work starts from and lands on. */
export function noBaseBranch(branch: string, hints: readonly string[]): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'no-base-branch',
    message: `The base branch ${branch} does not exist.`,
    hints,
  });
}

/** None is there, or none of that name; or none of them waits for what was asked. */
export function noChangeset(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'refused', code: 'no-changeset', message, hints });
}

/** A folder that was named, or the one the command runs in. */
export function noFolder(message: string, hint: string): FlameError {
  return new FlameError({ kind: 'environment', code: 'no-such-folder', message, hints: [hint] });
}

/** `init` says whether it was named on the command line (`usage`) or in what is stored. */
export function noCommit(
  message: string,
  init: Pick<FlameErrorInit, 'kind' | 'hints' | 'details'>,
): FlameError {
  return new FlameError({ ...init, code: 'no-such-commit', message });
}

/** An object is missing in git. */
export function objectMissing(message: string): FlameError {
  return new FlameError({ kind: 'environment', code: 'object-missing', message, hints: ['git fsck'] });
}

// Usage errors of more than one command: one constructor for each code.

/** An option doesn't take its value. */
export function badValue(message: string, init: Pick<FlameErrorInit, 'hints' | 'data'>): FlameError {
  return new FlameError({ ...init, kind: 'usage', code: 'bad-value', message });
}

/** Two options that exclude each other. */
export function contradiction(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'usage', code: 'contradiction', message, hints });
}

/** `--keep-work` beside nothing that goes back. */
export function nothingToKeep(message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'usage', code: 'nothing-to-keep', message, hints });
}

// Errors of plans: one constructor for each code. `details` names the mistakes.

export function badPlan(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'hintsFor' | 'data'> & {
    readonly kind?: 'refused' | 'environment';
  },
): FlameError {
  return new FlameError({ kind: 'refused', ...init, code: 'bad-plan', message });
}

export function badTask(message: string, details: readonly string[], hint: string): FlameError {
  return new FlameError({ kind: 'refused', code: 'bad-task', message, details, hints: [hint] });
}
