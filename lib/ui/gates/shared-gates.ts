import type { AnsweredAt } from '../../domain/answered-at.ts';
import type { Gates, Placed } from '../../domain/ports/gates.ts';
import { aboutChangeset } from '../desk/ask-about-changeset.ts';
import { aboutPlan, type DeskPlanText } from '../desk/ask-about-plan.ts';
import { aboutBase, aboutBudget, aboutLeftOver, aboutSession } from '../desk/ask-about-session.ts';
import { aboutValidation, aboutValidator } from '../desk/ask-about-validation.ts';
import { aboutAgent } from '../desk/ask-for-agent.ts';
import { type Decided, decisionWords } from '../desk/decision-words.ts';
import type { DeskQuestion } from '../desk/desk-question.ts';
import type { Answer, DeskPlace, GateDesk, OnDesk } from '../desk/gate-desk.ts';
import type { ReviewPage } from '../review-page/open-review-page.ts';
import type { AskingGates, TerminalGates } from './terminal-gates.ts';

export interface PageOpener {
  /** Whether changesets are asked about on the page by themselves: it was wanted from the start, or is open. */
  isWanted(): boolean;
  /** The page, the same each time. */
  open(): Promise<Pick<ReviewPage, 'ask'>>;
}

/** The desk that boards answer at. */
export interface DeskAccess {
  readonly desk: GateDesk;
  /** Whether questions wait for it where there is no terminal: this command serves a board. */
  isWanted(): boolean;
  /** Called before each question is laid down: boards of other processes are let in from then on. */
  letIn(): Promise<void>;
  place(): Promise<Pick<DeskPlace, 'session' | 'decidedAt'>>;
}

export interface SharedGatesOptions {
  /** Where nobody can be asked. */
  readonly alone: Gates;
  readonly terminal: TerminalGates | null;
  readonly page: PageOpener | null;
  readonly desk: DeskAccess | null;
  readonly plans: DeskPlanText;
  /** Aborts at Ctrl-C: where there is no terminal nothing else would end the waiting. */
  readonly interrupted: AbortSignal | undefined;
  /** Says at the terminal what was decided on a board: what about, and the answer. */
  readonly onElsewhere: (about: string, answer: string, where: AnsweredAt) => void;
}

/**
 * Gates that are answered at the terminal, on a board, and changesets on the review page, wherever the first answer
 * comes from; the other places are told. Without a terminal they wait only where a page is wanted.
 */
export function sharedGates(options: SharedGatesOptions): Gates {
  const { alone, terminal, page, desk } = options;
  const ask = async <Decision extends Exclude<Decided, string>>(
    asked: Asked<Decision>,
  ): Promise<Placed<Decision>> => {
    const { decision, where } = await askEverywhere(options, asked);
    return { ...decision, where };
  };
  const shared: Gates = {
    person: alone.person,
    isInteractive: terminal !== null,
    plan: (question) =>
      ask({ about: (plans) => aboutPlan(question, plans), at: (gates) => gates.plan(question) }),
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
    question: (question) =>
      ask({
        about: () => aboutAgent(question),
        at: (gates) => gates.question(question),
        withdrawn: question.withdrawn,
      }),
    base: async (question) => {
      const about = (): ReturnType<typeof aboutBase> => aboutBase(question);
      return (await askEverywhere(options, { about, at: (gates) => gates.base(question) })).decision;
    },
  };
  if (terminal !== null || desk?.isWanted() === true) return shared;
  return {
    ...alone,
    changeset: (question) =>
      page?.isWanted() === true ? shared.changeset(question) : alone.changeset(question),
  };
}

/** A question in each of its forms. */
interface Asked<Decision> {
  about(plans: DeskPlanText): DeskQuestion<Decision> | Promise<DeskQuestion<Decision>>;
  at(gates: AskingGates): Promise<Decision>;
  /** Aborts when it is asked no more. */
  readonly withdrawn?: AbortSignal;
  /** On the review page; absent: not there. */
  on?(page: Pick<ReviewPage, 'ask'>, withdrawn: AbortSignal): Promise<Decision>;
}

interface Laid<Decision> {
  readonly about: string;
  readonly onDesk: OnDesk<Decision>;
}

