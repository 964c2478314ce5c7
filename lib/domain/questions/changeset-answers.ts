import { changesetStateWords } from '../state/changeset-facts.ts';
import type { LineComment } from '../state/line-comment.ts';
import {
  type AnswerDefinition,
  type AnswerField,
  type QuestionDataAtGate,
  textAnswerField,
} from './answer-definition.ts';
import type { UndoableChangeset } from './question-data.ts';

/** Decision about a changeset. A red one (failing diagnostics) is approved only with an override. */
export type ChangesetDecision =
  | {
      readonly kind: 'approve';
      readonly override?: string;
      /** Remarks that are kept with the landing. */
      readonly comments?: readonly LineComment[];
      /** Its commit message instead of the one shown; its authors are added. */
      readonly message?: string;
      /** The commit that is meant, or how it begins; null: none was shown. Absent: the one asked about. */
      readonly commit?: string | null;
    }
  | {
      readonly kind: 'reject';
      readonly reason: string;
      /** Its tasks that are sent back; the others go on, in a changeset of their own. Absent: all of them. */
      readonly tasks?: readonly string[];
      readonly comments?: readonly LineComment[];
      /** The next attempts start from this work, not from the base. */
      readonly keep?: boolean;
    }
  | { readonly kind: 'skip' }
  /** Its checks run again on this very commit, after the person mended what they lacked: it still waits. */
  | { readonly kind: 'recheck' }
  /** Takes back the decision about another one; the first that waits is asked about. */
  | { readonly kind: 'undo'; readonly changeset: string }
  /** Another attempt at one of its tasks, from 1, is that one's work: it is built again. */
  | { readonly kind: 'choose'; readonly task: string; readonly attempt: number }
  /** Puts suggestions on top of its tasks' work, as the person's own commits: it is built again. */
  | { readonly kind: 'suggest'; readonly comments: readonly LineComment[] }
  /** Decides nothing: the first that waits is asked about. */
  | { readonly kind: 'again' };

/** Facts that its answers depend on. */
export interface ChangesetAnswerFacts
  extends Pick<QuestionDataAtGate<'changesets'>, 'gate' | 'red' | 'tasks' | 'others' | 'has_message' | 'undoable'> {
  /** Where comments can hold lines to put in. */
  readonly takes_suggestions?: true;
}

const comments: AnswerField = { kind: 'comments', name: 'comments', label: 'Comments' };
const keep: AnswerField = { kind: 'tick', name: 'keep', label: 'The next attempts continue from this work' };
const reason = textAnswerField('reason', 'Reason', { usage: 'REASON', enter: 'back' });

