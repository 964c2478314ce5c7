import type { Plan } from '../state/plan.ts';
import { type AnswerField, type AnswerRow, type AskedAt, textField } from './answer-row.ts';
import { undoAnswer } from './changeset-answers.ts';

export type PlanDecision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'edit'; readonly plan: Plan }
  | { readonly kind: 'replan'; readonly notes: string }
  | { readonly kind: 'quit' };

/** The decision as it is given: an edited plan as text. */
export type PlanGiven =
  | Exclude<PlanDecision, { readonly kind: 'edit' }>
  | { readonly kind: 'edit'; readonly text: string };

const replan = {
  word: 'replan',
  label: 'Re-plan',
  key: '(r)e-plan',
  means: 'a planner makes a new plan',
  fields: () => [textField('notes', 'What should change?', { usage: 'NOTES' })],
  inFile: [{ key: 'replan', holds: 'words', field: 'notes', usage: 'notes' }],
  done: ({ notes }) => `new plan: ${notes}`,
} as const satisfies AnswerRow<unknown>;

export const planAnswers: readonly AnswerRow<AskedAt<'plan'>>[] = [
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
    means: 'the edited plan is shown again',
    fields: () => [textField('text', 'The plan', { loads: 'plan', usage: 'FILE' })],
    inFile: [{ key: 'edit', holds: 'words', field: 'text', usage: 'file' }],
    done: 'edited',
  },
  { ...replan, isOffered: ({ replans_left: left }) => left > 0 },
  {
    word: 'quit',
    label: 'Quit',
    key: '(q)uit',
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

const continues: AnswerRow<unknown> = {
  word: 'continue',
  label: 'Continue',
  key: '(c)ontinue',
  look: 'good',
  means: 'another cycle starts',
  inFile: [{ word: 'continue' }],
  done: 'continue',
};
const retry: AnswerRow<unknown> = {
  word: 'retry',
  label: 'Retry',
  key: 're(t)ry',
  means: 'another cycle starts, with another attempt at what failed',
  inFile: [{ word: 'retry' }],
  done: 'retry',
};
const stop: AnswerRow<unknown> = {
  word: 'stop',
  label: 'Stop',
  key: '(s)top',
  means: 'the run ends here',
  inFile: [{ word: 'stop' }],
  done: 'stop',
};

/** The answers after a review; which of them are offered is part of what is asked. */
export const sessionAnswers = [continues, retry, replan, stop, undoAnswer()].map(
  (row: AnswerRow<AskedAt<'session'>>): AnswerRow<AskedAt<'session'>> => ({
    ...row,
    isOffered: ({ answers }) => answers.some((word) => word === row.word),
  }),
);

/** amount: added to the limit, in its unit. */
export type BudgetDecision = { readonly kind: 'raise'; readonly amount: number } | { readonly kind: 'stop' };

export const budgetAnswers: readonly AnswerRow<AskedAt<'budget'>>[] = [
  {
    word: 'raise',
    label: 'Raise',
    key: '(r)aise',
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
    inFile: [{ key: 'raise', holds: 'amount', field: 'amount', usage: 'amount' }],
    done: ({ amount }) => `raised by ${amount}`,
  },
  {
    word: 'stop',
    label: 'Stop',
    key: '(s)top',
    means: 'the session stops; everything is kept',
    inFile: [{ word: 'stop' }],
    done: 'stop',
  },
];

export interface BaseDecision {
  readonly kind: 'go-on' | 'stop';
}

export const baseAnswers: readonly AnswerRow<AskedAt<'base'>>[] = [
  {
    word: 'go-on',
    label: 'Continue',
    key: '(g)o on all the same',
    look: 'good',
    means: 'agents work anyway, although nothing can pass until the base is fixed',
    done: 'continue anyway',
  },
  { word: 'stop', label: 'Stop', key: '(s)top', means: 'no agent starts', done: 'stop' },
];

/** answer: in the order of the questions. proceed: it is left to the agent, by the person unless `why` says otherwise. */
export type AgentAnswer =
  | { readonly kind: 'answer'; readonly answers: readonly string[] }
  | { readonly kind: 'proceed'; readonly why?: string };

const answer = {
  word: 'answer',
  label: 'Answer in your own words',
  key: '',
  done: ({ answers }) => (Array.isArray(answers) ? answers.join('; ') : ''),
} as const satisfies Partial<AnswerRow<unknown>>;

export const agentAnswers: readonly AnswerRow<AskedAt<'question'>>[] = [
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
    means: 'the agent receives your answer and continues',
    fields: ({ questions }) =>
      questions.map(
        ({ question }): AnswerField => textField('answers', question, { isListed: true, usage: 'ANSWER' }),
      ),
    typed: {
      usage: ({ questions }) => `'${questions.map(() => 'ANSWER').join(' | ')}'`,
      means: () =>
        'in your own words, or the numbers of options; separate the answers to several questions with |',
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