/** Asks in all places at once. */
async function askEverywhere<Decision extends Decided>(
  { terminal, page, desk, plans, alone, interrupted, onElsewhere }: SharedGatesOptions,
  { about, at, on, withdrawn }: Asked<Decision>,
): Promise<Answer<Decision>> {
  interrupted?.throwIfAborted();
  withdrawn?.throwIfAborted();
  const before = desk === null ? null : await recall(desk, () => about(plans), alone.person);
  if (before !== null) {
    onElsewhere(`before the last run ended, ${before.about}`, decisionWords(before.decision), before.where);
    return before;
  }
  const answered = new AbortController();
  const onInterrupted = (): void => answered.abort(interrupted?.reason);
  interrupted?.addEventListener('abort', onInterrupted);
  const onWithdrawn = (): void => answered.abort(withdrawn?.reason);
  withdrawn?.addEventListener('abort', onWithdrawn);
  const asked: Promise<Decision>[] = [];
  let laid: Laid<Decision> | null = null;
  try {
    const { decision, where } = await new Promise<Answer<Decision>>((resolve, reject) => {
      answered.signal.addEventListener('abort', () => reject(answered.signal.reason));
      const hear = (from: AnsweredAt, answer: Promise<Decision>): void => {
        asked.push(answer);
        answer.then((one) => resolve({ decision: one, where: from }), reject);
      };
      const onLaid = (one: Laid<Decision>): void => {
        laid = one;
        one.onDesk.answered.then(resolve, reject);
      };
      if (desk !== null)
        lay(desk, () => about(plans), { person: alone.person, answered: answered.signal, onLaid }).catch(
          reject,
        );
      const askTerminal = (openPage?: () => Promise<void>): void => {
        if (terminal !== null) hear('terminal', at(terminal.until({ withdrawn: answered.signal, openPage })));
      };
      if (page === null || on === undefined) return askTerminal();
      const openPage = async (): Promise<void> => {
        const opened = await page.open();
        answered.signal.throwIfAborted();
        hear('review page', on(opened, answered.signal));
      };
      if (page.isWanted()) openPage().then(() => askTerminal(), reject);
      else askTerminal(openPage);
    });
    const words = decisionWords(decision);
    tellElsewhere(laid, { words, where }, onElsewhere);
    return { decision, where };
  } finally {
    interrupted?.removeEventListener('abort', onInterrupted);
    withdrawn?.removeEventListener('abort', onWithdrawn);
    answered.abort(new Error('It was answered elsewhere.'));
    close(laid, '', 'terminal');
    await Promise.allSettled(asked);
  }
}

/** What was answered before a kill; null: nothing. */
async function recall<Decision extends Decided>(
  { desk, place }: DeskAccess,
  about: () => ReturnType<Asked<Decision>['about']>,
  person: string,
): Promise<(Answer<Decision> & { readonly about: string }) | null> {
  const where = await place();
  if (!desk.hasKept(where)) return null;
  const question = await about();
  const answer = await desk.recall(question, { ...where, person });
  return answer === null ? null : { ...answer, about: question.about };
}

interface LayOptions<Decision> {
  readonly person: string;
  readonly answered: AbortSignal;
  onLaid(laid: Laid<Decision>): void;
}

/** What it takes git a while to find out is no reason for the terminal to wait. */
async function lay<Decision extends Decided>(
  { desk, letIn, place }: DeskAccess,
  about: () => ReturnType<Asked<Decision>['about']>,
  { person, answered, onLaid }: LayOptions<Decision>,
): Promise<void> {
  const [question, where] = await Promise.all([about(), place(), letIn()]);
  if (answered.aborted) return;
  onLaid({ about: question.about, onDesk: desk.lay(question, { ...where, person }) });
}

function tellElsewhere(
  laid: Laid<never> | null,
  { words, where }: { readonly words: string; readonly where: AnsweredAt },
  onElsewhere: SharedGatesOptions['onElsewhere'],
): void {
  close(laid, words, where);
  if (laid !== null && where !== 'terminal') onElsewhere(laid.about, words, where);
}

function close(laid: Laid<never> | null, words: string, where: AnsweredAt): void {
  laid?.onDesk.close(words, where);
}
