import type { SessionId } from '../../domain/ids.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { killPoint } from '../../util/kill-point.ts';
import type { PreparedQuestion } from './prepared-question.ts';

/** An answer that was taken and may not be applied yet: the same question, asked again, needs no second answer. */
export interface UnappliedAnswer {
  /** The digest of all that was asked about, and of where its session stood: once it is applied, no question has it. */
  readonly print: string;
  readonly answer?: unknown;
  readonly where: 'board' | 'command';
}

/** Where one is kept beyond this process. What can't be kept is only as safe as the process. */
export interface UnappliedAnswerStore {
  /** null: none. */
  read(session: SessionId): UnappliedAnswer | null;
  write(session: SessionId, kept: UnappliedAnswer): void;
  clear(session: SessionId): void;
}

const keepsNothing: UnappliedAnswerStore = {
  read: () => null,
  write: () => undefined,
  clear: () => undefined,
};

/** The person who decides, the session, and its progress. */
export interface QuestionOrigin {
  readonly person: string;
  readonly session: SessionId | null;
  /** When the last decision was made that its note holds; '' before the first. */
  readonly decidedAt?: string;
}

/** The answers that were taken, until they are applied; one for each session. */
export class UnappliedAnswers {
  readonly #keeper: UnappliedAnswerStore;
  /** Digests of what was answered in this process. */
  readonly #used = new Set<string>();
  /** Sessions of which this process kept an answer. */
  readonly #kept = new Set<SessionId>();

  constructor(keeper: UnappliedAnswerStore = keepsNothing) {
    this.#keeper = keeper;
  }

  has(session: SessionId | null): boolean {
    return session !== null && this.#keeper.read(session) !== null;
  }

  keep(
    question: PreparedQuestion<unknown>,
    place: QuestionOrigin,
    { answer, where }: Pick<UnappliedAnswer, 'answer' | 'where'>,
  ): void {
    // An agent ends with its run, and the answer to its question may be a secret: it is not kept.
    if (place.session === null || question.asks.gate === 'question') return;
    const print = printOf(question, place);
    this.#used.add(print);
    this.#kept.add(place.session);
    this.#keeper.write(place.session, { print, answer, where });
    killPoint('answer on a board kept');
  }

  /** Takes the answer kept for exactly this question, once; null: there is none. */
  take(question: PreparedQuestion<unknown>, place: QuestionOrigin): UnappliedAnswer | null {
    const { session } = place;
    const kept = session === null ? null : this.#keeper.read(session);
    if (session === null || kept === null) return null;
    this.#keeper.clear(session);
    const print = printOf(question, place);
    // A question that is asked again in this run had its answer refused or without effect.
    return kept.print !== print || this.#used.has(print) ? null : kept;
  }

  forget(): void {
    for (const session of this.#kept) this.#keeper.clear(session);
    this.#kept.clear();
  }
}

function printOf({ asks, substance }: PreparedQuestion<unknown>, { session, decidedAt }: QuestionOrigin): string {
  return canonicalDigest({ asks, substance, session, decidedAt });
}
