import type { SessionId } from '../../domain/ids.ts';
import type {
  AnsweredAt,
  DecidedGate,
  GateLine,
  GatesState,
  GateText,
  GivenAnswer,
  OpenGate,
} from '../../domain/shown/gate.ts';
import { randomName } from '../../util/random-name.ts';
import { type Decided, decisionWords } from './decision-words.ts';
import type { DeskQuestion } from './desk-question.ts';
import { answeredAlready, notAsked } from './refused-answers.ts';

/** Of those that were decided. */
const mostKept = 20;

/** Who decides, and in which session. */
export interface DeskPlace {
  readonly person: string;
  readonly session: SessionId | null;
}

/** A question that lies on the desk. */
export interface OnDesk<Decision> {
  /** Resolves to what was answered here; never, where it is answered elsewhere. */
  readonly answered: Promise<{ readonly decision: Decision; readonly where: AnsweredAt }>;
  /** Says what became of it; '' as the answer: nothing, it is asked no more. */
  close(answer: string, where: AnsweredAt): void;
}

interface Lying {
  readonly gate: OpenGate;
  readonly text: DeskQuestion<unknown>['text'];
  take(given: GivenAnswer): Promise<void>;
}

/** Where the questions of a run lie for pages to answer, one at a time. What was decided stays known as long as it runs. */
export class GateDesk implements GateLine {
  #lying: Lying | null = null;
  #decided: readonly DecidedGate[] = [];
  readonly #listeners = new Set<() => void>();

  read(): GatesState {
    return { open: this.#lying?.gate ?? null, decided: this.#decided };
  }

  watch(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  async answer(given: GivenAnswer): Promise<void> {
    await this.#require(given.gate).take(given);
  }

  async text(gate: string, what: GateText): Promise<string | null> {
    return this.#require(gate).text(what);
  }

  /** Lays a question down; `Decision` is what its answers are read as. */
  lay<Decision extends Decided>(
    question: DeskQuestion<Decision>,
    { person, session }: DeskPlace,
  ): OnDesk<Decision> {
    const id = randomName('gate');
    const asked_at = new Date().toISOString();
    const gate: OpenGate = { id, session, asked_at, asks: question.asks };
    let settle: (answer: { readonly decision: Decision; readonly where: AnsweredAt }) => void = () =>
      undefined;
    const answered = new Promise<{ readonly decision: Decision; readonly where: AnsweredAt }>((resolve) => {
      settle = resolve;
    });
    const take = async ({ answer, where }: GivenAnswer): Promise<void> => {
      const decision = await question.read(answer);
      // Somebody else may have answered while it was read.
      if (this.#lying?.gate.id !== id) throw this.#whatBecameOf(id);
      close(decisionWords(decision), where);
      settle({ decision, where });
    };
    const close = (answer: string, where: AnsweredAt): void => {
      if (this.#lying?.gate.id !== id) return;
      this.#lying = null;
      const { asks } = question;
      const at = new Date().toISOString();
      const decided = { id, session, gate: asks.gate, about: question.about, answer, where, by: person, at };
      if (answer !== '') this.#decided = [decided, ...this.#decided].slice(0, mostKept);
      this.#tell();
    };
    this.#lying = { gate, text: question.text, take };
    this.#tell();
    return { answered, close };
  }

  #require(id: string): Lying {
    const lying = this.#lying;
    if (lying === null || lying.gate.id !== id) throw this.#whatBecameOf(id);
    return lying;
  }

  #whatBecameOf(id: string): Error {
    const decided = this.#decided.find((one) => one.id === id);
    return decided === undefined ? notAsked() : answeredAlready(decided);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
