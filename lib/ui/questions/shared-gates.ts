import type { Gates, Placed } from '../../domain/ports/gates.ts';
import type { AnsweredAt } from '../../domain/questions/gate.ts';
import type { ReviewPage } from '../review-page/open-review-page.ts';
import { aboutChangeset } from './about-changeset.ts';
import { aboutPlan, type EditablePlans } from './about-plan.ts';
import { type Decided, decisionWords, type Question } from './about-question.ts';
import { aboutAgent, aboutBase, aboutBudget, aboutLeftOver, aboutSession } from './about-run.ts';
import { aboutValidation, aboutValidator } from './about-validation.ts';
import type { QuestionPlace } from './kept-answers.ts';
import type { Answer, PostedQuestion, QuestionQueue } from './question-queue.ts';
import type { AskingGates, TerminalGates } from './terminal-gates.ts';

export interface PageOpener {
  /** Whether changesets are asked about on the page by themselves: it was wanted from the start, or is open. */
  isWanted(): boolean;
  /** The page, the same each time. */
  open(): Promise<Pick<ReviewPage, 'ask'>>;
}

/** The queue that boards and commands answer. */
export interface QueueAccess {
  readonly queue: QuestionQueue;
  /** Whether questions wait for it where there is no terminal: this command serves a board. */
  isWanted(): boolean;
  /** Called before each question is posted: boards of other processes are let in from then on. */
  listen(): Promise<void>;
  place(): Promise<Pick<QuestionPlace, 'session' | 'decidedAt'>>;
}

export interface SharedGatesOptions {
  /** Where no person can be asked. */
  readonly alone: Gates;
  readonly terminal: TerminalGates | null;
  readonly page: PageOpener | null;
  readonly queue: QueueAccess | null;
  readonly plans: EditablePlans;
  /** Aborts at Ctrl-C: where there is no terminal nothing else would end the waiting. */
  readonly interrupted: AbortSignal | undefined;
  /** Says at the terminal what was decided on a board: what about, and the answer. */
  readonly onElsewhere: (about: string, answer: string, where: AnsweredAt) => void;
}

/**
 * Gates that are answered at the terminal, on a board, and changesets on the review page, wherever the first answer
 * comes from; the other places hear of it. Without a terminal they wait only where a page is wanted.
 */
export function sharedGates(options: SharedGatesOptions): Gates {
  const { alone, terminal, page, queue, plans } = options;
  const ask = async <Decision extends Decided>(asked: QuestionForms<Decision>): Promise<Placed<Decision>> => {
    const { decision, where } = await askEverywhere(options, asked);
    return { ...decision, where };
  };
  const shared: Gates = {
    person: alone.person,
    isInteractive: terminal !== null,
    plan: (question) => ask({ about: () => aboutPlan(question, plans), at: (gates) => gates.plan(question) }),
    validation: (question) =>
      ask({ about: () => aboutValidation(question), at: (gates) => gates.validation(question) }),
    validatorFailed: (question) =>
      ask({ about: () => aboutValidator(question), at: (gates) => gates.validatorFailed(question) }),
    changeset: (question) =>
      ask({
        about: () => aboutChangeset(question),
        at: (gates) => gates.changeset(question),
        on: (opened, withdrawn) => opened.ask(question, withdrawn),
      }),
    session: (question) =>
      ask({ about: () => aboutSession(question), at: (gates) => gates.session(question) }),
    leftOver: (question) =>
      ask({ about: () => aboutLeftOver(question), at: (gates) => gates.leftOver(question) }),
    budget: (question) => ask({ about: () => aboutBudget(question), at: (gates) => gates.budget(question) }),
    base: (question) => ask({ about: () => aboutBase(question), at: (gates) => gates.base(question) }),
    question: (question) =>
      ask({
        about: () => aboutAgent(question),
        at: (gates) => gates.question(question),
        withdrawn: question.withdrawn,
      }),
  };
  if (terminal !== null || queue?.isWanted() === true) return shared;
  return {
    ...alone,
    changeset: (question) =>
      page?.isWanted() === true ? shared.changeset(question) : alone.changeset(question),
  };
}

