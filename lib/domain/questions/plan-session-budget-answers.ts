import type { Plan } from '../state/plan-schema.ts';
import {
  type AnswerDefinition,
  type AnswerField,
  type QuestionDataAtGate,
  textAnswerField,
} from './answer-definition.ts';
import { undoAnswerDefinition } from './changeset-answers.ts';

export type PlanDecision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'edit'; readonly plan: Plan }
  | { readonly kind: 'replan'; readonly notes: string }
  | { readonly kind: 'quit' };

/** The decision as it is given: an edited plan as text. */
export type PlanAnswerInput =
  | Exclude<PlanDecision, { readonly kind: 'edit' }>
  | { readonly kind: 'edit'; readonly text: string };

const replan = {
  word: 'replan',
  label: 'Re-plan',
  key: '(r)e-plan',
  send: 'Ask for a new plan',
  means: 'a planner makes a new plan',
  fields: () => [textAnswerField('notes', 'What should change?', { usage: 'NOTES' })],
  inFile: [{ key: 'replan', field: 'notes' }],
  done: ({ notes }) => `new plan: ${notes}`,
} as const satisfies AnswerDefinition<unknown>;

export const planAnswerDefinitions: readonly AnswerDefinition<QuestionDataAtGate<'plan'>>[] = [
  {
    word: 'approve',
    label: 'Approve',
    key: '(a)pprove',
    look: 'good',
    means: 'agents work on its tasks as shown here',
    isOffered: ({ problems }) => problems.length === 0,
    inFile: [{ word: 'approve' }],
    done: 'approved',
  },
  {
    word: 'edit',
    label: 'Edit',
    key: '(e)dit',
    send: 'Save the plan',
    means: 'the edited plan is shown again',
    fields: () => [textAnswerField('text', 'The plan', { loads: 'plan', usage: 'FILE' })],
    inFile: [{ key: 'edit', field: 'text', usage: 'file' }],
    done: 'edited',
  },
  { ...replan, isOffered: ({ replans_left: left }) => left > 0 },
  {
    word: 'quit',
    label: 'Quit',
    key: '(q)uit',
    send: 'Quit now',
    confirms: true,
    means: ({ quit_means: means }) => means,
    inFile: [{ word: 'quit' }],
    done: 'quit',
  },
];

export type SessionDecision =
  | { readonly kind: 'continue' }
  /** Continues, and what failed is tried again too. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'replan'; readonly notes: string }
  /** Takes back the decision about a changeset: it waits again. */
  | { readonly kind: 'undo'; readonly changeset: string };

const continues: AnswerDefinition<unknown> = {
  word: 'continue',
  label: 'Continue',
  key: '(c)ontinue',
  look: 'good',
  means: 'another cycle starts',
  inFile: [{ word: 'continue' }],
  done: 'continue',
};
const retry: AnswerDefinition<unknown> = {
  word: 'retry',
  label: 'Retry',
  key: 're(t)ry',
  means: 'another cycle starts, with another attempt at what failed',
  inFile: [{ word: 'retry' }],
  done: 'retry',
};
const stop: AnswerDefinition<unknown> = {
  word: 'stop',
  label: 'Stop',
  key: '(s)top',
  send: 'End the run',
  confirms: true,
  means: 'the run ends here',
  inFile: [{ word: 'stop' }],
  done: 'stop',
};

/** The answers after a review; which of them are offered is part of what is asked. */
export const sessionAnswerDefinitions = [continues, retry, replan, stop, undoAnswerDefinition()].map(
  (row: AnswerDefinition<QuestionDataAtGate<'session'>>): AnswerDefinition<QuestionDataAtGate<'session'>> => ({
    ...row,
    isOffered: ({ answers }) => answers.some((word) => word === row.word),
  }),
);

/** amount: added to the limit, in its unit. */
export type BudgetDecision = { readonly kind: 'raise'; readonly amount: number } | { readonly kind: 'stop' };

export const budgetAnswerDefinitions: readonly AnswerDefinition<QuestionDataAtGate<'budget'>>[] = [
  {
    word: 'raise',
    label: 'Raise',
    key: '(r)aise',
    send: 'Raise the limit',
    look: 'good',
    means: ({ unit }) => `adds this many ${unit === 'usd' ? 'dollars' : 'tokens'} to the limit`,
    fields: ({ unit }) => [
      {
        kind: 'amount',
        name: 'amount',
        isWhole: unit === 'tokens',
        usage: 'AMOUNT',
        label: `Add to the limit, in ${unit === 'usd' ? 'USD' : 'tokens'}`,
      },
    ],
    inFile: [{ key: 'raise', holds: 'amount', field: 'amount' }],
    done: ({ amount }) => `raised by ${amount}`,
  },
  {
    word: 'stop',
    label: 'Stop',
    key: '(s)top',
    send: 'Stop the session',
    confirms: true,
    means: 'the session stops; everything is kept',
    inFile: [{ word: 'stop' }],
    done: 'stop',
  },
];

export interface FailingBaseDecision {
  readonly kind: 'go-on' | 'stop';
}

export const baseAnswerDefinitions: readonly AnswerDefinition<QuestionDataAtGate<'base'>>[] = [
  {
    word: 'go-on',
    label: 'Continue',
    key: '(g)o on all the same',
    look: 'good',
    means: 'agents work anyway, although nothing can pass until the base is fixed',
    done: 'continue anyway',
  },
  {
    ...{ word: 'stop', label: 'Stop', key: '(s)top', send: 'Start no agent', confirms: true },
    means: 'no agent starts',
    done: 'stop',
  },
];

/** answer: in the order of the questions. proceed: it is left to the agent, by the person unless `why` says otherwise. */
export type AnswerToAgent =
  | { readonly kind: 'answer'; readonly answers: readonly string[] }
  | { readonly kind: 'proceed'; readonly why?: string };

const answer = {
  word: 'answer',
  label: 'Answer in your own words',
  key: '',
  done: ({ answers }) => (Array.isArray(answers) ? answers.join('; ') : ''),
} as const satisfies Partial<AnswerDefinition<unknown>>;

export const agentAnswerDefinitions: readonly AnswerDefinition<QuestionDataAtGate<'question'>>[] = [
  {
    // One press is enough where one thing is asked that has one of a few answers.
    ...answer,
    look: 'good',
    means: 'the agent receives this answer',
    each: ({ questions }) => {
      const [only, ...others] = questions;
      if (only === undefined || others.length > 0 || only.isSeveral) return [];
      // By its number: a label that is one itself would be read as another option's.
      return only.options.map(({ label, description }, index) => ({
        label,
        means: description === '' ? 'the agent receives this answer' : description,
        given: { answers: [`${index + 1}`] },
        name: `${index + 1}`,
      }));
    },
  },
  {
    ...answer,
    send: 'Send the answer',
    means: 'the agent receives your answer and continues',
    fields: ({ questions }) =>
      questions.map(
        ({ question }): AnswerField => textAnswerField('answers', question, { isListed: true, usage: 'ANSWER' }),
      ),
    typed: {
      usage: ({ questions }) => `'${questions.map(() => 'ANSWER').join(' | ')}'`,
      means: () => 'in your own words, or the numbers of options; separate the answers to several questions with |',
      read: (text, { questions }) => ({ answers: questions.length === 1 ? [text] : text.split('|') }),
    },
    inFile: [{ key: 'answer', holds: 'texts', field: 'answers', usage: 'text' }],
  },
  {
    word: 'proceed',
    label: 'Leave it to the agent',
    key: '',
    means: 'the agent continues with its best judgment',
    inFile: [{ word: 'proceed' }],
    done: 'left to the agent',
  },
];
