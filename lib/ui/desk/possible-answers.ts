import type {
  AskedChangeset,
  AskedSession,
  AskedValidation,
  GateAsks,
  Undoable,
} from '../../domain/shown/gate.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import { unreachable } from '../../util/unreachable.ts';

/** What a person gives beside the word of an answer. */
export interface GivenWords {
  /** All that stands behind the word; of a FILE, what it holds. */
  readonly text: string;
  readonly message: string | null;
  readonly tasks: readonly string[] | null;
  readonly keepWork: boolean;
  readonly comments: readonly LineComment[] | null;
}

export type AnswerOption = Exclude<keyof GivenWords, 'text'>;

/** An answer that can be typed: a word, and what may stand behind it. */
export interface PossibleAnswer {
  readonly word: string;
  /** `REASON`; in brackets where it may be left out; '': nothing stands there. */
  readonly text: string;
  readonly options: readonly AnswerOption[];
  /** What it comes to, a clause. */
  readonly means: string;
  /** The answer as boards send it, but for its kind, which is the word. */
  fields(given: GivenWords): Readonly<Record<string, unknown>>;
}

/** The answers to a question, the usual one first. */
export function possibleAnswers(asks: GateAsks): readonly PossibleAnswer[] {
  switch (asks.gate) {
    case 'plan':
      return [
        ...(asks.problems.length === 0 ? [plain('approve', 'its tasks are worked on')] : []),
        worded('edit', 'FILE', 'text', 'the plan as it stands in a file; it is shown once more'),
        ...(asks.replans_left > 0 ? [replan] : []),
        plain('quit', asks.quit_means),
      ];
    case 'validation':
      return validationAnswers(asks);
    case 'validator_failed':
      return [
        plain('retry', 'another validator judges it'),
        worded('pass', asks.red ? 'REASON' : '[NOTES]', 'notes', 'you judged the diff yourself'),
        worded('fail', 'NOTES', 'notes', 'it fails its validation'),
        plain('skip', 'the task fails'),
      ];
    case 'changesets':
      return changesetAnswers(asks);
    case 'session':
      return sessionAnswers(asks);
    case 'budget':
      return [
        {
          ...{ word: 'raise', text: 'AMOUNT', options: [] },
          means: `so many ${asks.unit === 'usd' ? 'dollars' : 'tokens'} are added to the limit`,
          fields: ({ text }) => ({ amount: Number(text) }),
        },
        plain('stop', 'the session stops'),
      ];
    case 'base':
      return [plain('go-on', 'agents work all the same'), plain('stop', 'no agent is paid')];
    case 'question':
      return [
        {
          ...{ word: 'answer', text: `'${asks.questions.map(() => 'ANSWER').join(' | ')}'`, options: [] },
          means:
            'in your words, or the numbers of options; a | stands between the answers to several questions',
          fields: ({ text }) => ({ answers: asks.questions.length === 1 ? [text] : text.split('|') }),
        },
        plain('proceed', 'the agent goes on with its best judgement'),
      ];
    default:
      return unreachable(asks);
  }
}

/** How an answer is typed behind the name of its question: `reject REASON [--keep-work]`. */
export function answerUsage({
  word,
  text,
  options,
}: Pick<PossibleAnswer, 'word' | 'text' | 'options'>): string {
  return [word, text, ...options.map((option) => optionUsage[option])].filter(Boolean).join(' ');
}

const optionUsage: Readonly<Record<AnswerOption, string>> = {
  message: '[--message MESSAGE]',
  tasks: '[--tasks ID,ID]',
  keepWork: '[--keep-work]',
  comments: "[--comment 'PATH:LINE TEXT']",
};