/** A question in each of its forms. */
interface QuestionForms<Decision> {
  about(): Question<Decision> | Promise<Question<Decision>>;
  at(gates: AskingGates): Promise<Decision>;
  /** Aborts when it is asked no more. */
  readonly withdrawn?: AbortSignal;
  /** On the review page; absent: not there. */
  on?(page: Pick<ReviewPage, 'ask'>, withdrawn: AbortSignal): Promise<Decision>;
}

interface Posted<Decision> extends PostedQuestion<Decision> {
  readonly question: Question<Decision>;
}

/** Asks in all places at once. */
async function askEverywhere<Decision extends Decided>(
  { terminal, page, queue, alone, interrupted, onElsewhere }: SharedGatesOptions,
  { about, at, on, withdrawn }: QuestionForms<Decision>,
): Promise<Answer<Decision>> {
  const { person } = alone;
  const answered = new AbortController();
  const over = AbortSignal.any([answered.signal, interrupted ?? [], withdrawn ?? []].flat());
  over.throwIfAborted();
  const before = queue === null ? null : await recall(queue, about, person);
  if (before !== null) {
    const { question, decision, where } = before;
    const words = decisionWords(question.asks.gate, decision);
    onElsewhere(`before the last run ended, ${question.about}`, words, where);
    return { decision, where };
  }
  const asked: Promise<Decision>[] = [];
  let posted: Posted<Decision> | null = null;
  const close = (words: string, where: AnsweredAt): void => posted?.close(words, where);
  try {
    const answer = await new Promise<Answer<Decision>>((resolve, reject) => {
      over.addEventListener('abort', () => reject(over.reason));
      const hear = (from: AnsweredAt, decision: Promise<Decision>): void => {
        asked.push(decision);
        decision.then((one) => resolve({ decision: one, where: from }), reject);
      };
      const onPosted = (one: Posted<Decision>): void => {
        posted = one;
        one.answered.then(resolve, reject);
      };
      if (queue !== null) post(queue, about, { person, over, onPosted }).catch(reject);
      const askTerminal = (openPage?: () => Promise<void>): void => {
        if (terminal !== null) hear('terminal', at(terminal.until({ withdrawn: over, openPage })));
      };
      if (page === null || on === undefined) return askTerminal();
      const openPage = async (): Promise<void> => {
        const opened = await page.open();
        over.throwIfAborted();
        hear('review page', on(opened, over));
      };
      if (page.isWanted()) openPage().then(() => askTerminal(), reject);
      else askTerminal(openPage);
    });
    closeElsewhere(posted, answer, onElsewhere);
    return answer;
  } finally {
    answered.abort(new Error('It was answered elsewhere.'));
    close('', 'terminal');
    await Promise.allSettled(asked);
  }
}

/** Recalls an answer from before a kill; null: none. */
async function recall<Decision extends Decided>(
  { queue, place }: QueueAccess,
  about: QuestionForms<Decision>['about'],
  person: string,
): Promise<(Answer<Decision> & { readonly question: Question<Decision> }) | null> {
  const where = await place();
  if (!queue.hasKept(where)) return null;
  const question = await about();
  const answer = await queue.recall(question, { ...where, person });
  return answer === null ? null : { ...answer, question };
}

interface PostOptions<Decision> {
  readonly person: string;
  readonly over: AbortSignal;
  onPosted(posted: Posted<Decision>): void;
}

/** Posts the question: facts that git takes long to find must not delay the terminal. */
async function post<Decision extends Decided>(
  { queue, listen, place }: QueueAccess,
  about: QuestionForms<Decision>['about'],
  { person, over, onPosted }: PostOptions<Decision>,
): Promise<void> {
  const [question, where] = await Promise.all([about(), place(), listen()]);
  if (!over.aborted) onPosted({ question, ...queue.post(question, { ...where, person }) });
}

function closeElsewhere<Decision extends Decided>(
  posted: Posted<Decision> | null,
  { decision, where }: Answer<Decision>,
  onElsewhere: SharedGatesOptions['onElsewhere'],
): void {
  if (posted === null) return;
  const { question, close } = posted;
  const words = decisionWords(question.asks.gate, decision);
  close(words, where);
  if (where !== 'terminal') onElsewhere(question.about, words, where);
}
