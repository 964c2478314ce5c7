import type { ChangesetAnswer, Decisions } from '../../domain/config/decisions.ts';
import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { Gates, Placed } from '../../domain/ports/gates.ts';
import { nobodyToAsk } from '../../domain/question.ts';
import { isRed } from '../../domain/state/is-red.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { readAnswers } from '../desk/read-answers.ts';

export interface DecisionGatesOptions {
  readonly decisions: Decisions;
  /** Asked once a list is used up. */
  readonly fallback: Gates;
  /** Text of the file an `{edit: file}` names; throws a FlameError when it can't be read. */
  readonly readFile: (path: string) => Promise<string>;
  readonly parsePlan: (text: string) => Plan | Promise<Plan>;
}

type ChangesetEntry = Decisions['changesets'][number];

/** Gates answered beforehand, each list in order; never interactive. */
export function createDecisionGates(options: DecisionGatesOptions): Gates {
  const { decisions, fallback } = options;
  const { validation, validatorFailed } = validationGates(options);
  const { session, leftOver } = sessionGates(options);
  const changesets = queueChangesets(decisions.changesets);
  return {
    person: fallback.person,
    isInteractive: false,
    plan: given(planGate(options)),
    validation: given(validation),
    validatorFailed: given(validatorFailed),
    changeset: given(async (question) => {
      const answer = changesets.next(question.changeset.group);
      const isRefused = answer === 'approve' && isRed(question.changeset);
      if (answer === null || isRefused) return fallback.changeset(question);
      return toDecision(answer);
    }),
    session: given(session),
    leftOver: async (question) => {
      const decision = await leftOver(question);
      return decision === null ? null : { where: 'decisions file', ...decision };
    },
    budget: given(budgetGate(options)),
    question: given(questionGate(options)),
  };
}

/** Whoever else is asked says the place by themselves. */
function given<Question, Decision extends object>(
  ask: (question: Question) => Promise<Placed<Decision>>,
): (question: Question) => Promise<Placed<Decision>> {
  return async (question) => ({ where: 'decisions file', ...(await ask(question)) });
}

function planGate({ decisions, fallback, readFile, parsePlan }: DecisionGatesOptions): Gates['plan'] {
  const left = [...decisions.plan];
  return async (question) => {
    const entry = left.shift();
    if (entry === undefined) return fallback.plan(question);
    if (entry === 'approve' || entry === 'quit') return { kind: entry };
    if ('replan' in entry) return { kind: 'replan', notes: entry.replan };
    return { kind: 'edit', plan: await parsePlan(await readFile(entry.edit)) };
  };
}

function validationGates({
  decisions,
  fallback,
}: DecisionGatesOptions): Pick<Gates, 'validation' | 'validatorFailed'> {
  const left = { validation: [...decisions.validation], validatorFailed: [...decisions.validator_failed] };
  return {
    validation: async (question) => {
      const entry = left.validation.shift();
      if (entry === undefined) return fallback.validation(question);
      if (entry === 'drop' || entry === 'recheck') return { kind: entry };
      if ('drop' in entry) return { kind: 'drop', reason: entry.drop };
      if ('override' in entry) return { kind: 'pass', override: entry.override };
      if ('choose' in entry) return { kind: 'choose', attempt: entry.choose };
      return { kind: 'requeue', notes: entry.requeue, ...(entry.keep === true ? { keep: true } : {}) };
    },
    validatorFailed: async (question) => {
      const entry = left.validatorFailed.shift();
      if (entry === undefined) return fallback.validatorFailed(question);
      if (entry === 'retry' || entry === 'skip') return { kind: entry };
      if (entry === 'manual' && isRed(question)) return fallback.validatorFailed(question);
      if (entry !== 'manual')
        return { kind: 'manual', status: 'pass', notes: entry.override, override: entry.override };
      return { kind: 'manual', status: 'pass', notes: 'Accepted by hand, without a validator.' };
    },
  };
}

