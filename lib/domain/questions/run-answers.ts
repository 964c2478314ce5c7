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
  means: 'a planner makes another plan',
  fields: () => [textField('notes', 'What should be different?', { usage: 'NOTES' })],
  inFile: [{ key: 'replan', holds: 'words', field: 'notes', usage: 'notes' }],
  done: ({ notes }) => `another plan: ${notes}`,
} as const satisfies AnswerRow<unknown>;

export const planAnswers: readonly AnswerRow<AskedAt<'plan'>>[] = [
  {
    word: 'approve',
    label: 'Approve',
    key: '(a)pprove',
    look: 'good',
    means: 'its tasks are worked on as they stand here',
    isOffered: ({ problems }) => problems.length === 0,
    inFile: [{ word: 'approve' }],
    done: 'approved',
  },
  {
    word: 'edit',
    label: 'Edit',
    key: '(e)dit',
    means: 'the plan as you leave it is shown once more',
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
  means: 'another cycle begins',
  inFile: [{ word: 'continue' }],
  done: 'continue',
};
const retry: AnswerRow<unknown> = {
  word: 'retry',
  label: 'Retry',
  key: 're(t)ry',
  means: 'what failed is tried again, too',
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
    means: ({ unit }) => `so many ${unit === 'usd' ? 'dollars' : 'tokens'} are added to the limit`,
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
    label: 'Go on',
    key: '(g)o on all the same',
    look: 'good',
    means: 'agents work all the same, although it cannot pass as it is',
    done: 'go on all the same',
  },
  { word: 'stop', label: 'Stop', key: '(s)top', means: 'no agent is paid', done: 'stop' },
];

/** answer: in the order of the questions. proceed: it is left to the agent, by the person unless `why` says otherwise. */
export type AgentAnswer =
  | { readonly kind: 'answer'; readonly answers: readonly string[] }
  | { readonly kind: 'proceed'; readonly why?: string };

const answer = {
  word: 'answer',
  label: 'Answer in words',
  key: '',
  done: ({ answers }) => (Array.isArray(answers) ? answers.join('; ') : ''),
} as const satisfies Partial<AnswerRow<unknown>>;

export const agentAnswers: readonly AnswerRow<AskedAt<'question'>>[] = [
  {
    // One press is enough where one thing is asked that has one of a few answers.
    ...answer,
    look: 'good',
    means: 'the agent is told',
    each: ({ questions }) => {
      const [only, ...others] = questions;
      if (only === undefined || others.length > 0 || only.isSeveral) return [];
      // By its number: a label that is one itself would be read as another option's.
      return only.options.map(({ label, description }, index) => ({
        label,
        means: description === '' ? 'the agent is told' : description,
        given: { answers: [`${index + 1}`] },
        name: `${index + 1}`,
      }));
    },
  },
  {
    ...answer,
    means: 'the agent is told, and goes on',
    fields: ({ questions }) =>
      questions.map(
        ({ question }): AnswerField => textField('answers', question, { isListed: true, usage: 'ANSWER' }),
      ),
    typed: {
      usage: ({ questions }) => `'${questions.map(() => 'ANSWER').join(' | ')}'`,
      means: () =>
        'in your words, or the numbers of options; a | stands between the answers to several questions',
      read: (text, { questions }) => ({ answers: questions.length === 1 ? [text] : text.split('|') }),
    },
    inFile: [{ key: 'answer', holds: 'texts', field: 'answers', usage: 'text' }],
  },
  {
    word: 'proceed',
    label: 'Leave it to the agent',
    key: '',
    means: 'the agent goes on with its best judgement',
    inFile: [{ word: 'proceed' }],
    done: 'left to the agent',
  },
];
