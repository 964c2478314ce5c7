import * as z from 'zod';
import type {
  BaseDecision,
  BaseQuestion,
  BudgetDecision,
  BudgetQuestion,
  LeftOverDecision,
  SessionDecision,
  SessionQuestion,
} from '../../domain/ports/gates.ts';
import type { AskedSession } from '../../domain/shown/gate.ts';
import { cycleFacts, tasksInTrouble } from '../render/render-cycle.ts';
import { leftOverOutlook, sessionOutlook } from '../render/render-outlook.ts';
import { describeUndoable } from './ask-about-changeset.ts';
import { type DeskQuestion, noText, parseAnswer, wordsSchema } from './desk-question.ts';
import { badAnswer, nothingDecided } from './refused-answers.ts';

const sessionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['continue', 'retry', 'stop']) }),
  z.strictObject({ kind: z.literal('replan'), notes: wordsSchema }),
  z.strictObject({ kind: z.literal('undo'), changeset: z.string().max(200) }),
]);

type SessionAnswer = z.infer<typeof sessionSchema>;

export function aboutSession(question: SessionQuestion): DeskQuestion<SessionDecision> {
  const { cyclesLeft, summary, undoable = [] } = question;
  const more = ['continue', ...(summary.failed > 0 ? ['retry' as const] : []), 'replan'] as const;
  const asks = askedSession(question, {
    answers: [...(cyclesLeft > 0 ? more : []), 'stop', ...(undoable.length === 0 ? [] : ['undo' as const])],
    lines: sessionOutlook(question),
  });
  return {
    ...{ asks, about: 'the next cycle', text: noText },
    read: async (answer) => {
      const given = readOffered(asks, answer);
      return given.kind === 'undo' || given.kind === 'replan' ? given : { kind: given.kind };
    },
  };
}

export function aboutLeftOver(question: SessionQuestion): DeskQuestion<LeftOverDecision> {
  const asks = askedSession(question, {
    answers: [...(question.summary.failed > 0 ? ['retry' as const] : []), 'replan', 'stop'],
    lines: leftOverOutlook(question),
  });
  return {
    ...{ asks, about: 'what is left', text: noText },
    read: async (answer) => {
      const given = readOffered(asks, answer);
      if (given.kind === 'replan') return given;
      return { kind: given.kind === 'retry' ? 'retry' : 'stop' };
    },
  };
}

function askedSession(
  question: SessionQuestion,
  { answers, lines }: Pick<AskedSession, 'answers' | 'lines'>,
): AskedSession {
  const { session, cyclesLeft, undoable = [] } = question;
  return {
    ...{ gate: 'session', answers, cycle: session.cycle, cycles_left: cyclesLeft },
    lines: [
      ...cycleFacts(question).map(([name, value]) => `${name}: ${value}`),
      ...tasksInTrouble(question).map(
        ({ id, status, why }) => `${id} ${status}: ${why.split('\n', 1)[0] ?? ''}`,
      ),
      ...lines,
    ],
    undoable: undoable.map(describeUndoable),
  };
}

/** Throws FlameError `bad-answer` for one that was not offered. */
function readOffered({ answers, undoable }: AskedSession, answer: unknown): SessionAnswer {
  const given = parseAnswer(sessionSchema, answer);
  if (!answers.includes(given.kind)) throw badAnswer(`${given.kind} is not among its answers`);
  if (given.kind === 'undo' && !undoable.some(({ id }) => id === given.changeset))
    throw nothingDecided(given.changeset);
  return given;
}

const budgetSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('raise'), amount: z.number().positive().max(1e12) }),
  z.strictObject({ kind: z.literal('stop') }),
]);

export function aboutBudget({ spent, limit, unit }: BudgetQuestion): DeskQuestion<BudgetDecision> {
  return {
    ...{ asks: { gate: 'budget', spent, limit, unit }, about: 'the budget', text: noText },
    read: async (answer) => {
      const given = parseAnswer(budgetSchema, answer);
      if (given.kind === 'raise' && unit === 'tokens' && !Number.isInteger(given.amount))
        throw badAnswer('tokens are a whole number');
      return given;
    },
  };
}

const baseSchema = z.strictObject({ kind: z.enum(['go-on', 'stop']) });

export function aboutBase({ commit, failing }: BaseQuestion): DeskQuestion<BaseDecision> {
  return {
    ...{ asks: { gate: 'base', failing }, about: 'the base, whose checks fail', text: noText },
    substance: { commit },
    read: async (answer) => parseAnswer(baseSchema, answer).kind,
  };
}