function sessionGates({
  decisions,
  fallback,
}: DecisionGatesOptions): Required<Pick<Gates, 'session' | 'leftOver'>> {
  const left = [...decisions.session];
  return {
    session: async (question) => {
      const entry = left.shift();
      if (entry === undefined) return fallback.session(question);
      return typeof entry === 'string' ? { kind: entry } : { kind: 'replan', notes: entry.replan };
    },
    leftOver: async (question) => {
      const [entry] = left;
      // There is nothing to continue with: the word is meant for another question.
      if (entry === undefined || entry === 'continue') return fallback.leftOver?.(question) ?? null;
      left.shift();
      return typeof entry === 'string' ? { kind: entry } : { kind: 'replan', notes: entry.replan };
    },
  };
}

/** Without an answer, and nobody to ask, it is left to the agent. */
function questionGate({ decisions, fallback }: DecisionGatesOptions): NonNullable<Gates['question']> {
  const left = [...decisions.question];
  return async (question) => {
    const entry = left.shift();
    if (entry === undefined) return fallback.question?.(question) ?? { kind: 'proceed', why: nobodyToAsk };
    if (entry === 'proceed') return { kind: 'proceed' };
    return readAnswers(question.questions, typeof entry.answer === 'string' ? [entry.answer] : entry.answer);
  };
}

function budgetGate({ decisions, fallback }: DecisionGatesOptions): Gates['budget'] {
  const left = [...decisions.budget];
  return async (question) => {
    const entry = left.shift();
    if (entry === undefined) return fallback.budget(question);
    return entry === 'stop' ? { kind: 'stop' } : { kind: 'raise', amount: entry.raise };
  };
}

/**
 * The first entry that can answer is used: a plain decision for any changeset, a map for the groups it names,
 * each once. So a map serves all changesets of a cycle and the next map those of the next. What a map says of `all`
 * answers every changeset that nothing else answers, as often as there are any.
 */
function queueChangesets(entries: readonly ChangesetEntry[]): {
  next(group: string): ChangesetAnswer | null;
} {
  const queue = entries.map((entry) => (isAnswer(entry) ? entry : new Map(Object.entries(entry))));
  const always = queue.flatMap((entry) => (entry instanceof Map ? (entry.get('all') ?? []) : []))[0];
  const next = (group: string): ChangesetAnswer | null => {
    for (const [index, entry] of queue.entries()) {
      if (!(entry instanceof Map)) {
        queue.splice(index, 1);
        return entry;
      }
      const answer = entry.get(group);
      if (answer === undefined) continue;
      entry.delete(group);
      return answer;
    }
    return always ?? null;
  };
  return { next };
}

function isAnswer(entry: ChangesetEntry): entry is ChangesetAnswer {
  if (typeof entry === 'string') return true;
  const { comments, keep, message, tasks, ...rest }: Readonly<Record<string, unknown>> = entry;
  const [key, ...others] = Object.keys(rest);
  if (others.length > 0 || (comments !== undefined && !Array.isArray(comments))) return false;
  if (tasks !== undefined && !Array.isArray(tasks)) return false;
  if (keep !== undefined && typeof keep !== 'boolean') return false;
  if (message !== undefined && typeof message !== 'string') return false;
  if (key === 'approve' || key === 'suggest') return Array.isArray(rest[key]);
  if (key === 'choose') return Object.values(rest[key] ?? {}).every((value) => typeof value === 'number');
  return (key === 'reject' || key === 'override') && typeof rest[key] === 'string';
}

function toDecision(answer: ChangesetAnswer): ChangesetDecision {
  if (typeof answer === 'string') return { kind: answer };
  if ('choose' in answer) {
    const [[task, attempt] = ['', 0]] = Object.entries(answer.choose);
    return { kind: 'choose', task, attempt };
  }
  if ('suggest' in answer) return { kind: 'suggest', comments: answer.suggest };
  const message = 'message' in answer && answer.message !== undefined ? { message: answer.message } : {};
  if ('approve' in answer) return { kind: 'approve', comments: answer.approve, ...message };
  const comments = answer.comments === undefined ? {} : { comments: answer.comments };
  if ('override' in answer) return { kind: 'approve', override: answer.override, ...comments, ...message };
  const { reject: reason, keep = false, tasks } = answer;
  return {
    kind: 'reject',
    reason,
    ...(tasks === undefined ? {} : { tasks }),
    ...comments,
    ...(keep ? { keep } : {}),
  };
}
