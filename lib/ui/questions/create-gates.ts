import { noPersonToAskMessage } from '../../domain/agent-messages.ts';
import { type ParsedDecisionsFile, readAnswersByGroup } from '../../domain/config/decisions-file-schema.ts';
import { commandStoppedError, FlameError } from '../../domain/flame-error.ts';
import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { DecisionWithPlace, Gates, SessionDecision, UnfinishedSessionDecision } from '../../domain/ports/gates.ts';
import type { ChangesetDecision } from '../../domain/questions/changeset-answers.ts';
import { type DecisionsFileEntry, readDecisionsFileAnswer } from '../../domain/questions/offered-answers.ts';
import type {
  AnswerToAgent,
  BudgetDecision,
  PlanAnswerInput,
} from '../../domain/questions/plan-session-budget-answers.ts';
import type { ValidationDecision, ValidatorAnswerInput } from '../../domain/questions/validation-answers.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { hasFailedDiagnostic } from '../../domain/state/changeset-facts.ts';
import type { Plan } from '../../domain/state/plan-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { readChangesetAnswerFacts } from './prepare-changeset-question.ts';
import { createPlanTextEditing } from './prepare-plan-question.ts';
import { buildSessionQuestionData, checkAnswersToAgent } from './prepare-run-questions.ts';
import { toValidatorDecision } from './prepare-validation-questions.ts';
import {
  createSharedGates,
  type QuestionQueueAccess,
  type ReviewPageAccess,
  type SharedGatesOptions,
} from './shared-gates.ts';
import { createTerminalGates, hasTerminal, type TerminalGatesOptions } from './terminal-gates.ts';
import {
  describeUnansweredChangeset,
  describeWaitingBudget,
  describeWaitingPlan,
  describeWaitingSession,
  describeWaitingValidation,
  describeWaitingValidator,
  type UnansweredGate,
  waitsForPersonError,
} from './waits-for-person-error.ts';
import { announceWaitingGates, type GateAnnouncement, wrapGates } from './wrap-gates.ts';

interface GatesOptions extends TerminalGatesOptions {
  /** Decisions from --decisions-file; null without one. */
  readonly decisions: ParsedDecisionsFile | null;
  readonly readFile: DecisionGatesOptions['readFile'];
  /** Called when a gate waits for a person; not when it was answered beforehand. */
  readonly onWaiting?: (facts: GateAnnouncement, over: AbortSignal) => Promise<void>;
  /** Called with each changeset that a person is asked about; not with those that were answered beforehand. */
  readonly onChangesetAsked?: (question: ChangesetQuestion) => void;
  /** Where changesets can be decided in a browser too. */
  readonly reviewPage?: ReviewPageAccess | null;
  /** Where all of it can be decided on boards. */
  readonly queue?: QuestionQueueAccess | null;
  /** See SharedGatesOptions. */
  readonly onElsewhere?: SharedGatesOptions['onElsewhere'];
}

/**
 * The gates of a command: decisions given beforehand, then the terminal, boards and the review page; without these,
 * an error.
 */
