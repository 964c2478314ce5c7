import type { DecisionWithPlace, Gates } from '../../domain/ports/gates.ts';
import type { AnsweringPlace } from '../../domain/questions/question-data.ts';
import type { ReviewPage } from '../review-page/open-review-page.ts';
import { prepareChangesetQuestion } from './prepare-changeset-question.ts';
import { type PlanTextEditing, preparePlanQuestion } from './prepare-plan-question.ts';
import {
  prepareAgentQuestion,
  prepareBudgetQuestion,
  prepareFailingBaseQuestion,
  prepareLeftOverQuestion,
  prepareSessionQuestion,
} from './prepare-run-questions.ts';
import { prepareValidationQuestion, prepareValidatorQuestion } from './prepare-validation-questions.ts';
import { type AnyGateDecision, type PreparedQuestion, summarizeDecision } from './prepared-question.ts';
import type { DecidedAnswer, PostedQuestion, QuestionQueue } from './question-queue.ts';
import type { CompleteGates, TerminalGates } from './terminal-gates.ts';
import type { QuestionOrigin } from './unapplied-answers.ts';

export interface ReviewPageAccess {
  /** Whether changesets are asked about on the page by themselves: it was wanted from the start, or is open. */
  isWanted(): boolean;
  /** The page, the same each time. */
  open(): Promise<Pick<ReviewPage, 'ask'>>;
}

/** The queue that boards and commands answer. */
export interface QuestionQueueAccess {
  readonly queue: QuestionQueue;
  /** Whether questions wait for it where there is no terminal: this command serves a board. */
  isWanted(): boolean;
  /** Called before each question is posted: boards of other processes are let in from then on. */
  listen(): Promise<void>;
  place(): Promise<Pick<QuestionOrigin, 'session' | 'decidedAt'>>;
}

export interface SharedGatesOptions {
  /** Where no person can be asked. */
  readonly unattended: Gates;
  readonly terminal: TerminalGates | null;
  readonly page: ReviewPageAccess | null;
  readonly queue: QuestionQueueAccess | null;
  readonly plans: PlanTextEditing;
  /** Aborts at Ctrl-C: where there is no terminal nothing else would end the waiting. */
  readonly interrupted: AbortSignal | undefined;
  /** Says at the terminal what was decided on a board: what about, and the answer. */
  readonly onElsewhere: (about: string, answer: string, where: AnsweringPlace) => void;
}

/**
 * Gates that are answered at the terminal, on a board, and changesets on the review page, wherever the first answer
 * comes from; the other places hear of it. Without a terminal they wait only where a page is wanted.
 */
export function createSharedGates(options: SharedGatesOptions): Gates {
  const { unattended, terminal, page, queue, plans } = options;
  const ask = async <Decision extends AnyGateDecision>(
    asked: QuestionForms<Decision>,
  ): Promise<DecisionWithPlace<Decision>> => {
    const { decision, where } = await askEverywhere(options, asked);
    return { ...decision, where };
  };
  const shared: Gates = {
    person: unattended.person,
    isInteractive: terminal !== null,
    plan: (question) => ask({ about: () => preparePlanQuestion(question, plans), at: (gates) => gates.plan(question) }),
    validation: (question) =>
      ask({ about: () => prepareValidationQuestion(question), at: (gates) => gates.validation(question) }),
    validatorFailed: (question) =>
      ask({
        about: () => prepareValidatorQuestion(question),
        at: (gates) => gates.validatorFailed(question),
      }),
    changeset: (question) =>
      ask({
        about: () => prepareChangesetQuestion(question),
        at: (gates) => gates.changeset(question),
        on: (opened, withdrawn) => opened.ask(question, withdrawn),
      }),
    session: (question) =>
      ask({ about: () => prepareSessionQuestion(question), at: (gates) => gates.session(question) }),
    leftOver: (question) =>
      ask({ about: () => prepareLeftOverQuestion(question), at: (gates) => gates.leftOver(question) }),
    budget: (question) => ask({ about: () => prepareBudgetQuestion(question), at: (gates) => gates.budget(question) }),
    base: (question) => ask({ about: () => prepareFailingBaseQuestion(question), at: (gates) => gates.base(question) }),
    question: (question) =>
      ask({
        about: () => prepareAgentQuestion(question),
        at: (gates) => gates.question(question),
        withdrawn: question.withdrawn,
      }),
  };
  if (terminal !== null || queue?.isWanted() === true) return shared;
  return {
    ...unattended,
    changeset: (question) => (page?.isWanted() === true ? shared.changeset(question) : unattended.changeset(question)),
  };
}