/** The answers to a changeset, the usual one first. */
export const changesetAnswerDefinitions: readonly AnswerDefinition<ChangesetAnswerFacts>[] = [
  {
    word: 'approve',
    label: 'Approve',
    key: '(a)pprove',
    send: 'Approve anyway',
    look: 'good',
    means: ({ red }) =>
      red
        ? 'it lands despite its failing checks; the reason is recorded'
        : 'it lands when the review ends; until then it can be undone',
    fields: (asks) => [...override(asks), comments],
    inFile: [
      { word: 'approve', isNamed: ({ red }) => !red },
      {
        key: 'approve',
        holds: 'comments',
        field: 'comments',
        beside: ['message'],
        isNamed: () => false,
      },
      {
        key: 'override',
        field: 'override',
        usage: 'reason',
        beside: ['comments', 'message'],
        isNamed: ({ red }) => red,
      },
    ],
    flag: ({ red }) => (red ? '--override REASON' : '--approve'),
    done: ({ override: why }) => (why === undefined ? 'approved' : `approved despite failing checks: ${why}`),
  },
  {
    word: 'reject',
    label: 'Send back',
    key: '(r)eject',
    send: 'Send back with this reason',
    look: 'bad',
    means: ({ tasks }) =>
      tasks.length > 1 ? 'its tasks are sent back with the reason' : 'its task is sent back with the reason',
    fields: () => [reason, keep, comments],
    typed: {
      means: ({ tasks }) =>
        tasks.length > 1
          ? 'its tasks, or only those you name, are sent back with the reason'
          : 'its task is sent back with the reason',
    },
    inFile: [
      {
        key: 'reject',
        field: 'reason',
        beside: ['tasks', 'comments', 'keep'],
      },
    ],
    flag: () => '--reject REASON',
    done: ({ tasks, reason: why }) => `sent back${Array.isArray(tasks) ? ` (${tasks.join(', ')})` : ''}: ${why}`,
  },
  {
    word: 'reject',
    label: 'Send some tasks back',
    key: '(t)ask back',
    send: 'Send these tasks back',
    look: 'bad',
    means: 'its other tasks stay, in a changeset that is rebuilt without these',
    isOffered: ({ tasks }) => tasks.length > 1,
    fields: ({ tasks }) => [
      {
        kind: 'some',
        name: 'tasks',
        label: 'Tasks to send back',
        unknown: 'it has no task',
        options: tasks.map(({ id, title }) => ({ value: id, label: `${id}  ${title}` })),
      },
      reason,
      keep,
      comments,
    ],
    done: 'sent back',
  },
  {
    word: 'approve',
    label: 'Approve with a message',
    key: '(m)essage',
    send: 'Approve with this message',
    means: 'it lands with the commit message you write',
    isOffered: ({ has_message }) => has_message,
    fields: (asks) => [
      ...override(asks),
      textAnswerField('message', 'Commit message', { isNeeded: false, loads: 'message' }),
      comments,
    ],
    done: 'approved',
  },
  {
    word: 'skip',
    label: 'Skip',
    key: '(s)kip',
    means: 'no decision now; it is shown again in the next cycle',
    inFile: [{ word: 'skip' }],
    flag: () => '--skip',
    done: 'skipped',
  },
  {
    word: 'recheck',
    label: 'Check again',
    key: 'chec(k) again',
    means: 'its checks run again on the same commit, after you fixed what they lacked; it still waits',
    isOffered: ({ red }) => red,
    inFile: [{ word: 'recheck', isNamed: ({ red }) => red }],
    done: 'checked again',
  },
  {
    word: 'choose',
    label: 'Choose another attempt',
    key: '(o)ther attempt',
    means: ({ others }) =>
      `uses its work instead: ${others.map(({ task, attempt }) => `${task} ${attempt}`).join(' or ')}`,
    each: ({ others, tasks }) =>
      others.map(({ task, attempt, words: about }) => ({
        label: `Choose attempt ${attempt} at ${task}`,
        means: `${about}: the changeset is rebuilt with it`,
        given: { task, attempt },
        name: tasks.length === 1 ? `${attempt}` : `${task} ${attempt}`,
      })),
    typed: {
      usage: () => 'TASK ATTEMPT',
      read: (text) => {
        const [task = '', attempt = ''] = text.split(/\s+/);
        return { task, attempt: Number(attempt) };
      },
    },
    inFile: [{ key: 'choose', holds: 'attempts', usage: '{task: attempt}', isNamed: () => false }],
    done: ({ attempt }) => `attempt ${attempt} chosen`,
  },
  {
    // From the lines of the change: on the review page, and by themselves where lines are edited at the terminal.
    word: 'suggest',
    label: 'Apply suggestions',
    key: '',
    means: 'your commits with the suggested lines are added on top of the work',
    isOffered: ({ takes_suggestions: takes }) => takes === true,
    fields: () => [comments],
    inFile: [{ key: 'suggest', holds: 'comments', field: 'comments', isNamed: () => false }],
    done: 'suggestions applied',
  },
  undoAnswerDefinition(),
];

/** The reason required to approve red work. */
function override({ red }: ChangesetAnswerFacts): readonly AnswerField[] {
  if (!red) return [];
  const without = 'Without a reason it is not approved.';
  return [
    textAnswerField('override', 'Its diagnostics fail. Approve it anyway, because', {
      usage: 'REASON',
      enter: 'back',
      without,
    }),
  ];
}

/** A decision that is taken back, in a review and after it. */
export function undoAnswerDefinition(): AnswerDefinition<{
  readonly undoable: readonly UndoableChangeset[];
}> {
  return {
    word: 'undo',
    label: 'Undo a decision',
    key: '(u)ndo a decision',
    send: 'Undo this decision',
    means: ({ undoable }) =>
      `the decision is undone: ${undoable.map(({ group, state }) => `${group} (${changesetStateWords[state]})`).join(', ')}`,
    isOffered: ({ undoable }) => undoable.length > 0,
    fields: ({ undoable }) => [
      {
        kind: 'one',
        name: 'changeset',
        label: 'Decision to undo',
        usage: 'CHANGESET',
        unknown: 'there is no decision here to undo for',
        options: undoable.map(({ id, group, state, reason: why }) => ({
          value: id,
          name: group,
          label: `${id}  ${changesetStateWords[state]}${why === '' ? '' : `: ${why}`}`,
        })),
      },
    ],
    done: 'a decision undone',
  };
}
