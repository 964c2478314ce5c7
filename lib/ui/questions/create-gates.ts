import { noPersonToAsk } from '../../domain/agent-messages.ts';
import { type Decisions, groupsIn } from '../../domain/config/decisions.ts';
import { FlameError, interrupted } from '../../domain/flame-error.ts';
import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { Gates, LeftOverDecision, Placed, SessionDecision } from '../../domain/ports/gates.ts';
import { type FileEntry, readFileAnswer } from '../../domain/questions/answers-to.ts';
import type { ChangesetDecision } from '../../domain/questions/changeset-answers.ts';
import type { AgentAnswer, BudgetDecision, PlanGiven } from '../../domain/questions/run-answers.ts';
import type { ValidationDecision, ValidatorGiven } from '../../domain/questions/validation-answers.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isRed } from '../../domain/state/changeset-facts.ts';
import type { Plan } from '../../domain/state/plan.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { changesetFacts } from './about-changeset.ts';
import { editablePlans } from './about-plan.ts';
import { readAnswers, sessionAsks } from './about-run.ts';
import { judged } from './about-validation.ts';
import { type PageOpener, type QueueAccess, type SharedGatesOptions, sharedGates } from './shared-gates.ts';
import { createTerminalGates, hasTerminal, type TerminalGatesOptions } from './terminal-gates.ts';
import {
  type WaitingGate,
  waitingBudget,
  waitingChangeset,
  waitingPlan,
  waitingSession,
  waitingValidation,
  waitingValidator,
  waitsForPerson,
} from './waits-for-person.ts';
import { announcedGates, type WaitingFacts, wrapGates } from './wrap-gates.ts';

interface GatesOptions extends TerminalGatesOptions {
  /** Decisions from --decisions-file; null without one. */
  readonly decisions: Decisions | null;
  readonly readFile: DecisionGatesOptions['readFile'];
  /** Called when a gate waits for a person; not when it was answered beforehand. */
  readonly onWaiting?: (facts: WaitingFacts, over: AbortSignal) => Promise<void>;
  /** Called with each changeset that a person is asked about; not with those that were answered beforehand. */
  readonly onChangesetAsked?: (question: ChangesetQuestion) => void;
  /** Where changesets can be decided in a browser too. */
  readonly reviewPage?: PageOpener | null;
  /** Where all of it can be decided on boards. */
  readonly queue?: QueueAccess | null;
  /** See SharedGatesOptions. */
  readonly onElsewhere?: SharedGatesOptions['onElsewhere'];
}

/**
 * The gates of a command: decisions given beforehand, then the terminal, boards and the review page; without these,
 * an error.
 */
export function createGates(io: Io, options: GatesOptions): Gates {
  const {
    decisions,
    readFile,
    parsePlan,
    onWaiting,
    onChangesetAsked,
    reviewPage = null,
    queue = null,
  } = options;
  const person = sharedGates({
    alone: createNoGates(options),
    terminal: hasTerminal(io) ? createTerminalGates(io, options) : null,
    page: reviewPage,
    queue,
    plans: editablePlans(options),
    interrupted: io.signal,
    onElsewhere: options.onElsewhere ?? (() => undefined),
  });
  const interruptible = interruptedGates(person, options.resume);
  const asked: Gates = {
    ...interruptible,
    changeset: (question) => {
      onChangesetAsked?.(question);
      return interruptible.changeset(question);
    },
  };
  const fallback = onWaiting === undefined ? asked : announcedGates(asked, onWaiting);
  return decisions === null ? fallback : createDecisionGates({ decisions, fallback, readFile, parsePlan });
}

/**
 * Gates without a person: each throws the FlameError `waits-for-person` with the commands to continue with.
 */
export function createNoGates(options: { readonly person: string; readonly resume: string }): Gates {
  const { person, resume } = options;
  const wait = (waiting: WaitingGate): Promise<never> => Promise.reject(waitsForPerson(waiting, resume));
  return {
    person,
    isInteractive: false,
    plan: (question) => wait(waitingPlan(question)),
    validation: (question) => wait(waitingValidation(question)),
    validatorFailed: (question) => wait(waitingValidator(question)),
    changeset: async (question) => {
      const { id } = question.changeset;
      const onTop = (await question.onTop?.(id)) ?? [];
      const excluding = (await question.excluding?.(id)) ?? [];
      return wait(waitingChangeset(question, await changesetFacts(question), { onTop, excluding }));
    },
    session: (question) => wait(waitingSession(sessionAsks(question))),
    budget: (question) => wait(waitingBudget(question)),
  };
}

/** Gates that say at Ctrl-C what becomes of the question: `resume` is the command that asks it again. */
function interruptedGates(gates: Gates, resume: string): Gates {
  return wrapGates(
    gates,
    (ask) => (question) => ask(question).catch((error) => Promise.reject(atQuestion(error, resume))),
  );
}

function atQuestion(error: unknown, resume: string): unknown {
  if (!(error instanceof FlameError) || error.code !== 'interrupted' || error.hints.length > 0) return error;
  const message = 'Interrupted. The question stays open; earlier decisions are kept.';
  return interrupted(message, { hints: [resume], cause: error });
}

