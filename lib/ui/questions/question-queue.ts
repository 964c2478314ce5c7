import { answeredAlreadyError, questionClosedError } from '../../domain/questions/parse-answer.ts';
import type {
  AnsweredQuestion,
  AnsweringPlace,
  PendingQuestion,
  QuestionChannel,
  QuestionTextKind,
  RunQuestionsState,
  UncheckedAnswer,
} from '../../domain/questions/question-data.ts';
import { describeQuestionWithdrawal } from '../../domain/questions/question-facts.ts';
import type { WarningEnd } from '../../domain/view-models/run-event.ts';
import { killPoint } from '../../util/kill-point.ts';
import { randomName } from '../../util/short-names.ts';
import { type AnyGateDecision, type PreparedQuestion, summarizeDecision } from './prepared-question.ts';
import { type QuestionOrigin, type UnappliedAnswerStore, UnappliedAnswers } from './unapplied-answers.ts';

/** The most decided questions shown, and the most known to answer a late client. */
const mostKept = 20;
const mostKnown = 5_000;
const mostWarnings = 10;

export interface DecidedAnswer<Decision> {
  readonly decision: Decision;
  readonly where: AnsweringPlace;
}

/** A question that is open. */
export interface PostedQuestion<Decision> {
  /** Resolves to what was answered here; never, where it is answered elsewhere. */
  readonly answered: Promise<DecidedAnswer<Decision>>;
  /** Closes the question with its answer; '' means withdrawn. */
  close(answer: string, where: AnsweringPlace): void;
}

interface Warning {
  readonly sentence: string;
  readonly until: WarningEnd | null;
}

interface Lying {
  readonly gate: PendingQuestion;
  readonly text: PreparedQuestion<unknown>['text'];
  take(given: UncheckedAnswer): Promise<void>;
}

/** Queue of the questions of a run, one open at a time, for pages and commands. What was decided stays known as long as it runs. */
export class QuestionQueue implements QuestionChannel {
  #lying: Lying | null = null;
  #decided: readonly AnsweredQuestion[] = [];
  /** How questions without an answer ended, by their id. */
  readonly #gone = new Map<string, string>();
  #warnings: readonly Warning[] = [];
  #ahead: readonly string[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #kept: UnappliedAnswers;

  constructor(keeper?: UnappliedAnswerStore) {
    this.#kept = new UnappliedAnswers(keeper);
  }

  read(): RunQuestionsState {
    const open = this.#lying?.gate ?? null;
    const decided = this.#decided.slice(0, mostKept);
    return { open, decided, warnings: [...this.#ahead, ...this.#warnings.map(({ sentence }) => sentence)] };
  }

  /** Shows a warning beside the questions, the same one once, until its cause is over. */
  warn(sentence: string, until: WarningEnd | null = null): void {
    const others = this.#warnings.filter((known) => known.sentence !== sentence);
    this.#warnings = [{ sentence, until }, ...others].slice(0, mostWarnings);
    this.#tell();
  }

  /** Removes warnings that last until this end; null: none. */
  settle(end: WarningEnd | null): void {
    const left = this.#warnings.filter(({ until }) => until === null || until !== end);
    if (left.length === this.#warnings.length) return;
    this.#warnings = left;
    this.#tell();
  }

  /** Shows these predicted conflicts, a sentence each, instead of those before. */
  warnAhead(conflicts: readonly string[]): void {
    this.#ahead = conflicts.slice(0, mostWarnings);
    this.#tell();
  }

  watch(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  async answer(given: UncheckedAnswer): Promise<void> {
    await this.#require(given.gate).take(given);
  }

  async text(gate: string, what: QuestionTextKind): Promise<string | null> {
    return this.#require(gate).text(what);
  }

  /** Opens a question. */
  post<Decision extends AnyGateDecision>(
    question: PreparedQuestion<Decision>,
    place: QuestionOrigin,
  ): PostedQuestion<Decision> {
    const id = randomName('gate');
    const { session } = place;
    const gate: PendingQuestion = { id, session, asked_at: new Date().toISOString(), asks: question.asks };
    let settle: (answer: DecidedAnswer<Decision>) => void = () => undefined;
    const answered = new Promise<DecidedAnswer<Decision>>((resolve) => {
      settle = resolve;
    });
    const close: PostedQuestion<Decision>['close'] = (answer, where) => {
      if (this.#lying?.gate.id !== id) return;
      this.#lying = null;
      if (answer === '') this.#gone.set(id, describeQuestionWithdrawal(gate, Date.now()));
      else this.#note(question, place, { id, answer, where });
      this.#tell();
    };
    const take = async ({ answer, where }: UncheckedAnswer): Promise<void> => {
      killPoint('answer on a board read');
      const decision = await question.decide(answer);
      // Another client may have answered while this answer was parsed.
      if (this.#lying?.gate.id !== id) throw this.#whatBecameOf(id);
      if (where === 'board' || where === 'command') this.#kept.keep(question, place, { answer, where });
      close(summarizeDecision(question.asks.gate, decision), where);
      settle({ decision, where });
      killPoint('answer on a board given');
    };
    this.#lying = { gate, text: question.text, take };
    this.#tell();
    return { answered, close };
  }

  /** Whether an answer to any question of that session is kept. */
  hasKept({ session }: Pick<QuestionOrigin, 'session'>): boolean {
    return this.#kept.has(session);
  }

  /**
   * Returns the answer to exactly this question from before its run was killed, if it was never applied; null: none. It
   * is returned once: if it is refused or changes nothing, a person is asked the next time.
   */
  async recall<Decision extends AnyGateDecision>(
    question: PreparedQuestion<Decision>,
    place: QuestionOrigin,
  ): Promise<DecidedAnswer<Decision> | null> {
    const kept = this.#kept.take(question, place);
    if (kept === null) return null;
    const { answer, where } = kept;
    const decision = await question.decide(answer).catch(() => null);
    if (decision === null) return null;
    this.#note(question, place, {
      id: randomName('gate'),
      answer: summarizeDecision(question.asks.gate, decision),
      where,
    });
    this.#tell();
    return { decision, where };
  }

  /** Drops kept answers where the run ends without a kill: they are applied by now, or had no effect. */
  forget(): void {
    this.#kept.forget();
  }

  #note(
    { asks, about }: PreparedQuestion<unknown>,
    { person, session }: QuestionOrigin,
    decided: Pick<AnsweredQuestion, 'id' | 'answer' | 'where'>,
  ): void {
    const at = new Date().toISOString();
    const one = { ...decided, session, gate: asks.gate, about, by: person, at };
    this.#decided = [one, ...this.#decided].slice(0, mostKnown);
  }

  #require(id: string): Lying {
    const lying = this.#lying;
    if (lying === null || lying.gate.id !== id) throw this.#whatBecameOf(id);
    return lying;
  }

  #whatBecameOf(id: string): Error {
    const decided = this.#decided.find((one) => one.id === id);
    return decided === undefined ? questionClosedError(this.#gone.get(id)) : answeredAlreadyError(decided);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
