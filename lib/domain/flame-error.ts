/**
 * usage: the command line is wrong (exit 129) · environment: can't work here (128) ·
 * refused: a rule or a check said no (1) · waiting: a person must decide (2) ·
 * interrupted: stopped by a signal or a person (130) · internal: a broken invariant (1).
 */
export type ErrorKind = 'usage' | 'environment' | 'refused' | 'waiting' | 'interrupted' | 'internal';

export interface FlameErrorInit {
  readonly kind: ErrorKind;
  /** Stable and kebab-case: scripts rely on it. */
  readonly code: string;
  /** One sentence: what failed, on which task, branch or file. */
  readonly message: string;
  /** Complete commands, or short sentences that end in one, to type next. */
  readonly hints?: readonly string[];
  /** To whom the hints speak: a person has commands, a model that leads has its tools. A person where left out. */
  readonly hintsFor?: 'person' | 'model';
  /** Lines shown below the message, such as the mistakes of a file. */
  readonly details?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error that stops a command. Expected outcomes (a task failed, a conflict) are values, not errors. */
export class FlameError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly hints: readonly string[];
  readonly hintsFor: 'person' | 'model';
  /** The details; uvu takes an error's own `details` for a text and says nothing at all of one with a list. */
  readonly lines: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;

  constructor(init: FlameErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'FlameError';
    this.kind = init.kind;
    this.code = init.code;
    this.hints = init.hints ?? [];
    this.hintsFor = init.hintsFor ?? 'person';
    this.lines = init.details ?? [];
    this.data = init.data ?? {};
  }

  /** Copies the error with other hints. */
  withHints(hints: readonly string[], hintsFor = this.hintsFor): FlameError {
    const { kind, code, message, lines: details, data, cause } = this;
    return new FlameError({ kind, code, message, hints, hintsFor, details, data, cause });
  }
}

/** What a rule or a check said no to: a stable code, one sentence, and complete commands to type next. */
export function refusedError(code: string, message: string, hints: readonly string[]): FlameError {
  return new FlameError({ kind: 'refused', code, message, hints });
}

/** An error that another process reported. */
export function restoreFlameError({ code, ...init }: FlameErrorInit): FlameError {
  return new FlameError({ code, ...init });
}

/** The exit code of each kind, as docs/commands.md documents them. */
export const exitCodes: Readonly<Record<ErrorKind, number>> = {
  refused: 1,
  internal: 1,
  waiting: 2,
  environment: 128,
  usage: 129,
  interrupted: 130,
};

/** The error of a command that the person stopped. */
export function commandStoppedError(
  message = 'Interrupted.',
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'cause'> = {},
): FlameError {
  return new FlameError({ ...init, kind: 'interrupted', code: 'interrupted', message });
}