export function createGates(io: Io, options: GatesOptions): Gates {
  const { decisions, readFile, parsePlan, onWaiting, onChangesetAsked, reviewPage = null, queue = null } = options;
  const person = createSharedGates({
    unattended: createUnattendedGates(options),
    terminal: hasTerminal(io) ? createTerminalGates(io, options) : null,
    page: reviewPage,
    queue,
    plans: createPlanTextEditing(options),
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
  const fallback = onWaiting === undefined ? asked : announceWaitingGates(asked, onWaiting);
  return decisions === null ? fallback : createDecisionsFileGates({ decisions, fallback, readFile, parsePlan });
}

/**
 * Gates without a person: each throws the FlameError `waits-for-person` with the commands to continue with.
 */
export function createUnattendedGates(options: { readonly person: string; readonly resume: string }): Gates {
  const { person, resume } = options;
  const wait = (waiting: UnansweredGate): Promise<never> => Promise.reject(waitsForPersonError(waiting, resume));
  return {
    person,
    isInteractive: false,
    plan: (question) => wait(describeWaitingPlan(question)),
    validation: (question) => wait(describeWaitingValidation(question)),
    validatorFailed: (question) => wait(describeWaitingValidator(question)),
    changeset: async (question) => {
      const { id } = question.changeset;
      const onTop = (await question.onTop?.(id)) ?? [];
      const excluding = (await question.excluding?.(id)) ?? [];
      return wait(
        describeUnansweredChangeset(question, await readChangesetAnswerFacts(question), { onTop, excluding }),
      );
    },
    session: (question) => wait(describeWaitingSession(buildSessionQuestionData(question))),
    budget: (question) => wait(describeWaitingBudget(question)),
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
  return commandStoppedError(message, { hints: [resume], cause: error });
}

interface DecisionGatesOptions {
  readonly decisions: ParsedDecisionsFile;
  /** Asked once a list is used up. */
  readonly fallback: Gates;
  /** Text of the file an `{edit: file}` names; throws a FlameError when it can't be read. */
  readonly readFile: (path: string) => Promise<string>;
  readonly parsePlan: (text: string) => Plan | Promise<Plan>;
}

/** Gates answered beforehand, each list in order; never interactive. What may not be, the engine refuses. */
export function createDecisionsFileGates(options: DecisionGatesOptions): Gates {
  const { decisions, fallback, readFile, parsePlan } = options;
  const next = {
    plan: queueOf<PlanAnswerInput>('plan', decisions.plan),
    validation: queueOf<ValidationDecision>('validation', decisions.validation),
    validator: queueOf<ValidatorAnswerInput>('validator_failed', decisions.validator_failed),
    session: queueOf<SessionDecision>('session', decisions.session),
    question: queueOf<AnswerToAgent>('question', decisions.question),
    budget: queueOf<BudgetDecision>('budget', decisions.budget),
    changeset: queueChangesets(decisions.changesets),
  };
  return {
    person: fallback.person,
    isInteractive: false,
    plan: given(async (question) => {
      const answer = next.plan();
      if (answer === null) return fallback.plan(question);
      return answer.kind === 'edit' ? { kind: 'edit', plan: await parsePlan(await readFile(answer.text)) } : answer;
    }),
    validation: given(async (question) => next.validation() ?? fallback.validation(question)),
    validatorFailed: given(async (question) => {
      const answer = next.validator();
      const isAccepted = answer?.kind === 'pass' && answer.notes === undefined;
      if (answer === null || (isAccepted && hasFailedDiagnostic(question))) return fallback.validatorFailed(question);
      const notes = isAccepted ? { notes: 'Accepted manually, without a validator.' } : {};
      return toValidatorDecision({ ...answer, ...notes }, hasFailedDiagnostic(question));
    }),
    changeset: given(async (question) => {
      const answer = next.changeset(question.changeset);
      const isRefused =
        answer?.kind === 'approve' && answer.override === undefined && hasFailedDiagnostic(question.changeset);
      return answer === null || isRefused ? fallback.changeset(question) : answer;
    }),
    session: given(async (question) => next.session() ?? fallback.session(question)),
    leftOver: async (question) => {
      // Nothing is left to continue: that entry is for another question.
      const answer = next.session(({ kind }) => kind !== 'continue');
      if (answer !== null) return { ...(answer as UnfinishedSessionDecision), where: 'decisions file' };
      const asked = (await fallback.leftOver?.(question)) ?? null;
      return asked === null ? null : { where: 'decisions file', ...asked };
    },
    budget: given(async (question) => next.budget() ?? fallback.budget(question)),
    // Without an answer, and no person to ask, it is left to the agent.
    question: given(async (question) => {
      const answer = next.question();
      if (answer === null) return fallback.question?.(question) ?? { kind: 'proceed', why: noPersonToAskMessage };
      return answer.kind === 'proceed'
        ? answer
        : checkAnswersToAgent(question.questions, { kind: 'answer', answers: [answer.answers].flat() });
    }),
  };
}

/** Those that are asked instead name the place by themselves. */
function given<Question, Decision extends object>(
  ask: (question: Question) => Promise<DecisionWithPlace<Decision>>,
): (question: Question) => Promise<DecisionWithPlace<Decision>> {
  return async (question) => ({ where: 'decisions file', ...(await ask(question)) });
}

/** The answers of a list, one after the other, as far as they may be used; null: none. */
function queueOf<Answer extends { readonly kind: string }>(
  gate: Parameters<typeof readDecisionsFileAnswer>[0],
  entries: readonly DecisionsFileEntry[],
): (isUsed?: (answer: Answer) => boolean) => Answer | null {
  const left = entries.map((entry) => readDecisionsFileAnswer<Answer>(gate, entry));
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
  entries: ParsedDecisionsFile['changesets'],
): (changeset: Pick<Changeset, 'group' | 'commit'>) => ChangesetDecision | null {
  const queue = entries.map((entry) => ({ entry, groups: readAnswersByGroup(entry) }));
  const always = queue.map(({ groups }) => groups?.get('all')).find((entry) => entry !== undefined);
  // One that is asked about again as it was is none that this decides.
  const answered = new Set<string>();
  const take = ({ group, commit }: Pick<Changeset, 'group' | 'commit'>): DecisionsFileEntry | undefined => {
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
    return entry === undefined ? null : readDecisionsFileAnswer<ChangesetDecision>('changesets', entry);
  };
}