interface DecisionGatesOptions {
  readonly decisions: Decisions;
  /** Asked once a list is used up. */
  readonly fallback: Gates;
  /** Text of the file an `{edit: file}` names; throws a FlameError when it can't be read. */
  readonly readFile: (path: string) => Promise<string>;
  readonly parsePlan: (text: string) => Plan | Promise<Plan>;
}

/** Gates answered beforehand, each list in order; never interactive. What may not be, the engine refuses. */
export function createDecisionGates(options: DecisionGatesOptions): Gates {
  const { decisions, fallback, readFile, parsePlan } = options;
  const next = {
    plan: queueOf<PlanGiven>('plan', decisions.plan),
    validation: queueOf<ValidationDecision>('validation', decisions.validation),
    validator: queueOf<ValidatorGiven>('validator_failed', decisions.validator_failed),
    session: queueOf<SessionDecision>('session', decisions.session),
    question: queueOf<AgentAnswer>('question', decisions.question),
    budget: queueOf<BudgetDecision>('budget', decisions.budget),
    changeset: queueChangesets(decisions.changesets),
  };
  return {
    person: fallback.person,
    isInteractive: false,
    plan: given(async (question) => {
      const answer = next.plan();
      if (answer === null) return fallback.plan(question);
      return answer.kind === 'edit'
        ? { kind: 'edit', plan: await parsePlan(await readFile(answer.text)) }
        : answer;
    }),
    validation: given(async (question) => next.validation() ?? fallback.validation(question)),
    validatorFailed: given(async (question) => {
      const answer = next.validator();
      const isAccepted = answer?.kind === 'pass' && answer.notes === undefined;
      if (answer === null || (isAccepted && isRed(question))) return fallback.validatorFailed(question);
      const notes = isAccepted ? { notes: 'Accepted manually, without a validator.' } : {};
      return judged({ ...answer, ...notes }, isRed(question));
    }),
    changeset: given(async (question) => {
      const answer = next.changeset(question.changeset);
      const isRefused =
        answer?.kind === 'approve' && answer.override === undefined && isRed(question.changeset);
      return answer === null || isRefused ? fallback.changeset(question) : answer;
    }),
    session: given(async (question) => next.session() ?? fallback.session(question)),
    leftOver: async (question) => {
      // Nothing is left to continue: that entry is for another question.
      const answer = next.session(({ kind }) => kind !== 'continue');
      if (answer !== null) return { ...(answer as LeftOverDecision), where: 'decisions file' };
      const asked = (await fallback.leftOver?.(question)) ?? null;
      return asked === null ? null : { where: 'decisions file', ...asked };
    },
    budget: given(async (question) => next.budget() ?? fallback.budget(question)),
    // Without an answer, and no person to ask, it is left to the agent.
    question: given(async (question) => {
      const answer = next.question();
      if (answer === null) return fallback.question?.(question) ?? { kind: 'proceed', why: noPersonToAsk };
      return answer.kind === 'proceed'
        ? answer
        : readAnswers(question.questions, { kind: 'answer', answers: [answer.answers].flat() });
    }),
  };
}

/** Those that are asked instead name the place by themselves. */
function given<Question, Decision extends object>(
  ask: (question: Question) => Promise<Placed<Decision>>,
): (question: Question) => Promise<Placed<Decision>> {
  return async (question) => ({ where: 'decisions file', ...(await ask(question)) });
}

/** The answers of a list, one after the other, as far as they may be used; null: none. */
function queueOf<Answer extends { readonly kind: string }>(
  gate: Parameters<typeof readFileAnswer>[0],
  entries: readonly FileEntry[],
): (isUsed?: (answer: Answer) => boolean) => Answer | null {
  const left = entries.map((entry) => readFileAnswer<Answer>(gate, entry));
  return (isUsed = () => true) => {
    const [answer] = left;
    if (answer === undefined || !isUsed(answer)) return null;
    left.shift();
    return answer;
  };
}

/**
 * The first entry that can answer is used: a plain decision for any changeset, a map for the groups it names,
 * each once. So a map serves all changesets of a cycle and the next map those of the next. What a map says of `all`
 * answers every changeset that nothing else answers, once as it is.
 */
function queueChangesets(
  entries: Decisions['changesets'],
): (changeset: Pick<Changeset, 'group' | 'commit'>) => ChangesetDecision | null {
  const queue = entries.map((entry) => ({ entry, groups: groupsIn(entry) }));
  const always = queue.map(({ groups }) => groups?.get('all')).find((entry) => entry !== undefined);
  // One that is asked about again as it was is none that this decides.
  const answered = new Set<string>();
  const take = ({ group, commit }: Pick<Changeset, 'group' | 'commit'>): FileEntry | undefined => {
    for (const [index, { entry, groups }] of queue.entries()) {
      if (groups === null) {
        queue.splice(index, 1);
        return entry;
      }
      const answer = groups.get(group);
      if (answer === undefined) continue;
      groups.delete(group);
      return answer;
    }
    const as = `${group} ${commit}`;
    if (answered.has(as)) return undefined;
    answered.add(as);
    return always;
  };
  return (changeset) => {
    const entry = take(changeset);
    return entry === undefined ? null : readFileAnswer<ChangesetDecision>('changesets', entry);
  };
}