/** A question in each of its forms. */
interface QuestionForms<Decision> {
  about(): PreparedQuestion<Decision> | Promise<PreparedQuestion<Decision>>;
  at(gates: CompleteGates): Promise<Decision>;
  /** Aborts when it is asked no more. */
  readonly withdrawn?: AbortSignal;
  /** On the review page; absent: not there. */
  on?(page: Pick<ReviewPage, 'ask'>, withdrawn: AbortSignal): Promise<Decision>;
}

interface Posted<Decision> extends PostedQuestion<Decision> {
  readonly question: PreparedQuestion<Decision>;
}

/** Asks in all places at once. */
async function askEverywhere<Decision extends AnyGateDecision>(
  { terminal, page, queue, unattended, interrupted, onElsewhere }: SharedGatesOptions,
  { about, at, on, withdrawn }: QuestionForms<Decision>,
): Promise<DecidedAnswer<Decision>> {
  const { person } = unattended;
  const answered = new AbortController();
  const over = AbortSignal.any([answered.signal, interrupted ?? [], withdrawn ?? []].flat());
  over.throwIfAborted();
  const before = queue === null ? null : await recall(queue, about, person);
  if (before !== null) {
    const { question, decision, where } = before;
    const words = summarizeDecision(question.asks.gate, decision);
    onElsewhere(`before the last run ended, ${question.about}`, words, where);
    return { decision, where };
  }
  const asked: Promise<Decision>[] = [];
  let posted: Posted<Decision> | null = null;
  const close = (words: string, where: AnsweringPlace): void => posted?.close(words, where);
  try {
    const answer = await new Promise<DecidedAnswer<Decision>>((resolve, reject) => {
      over.addEventListener('abort', () => reject(over.reason));
      const hear = (from: AnsweringPlace, decision: Promise<Decision>): void => {
        asked.push(decision);
        decision.then((one) => resolve({ decision: one, where: from }), reject);
      };
      const onPosted = (one: Posted<Decision>): void => {
        posted = one;
        one.answered.then(resolve, reject);
      };
      if (queue !== null) post(queue, about, { person, over, onPosted }).catch(reject);
      const askTerminal = (openPage?: () => Promise<void>): void => {
        if (terminal !== null) hear('terminal', at(terminal({ withdrawn: over, openPage })));
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
async function recall<Decision extends AnyGateDecision>(
  { queue, place }: QuestionQueueAccess,
  about: QuestionForms<Decision>['about'],
  person: string,
): Promise<(DecidedAnswer<Decision> & { readonly question: PreparedQuestion<Decision> }) | null> {
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
async function post<Decision extends AnyGateDecision>(
  { queue, listen, place }: QuestionQueueAccess,
  about: QuestionForms<Decision>['about'],
  { person, over, onPosted }: PostOptions<Decision>,
): Promise<void> {
  const [question, where] = await Promise.all([about(), place(), listen()]);
  if (!over.aborted) onPosted({ question, ...queue.post(question, { ...where, person }) });
}

function closeElsewhere<Decision extends AnyGateDecision>(
  posted: Posted<Decision> | null,
  { decision, where }: DecidedAnswer<Decision>,
  onElsewhere: SharedGatesOptions['onElsewhere'],
): void {
  if (posted === null) return;
  const { question, close } = posted;
  const words = summarizeDecision(question.asks.gate, decision);
  close(words, where);
  if (where !== 'terminal') onElsewhere(question.about, words, where);
}