function validationAnswers({ others }: AskedValidation): readonly PossibleAnswer[] {
  const attempts = others.map(({ attempt }) => attempt);
  return [
    {
      ...{ word: 'requeue', text: '[NOTES]', options: ['keepWork'] },
      means: "it is tried again, with these notes (the validator's)",
      fields: ({ text, keepWork }) => ({ notes: text, keep: keepWork }),
    },
    plain('recheck', 'this very commit is checked again, after you mended what its checks lacked'),
    worded('pass', 'REASON', 'override', 'it counts as passed; the reason stays with the verdict'),
    worded('drop', 'REASON', 'reason', 'it is given up'),
    ...(attempts.length === 0
      ? []
      : [
          {
            ...{ word: 'choose', text: 'ATTEMPT', options: [] },
            means: `that attempt is judged instead: ${attempts.join(' or ')}`,
            fields: ({ text }: GivenWords) => ({ attempt: Number(text) }),
          },
        ]),
  ];
}

function changesetAnswers({
  red,
  tasks,
  others,
  has_message,
  undoable,
}: AskedChangeset): readonly PossibleAnswer[] {
  return [
    {
      ...{
        word: 'approve',
        text: red ? 'REASON' : '',
        options: [...(has_message ? ['message' as const] : []), 'comments'],
      },
      means: red ? 'it lands although its checks fail, for this reason' : 'it lands',
      fields: ({ text, message, comments }) => ({
        ...(text === '' ? {} : { override: text }),
        ...(message === null ? {} : { message }),
        ...(comments === null ? {} : { comments }),
      }),
    },
    {
      ...{
        word: 'reject',
        text: 'REASON',
        options: [...(tasks.length > 1 ? ['tasks' as const] : []), 'keepWork', 'comments'],
      },
      means: `${tasks.length > 1 ? 'its tasks, or only those you name, are done again and are' : 'its task is done again and is'} told why`,
      fields: ({ text, tasks: some, keepWork, comments }) => ({
        ...{ reason: text, keep: keepWork },
        ...(some === null ? {} : { tasks: some }),
        ...(comments === null ? {} : { comments }),
      }),
    },
    plain('skip', 'it is shown again in the next cycle'),
    ...(others.length === 0
      ? []
      : [
          {
            ...{ word: 'choose', text: 'TASK ATTEMPT', options: [] },
            means: `its work instead: ${others.map(({ task, attempt }) => `${task} ${attempt}`).join(' or ')}`,
            fields: ({ text }: GivenWords) => {
              const [task = '', attempt = ''] = text.split(/\s+/);
              return { task, attempt: Number(attempt) };
            },
          },
        ]),
    ...undo(undoable),
  ];
}

function sessionAnswers({ answers, undoable }: AskedSession): readonly PossibleAnswer[] {
  return answers.flatMap((answer) => {
    switch (answer) {
      case 'continue':
        return plain('continue', 'another cycle begins');
      case 'retry':
        return plain('retry', 'what failed is tried again, too');
      case 'replan':
        return replan;
      case 'stop':
        return plain('stop', 'the run ends here');
      case 'undo':
        return undo(undoable);
      default:
        return unreachable(answer);
    }
  });
}

const replan = worded('replan', 'NOTES', 'notes', 'a planner makes another plan');

/** By its id or its group. */
function undo(undoable: readonly Undoable[]): readonly PossibleAnswer[] {
  if (undoable.length === 0) return [];
  const idOf = (name: string): string => undoable.find(({ group }) => group === name)?.id ?? name;
  return [
    {
      ...{ word: 'undo', text: 'CHANGESET', options: [] },
      means: `what was decided is taken back: ${undoable.map(({ group, state }) => `${group} (${state})`).join(', ')}`,
      fields: ({ text }) => ({ changeset: idOf(text) }),
    },
  ];
}

function plain(word: string, means: string): PossibleAnswer {
  return { word, text: '', options: [], means, fields: () => ({}) };
}

function worded(word: string, text: string, field: string, means: string): PossibleAnswer {
  return { word, text, options: [], means, fields: ({ text: given }) => ({ [field]: given }) };
}
