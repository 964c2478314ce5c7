import {
  type AnswerDefinition,
  type AnswerField,
  type QuestionDataAtGate,
  textAnswerField,
} from './answer-definition.ts';

/** Edit of a task that is sent back. */
export interface RequeuedTaskEdit {
  readonly description?: string;
  readonly file_locks?: readonly string[];
}

/** Decision about a task that failed its validation. */
export type ValidationDecision =
  | ({
      readonly kind: 'requeue';
      readonly notes: string;
      /** The next attempt starts from this work, not from the base. */
      readonly keep?: boolean;
    } & RequeuedTaskEdit)
  /** It passes all the same; override: the reason why, which stays with the verdict. */
  | { readonly kind: 'pass'; readonly override: string }
  /** reason: why it is given up; none: that a person did. */
  | { readonly kind: 'drop'; readonly reason?: string }
  /** Another of its attempts, from 1, is its work, and judged. */
  | { readonly kind: 'choose'; readonly attempt: number }
  /** This very commit is judged once more: what its checks lacked is there now. */
  | { readonly kind: 'recheck' };

/** The decision as it is given: without notes, the validator's hold. */
export type ValidationAnswerInput =
  | Exclude<ValidationDecision, { readonly kind: 'requeue' }>
  | ({ readonly kind: 'requeue'; readonly notes?: string; readonly keep?: boolean } & RequeuedTaskEdit);

const keep: AnswerField = { kind: 'tick', name: 'keep', label: 'The next attempt continues from this work' };

function notes({ notes: value }: { readonly notes: string }): AnswerField {
  return textAnswerField('notes', 'Notes for the next attempt', {
    isNeeded: false,
    value,
    usage: '[NOTES]',
    enter: "the validator's",
  });
}

/** The answers to a task that failed its validation, the usual one first. */
export const validationAnswerDefinitions: readonly AnswerDefinition<QuestionDataAtGate<'validation'>>[] = [
  {
    word: 'requeue',
    label: 'Send back',
    key: '(r)equeue',
    send: 'Send back with these notes',
    look: 'good',
    means: "it is sent back with these notes (the validator's unless you change them)",
    fields: (asks) => [notes(asks), keep],
    inFile: [{ key: 'requeue', field: 'notes', beside: ['keep'] }],
    flag: () => '--requeue NOTES',
    done: ({ notes: said }) => `sent back: ${said}`,
  },
  {
    word: 'requeue',
    label: 'Edit and send back',
    key: '(e)dit and requeue',
    send: 'Save and send back',
    means: 'it is sent back as edited here',
    fields: (asks) => [
      notes(asks),
      textAnswerField('description', 'Description', { isNeeded: false, value: asks.description }),
      {
        kind: 'lines',
        name: 'file_locks',
        label: 'Locks, one path per line',
        value: asks.file_locks,
      },
      keep,
    ],
    done: 'sent back',
  },
  {
    word: 'recheck',
    label: 'Check again',
    key: '(c)heck again',
    means:
      'its checks run again on the same commit, after you fixed what they lacked; a changed configuration applies once you restart the run',
    inFile: [{ word: 'recheck' }],
    flag: () => '--recheck',
    done: 'checked again',
  },
  {
    word: 'pass',
    label: 'Pass with a reason',
    key: '(p)ass with a reason',
    send: 'Count it as passed',
    means: 'it counts as passed; the reason is recorded in the verdict',
    fields: () => [textAnswerField('override', 'Pass it anyway, because', { usage: 'REASON' })],
    inFile: [{ key: 'override', field: 'override', usage: 'reason' }],
    flag: () => '--override REASON',
    done: ({ override }) => `passed anyway: ${override}`,
  },
  {
    word: 'choose',
    label: 'Choose another attempt',
    key: '(o)ther attempt',
    means: ({ others }) => `validates that attempt instead: ${others.map(({ attempt }) => attempt).join(' or ')}`,
    each: ({ others }) =>
      others.map(({ attempt, words: about }) => ({
        label: `Choose attempt ${attempt}`,
        means: `${about}: its work is validated instead`,
        given: { attempt },
        name: `${attempt}`,
      })),
    typed: { usage: () => 'ATTEMPT', read: (text) => ({ attempt: Number(text) }) },
    inFile: [{ key: 'choose', holds: 'attempt', field: 'attempt', isNamed: () => false }],
    done: ({ attempt }) => `attempt ${attempt} chosen`,
  },
  {
    word: 'drop',
    label: 'Drop',
    key: '(d)rop',
    send: 'Drop the task',
    look: 'bad',
    means: ({ task }) => `${task} is abandoned`,
    fields: () => [textAnswerField('reason', 'Why is it dropped?', { usage: 'REASON' })],
    inFile: [{ word: 'drop' }, { key: 'drop', field: 'reason', isNamed: () => false }],
    done: ({ reason }) => (reason === undefined ? 'dropped' : `dropped: ${reason}`),
  },
];

/**
 * Decision where validators came to no verdict. manual: the person judged the diff; skip: the task fails; retry:
 * another validator. Where a diagnostic failed, a manual pass needs the reason why as `override`.
 */
export type ValidatorFailedDecision =
  | {
      readonly kind: 'manual';
      readonly status: 'pass' | 'fail';
      readonly notes: string;
      readonly override?: string;
    }
  | { readonly kind: 'skip' }
  | { readonly kind: 'retry' };

/** The decision as it is given. */
export type ValidatorAnswerInput =
  | { readonly kind: 'retry' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'pass'; readonly notes?: string }
  | { readonly kind: 'fail'; readonly notes: string };

/** The answers where a validator came to no verdict. */
export const validatorAnswerDefinitions: readonly AnswerDefinition<QuestionDataAtGate<'validator_failed'>>[] = [
  {
    word: 'retry',
    label: 'Retry',
    key: '(r)etry',
    look: 'good',
    means: 'another validator judges it',
    inFile: [{ word: 'retry' }],
    done: 'retry',
  },
  {
    word: 'pass',
    label: 'Pass manually',
    key: '(p)ass',
    send: 'Count it as passed',
    means: 'you judged the diff yourself',
    fields: ({ red }) => [
      red
        ? textAnswerField('notes', 'Its diagnostics fail. Pass it anyway, because', { usage: 'REASON' })
        : textAnswerField('notes', 'Notes', { isNeeded: false, usage: '[NOTES]', enter: 'none' }),
    ],
    inFile: [
      { word: 'manual', isNamed: ({ red }) => !red },
      { key: 'override', field: 'notes', usage: 'reason', isNamed: ({ red }) => red },
    ],
    done: ({ notes: said }) => `judged manually: pass${said === undefined || said === '' ? '' : `, ${said}`}`,
  },
  {
    word: 'fail',
    label: 'Fail manually',
    key: '(f)ail',
    send: 'Count it as failed',
    look: 'bad',
    means: 'it fails its validation',
    fields: () => [textAnswerField('notes', 'What is wrong?', { usage: 'NOTES' })],
    done: ({ notes: said }) => `judged manually: fail, ${said}`,
  },
  {
    word: 'skip',
    label: 'Skip',
    key: '(s)kip',
    look: 'bad',
    send: 'Let the task fail',
    confirms: true,
    means: 'the task fails',
    inFile: [{ word: 'skip' }],
    done: 'skipped',
  },
];
