import type { LineComment } from '../state/line-comment.ts';
import { type AnswerField, type AnswerRow, type AskedAt, textField } from './answer-row.ts';
import type { Undoable } from './gate.ts';

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
export interface ChangesetFacts
  extends Pick<AskedAt<'changesets'>, 'gate' | 'red' | 'tasks' | 'others' | 'has_message' | 'undoable'> {
  /** Where comments can hold lines to put in. */
  readonly takes_suggestions?: true;
}

const comments: AnswerField = { kind: 'comments', name: 'comments', label: 'Comments' };
const keep: AnswerField = { kind: 'tick', name: 'keep', label: 'The next attempts continue from this work' };
const reason = textField('reason', 'Reason', { usage: 'REASON', enter: 'back' });

/** The answers to a changeset, the usual one first. */
export const changesetAnswers: readonly AnswerRow<ChangesetFacts>[] = [
  {
    word: 'approve',
    label: 'Approve',
    key: '(a)pprove',
    look: 'good',
    means: ({ red }) =>
      red
        ? 'it lands although its checks fail, for this reason'
        : 'it lands once the review is over; until then it can be taken back',
    fields: (asks) => [...override(asks), comments],
    inFile: [
      { word: 'approve', isNamed: ({ red }) => !red },
      {
        key: 'approve',
        holds: 'comments',
        field: 'comments',
        usage: 'comments',
        beside: ['message'],
        isNamed: () => false,
      },
      {
        key: 'override',
        holds: 'words',
        field: 'override',
        usage: 'reason',
        beside: ['comments', 'message'],
        isNamed: ({ red }) => red,
      },
    ],
    flag: ({ red }) => (red ? '--override REASON' : '--approve'),
    done: ({ override: why }) => (why === undefined ? 'approved' : `approved although checks fail: ${why}`),
  },
  {
    word: 'reject',
    label: 'Reject',
    key: '(r)eject',
    look: 'bad',
    means: ({ tasks }) =>
      tasks.length > 1
        ? 'its tasks are done again and are told why'
        : 'its task is done again and is told why',
    fields: () => [reason, keep, comments],
    typed: {
      means: ({ tasks }) =>
        tasks.length > 1
          ? 'its tasks, or only those you name, are done again and are told why'
          : 'its task is done again and is told why',
    },
    inFile: [
      {
        key: 'reject',
        holds: 'words',
        field: 'reason',
        usage: 'reason',
        beside: ['tasks', 'comments', 'keep'],
      },
    ],
    flag: () => '--reject REASON',
    done: ({ tasks, reason: why }) =>
      `rejected${Array.isArray(tasks) ? ` (${tasks.join(', ')})` : ''}: ${why}`,
  },
  {
    word: 'reject',
    label: 'Send tasks back',
    key: '(t)ask back',
    look: 'bad',
    means: 'the others of it go on, in a changeset that is built without them',
    isOffered: ({ tasks }) => tasks.length > 1,
    fields: ({ tasks }) => [
      {
        kind: 'some',
        name: 'tasks',
        label: 'Which go back',
        unknown: 'it holds no task',
        options: tasks.map(({ id, title }) => ({ value: id, label: `${id}  ${title}` })),
      },
      reason,
      keep,
      comments,
    ],
    done: 'rejected',
  },
  {
    word: 'approve',
    label: 'Approve with a message',
    key: '(m)essage',
    means: 'it lands with what you write',
    isOffered: ({ has_message }) => has_message,
    fields: (asks) => [
      ...override(asks),
      textField('message', 'What it lands with', { isNeeded: false, loads: 'message' }),
      comments,
    ],
    done: 'approved',
  },
  {
    word: 'skip',
    label: 'Skip',
    key: '(s)kip',
    means: 'nothing is decided; it is shown again in the next cycle',
    inFile: [{ word: 'skip' }],
    flag: () => '--skip',
    done: 'skipped',
  },
  {
    word: 'recheck',
    label: 'Check again',
    key: 'chec(k) again',
    means: 'its checks run again on this very commit, for when you mended what they lacked; it still waits',
    isOffered: ({ red }) => red,
    inFile: [{ word: 'recheck', isNamed: ({ red }) => red }],
    done: 'checked again',
  },
  {
    word: 'choose',
    label: 'Take another attempt',
    key: '(o)ther attempt',
    means: ({ others }) =>
      `its work instead: ${others.map(({ task, attempt }) => `${task} ${attempt}`).join(' or ')}`,
    each: ({ others, tasks }) =>
      others.map(({ task, attempt, words: about }) => ({
        label: `Take attempt ${attempt} at ${task}`,
        means: `${about}: it is built again with it`,
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
    means: 'what the comments suggest is put on top of the work, as your own commits',
    isOffered: ({ takes_suggestions: takes }) => takes === true,
    fields: () => [comments],
    inFile: [
      { key: 'suggest', holds: 'comments', field: 'comments', usage: 'comments', isNamed: () => false },
    ],
    done: 'suggestions applied',
  },
  undoAnswer(),
];

/** The reason required to approve red work. */
function override({ red }: ChangesetFacts): readonly AnswerField[] {
  if (!red) return [];
  const without = 'Without a reason it is not approved.';
  return [
    textField('override', 'Its diagnostics fail. Approve it all the same, because', {
      usage: 'REASON',
      enter: 'back',
      without,
    }),
  ];
}

/** A decision that is taken back, in a review and after it. */
export function undoAnswer(): AnswerRow<{ readonly undoable: readonly Undoable[] }> {
  return {
    word: 'undo',
    label: 'Undo a decision',
    key: '(u)ndo a decision',
    means: ({ undoable }) =>
      `what was decided is taken back: ${undoable.map(({ group, state }) => `${group} (${state})`).join(', ')}`,
    isOffered: ({ undoable }) => undoable.length > 0,
    fields: ({ undoable }) => [
      {
        kind: 'one',
        name: 'changeset',
        label: 'Which is taken back',
        usage: 'CHANGESET',
        unknown: 'nothing was decided here about',
        options: undoable.map(({ id, group, state, reason: why }) => ({
          value: id,
          name: group,
          label: `${id}  ${state}${why === '' ? '' : `: ${why}`}`,
        })),
      },
    ],
    done: 'a decision taken back',
  };
}
