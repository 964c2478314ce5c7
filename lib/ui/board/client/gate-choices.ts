import type {
  AskedChangeset,
  AskedSession,
  AskedValidation,
  GateAsks,
  GateText,
} from '../../../domain/shown/gate.ts';
import { unreachable } from '../../../util/unreachable.ts';

/** What a person fills in for an answer. */
export type AnswerField =
  | {
      readonly kind: 'words';
      readonly name: string;
      readonly label: string;
      readonly isNeeded: boolean;
      readonly value?: string;
      /** What it holds at first comes when it is opened. */
      readonly loads?: GateText;
    }
  | {
      readonly kind: 'lines';
      readonly name: string;
      readonly label: string;
      readonly value: readonly string[];
    }
  | { readonly kind: 'tick'; readonly name: string; readonly label: string }
  | { readonly kind: 'amount'; readonly name: string; readonly label: string; readonly isWhole: boolean }
  | {
      readonly kind: 'one' | 'some';
      readonly name: string;
      readonly label: string;
      readonly options: readonly { readonly value: string; readonly label: string }[];
    };

type Filled = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One of the answers that a question offers. */
export interface GateChoice {
  readonly label: string;
  readonly look: 'good' | 'bad' | '';
  /** What it comes to, a sentence. */
  readonly outcome: string;
  readonly fields: readonly AnswerField[];
  /** The answer as it is sent. */
  answer(filled: Filled): unknown;
}

/** The answers to a question, the usual one first. */
export function choicesOf(asks: GateAsks): readonly GateChoice[] {
  switch (asks.gate) {
    case 'plan':
      return [
        ...(asks.problems.length === 0
          ? [plain('Approve', 'good', 'Its tasks are worked on as they stand here.', { kind: 'approve' })]
          : []),
        {
          ...{ label: 'Edit', look: '', outcome: 'The plan as you leave it is shown here once more.' },
          fields: [{ ...words('text', 'The plan'), loads: 'plan' }],
          answer: (filled) => ({ ...filled, kind: 'edit' }),
        },
        ...(asks.replans_left > 0 ? [replan] : []),
        plain('Quit', '', 'The plan is kept, and the run ends; git flame run shows it again.', {
          kind: 'quit',
        }),
      ];
    case 'validation':
      return validationChoices(asks);
    case 'validator_failed':
      return [
        plain('Retry', 'good', 'Another validator judges it.', { kind: 'retry' }),
        {
          ...{ label: 'Pass by hand', look: '', outcome: 'You judged the diff yourself.' },
          fields: [
            words(
              'notes',
              asks.red ? 'Its diagnostics fail. Pass it all the same, because' : 'Notes',
              asks.red,
            ),
          ],
          answer: (filled) => ({ ...filled, kind: 'pass' }),
        },
        {
          ...{ label: 'Fail by hand', look: 'bad', outcome: 'It fails its validation.' },
          fields: [words('notes', 'What is wrong')],
          answer: (filled) => ({ ...filled, kind: 'fail' }),
        },
        plain('Skip', 'bad', 'The task fails.', { kind: 'skip' }),
      ];
    case 'changesets':
      return changesetChoices(asks);
    case 'session':
      return sessionChoices(asks);
    case 'budget':
      return [
        {
          ...{ label: 'Raise', look: 'good', outcome: 'It goes on with a higher limit.' },
          fields: [
            {
              ...{ kind: 'amount', name: 'amount', isWhole: asks.unit === 'tokens' },
              label: `Add to the limit, in ${asks.unit === 'usd' ? 'USD' : 'tokens'}`,
            },
          ],
          answer: (filled) => ({ ...filled, kind: 'raise' }),
        },
        plain('Stop', '', 'The session stops; everything is kept.', { kind: 'stop' }),
      ];
    case 'base':
      return [
        plain('Go on', 'good', 'Agents work all the same, although it cannot pass as it is.', {
          kind: 'go-on',
        }),
        plain('Stop', '', 'No agent is paid.', { kind: 'stop' }),
      ];
    default:
      return unreachable(asks);
  }
}

const replan: GateChoice = {
  ...{ label: 'Re-plan', look: '', outcome: 'A planner makes another plan.' },
  fields: [words('notes', 'What should be different')],
  answer: (filled) => ({ ...filled, kind: 'replan' }),
};

function validationChoices({
  notes,
  description,
  file_locks,
  others,
  task,
}: AskedValidation): readonly GateChoice[] {
  const keep: AnswerField = {
    kind: 'tick',
    name: 'keep',
    label: 'The next attempt continues from this work',
  };
  return [
    {
      ...{ label: 'Send back', look: 'good', outcome: 'It is tried again, with these notes.' },
      fields: [{ ...words('notes', 'Notes for the next attempt'), value: notes }, keep],
      answer: (filled) => ({ ...filled, kind: 'requeue' }),
    },
    {
      ...{ label: 'Edit and send back', look: '', outcome: 'It is tried again as it stands here.' },
      fields: [
        { ...words('notes', 'Notes for the next attempt'), value: notes },
        { ...words('description', 'What it is to do'), value: description },
        { kind: 'lines', name: 'file_locks', label: 'What it may change, a path a line', value: file_locks },
        keep,
      ],
      answer: (filled) => ({ ...filled, kind: 'requeue' }),
    },
    {
      ...{
        label: 'Pass with a reason',
        look: '',
        outcome: 'It counts as passed; the reason stays with the verdict.',
      },
      fields: [words('override', 'Pass it all the same, because')],
      answer: (filled) => ({ ...filled, kind: 'pass' }),
    },
    ...others.map(({ attempt, words: about }) =>
      plain(`Take attempt ${attempt}`, '', `${about}: its work is judged instead.`, {
        kind: 'choose',
        attempt,
      }),
    ),
    {
      ...{ label: 'Drop', look: 'bad', outcome: `${task} is given up.` },
      fields: [words('reason', 'Why it is dropped')],
      answer: (filled) => ({ ...filled, kind: 'drop' }),
    },
  ];
}

function changesetChoices(asks: AskedChangeset): readonly GateChoice[] {
  const { red, tasks, others, undoable, has_message: hasMessage } = asks;
  const again: AnswerField = {
    kind: 'tick',
    name: 'keep',
    label: 'The next attempts continue from this work',
  };
  const message: AnswerField = { ...words('message', 'What it lands with', false), loads: 'message' };
  return [
    {
      ...{
        label: 'Approve',
        look: 'good',
        outcome: 'It lands once the review is over; until then it can be taken back.',
      },
      fields: red ? [words('override', 'Its diagnostics fail. Approve it all the same, because')] : [],
      answer: (filled) => ({ ...filled, kind: 'approve' }),
    },
    {
      ...{ label: 'Reject', look: 'bad', outcome: 'Its tasks go back with the reason.' },
      fields: [words('reason', 'Reason'), again],
      answer: (filled) => ({ ...filled, kind: 'reject' }),
    },
    ...(tasks.length < 2
      ? []
      : [
          {
            ...{
              label: 'Send tasks back',
              look: 'bad' as const,
              outcome: 'The others of it go on without them.',
            },
            fields: [
              {
                ...{ kind: 'some' as const, name: 'tasks', label: 'Which go back' },
                options: tasks.map(({ id, title }) => ({ value: id, label: `${id}  ${title}` })),
              },
              words('reason', 'Reason'),
              again,
            ],
            answer: (filled: Filled) => ({ ...filled, kind: 'reject' }),
          },
        ]),
    ...(hasMessage
      ? [
          {
            ...{
              label: 'Approve with a message',
              look: '' as const,
              outcome: 'It lands with what you write.',
            },
            fields: [
              ...(red ? [words('override', 'Its diagnostics fail. Approve it all the same, because')] : []),
              message,
            ],
            answer: (filled: Filled) => ({ ...filled, kind: 'approve' }),
          },
        ]
      : []),
    plain('Skip', '', 'Nothing is decided; it is shown again in the next cycle.', { kind: 'skip' }),
    ...others.map(({ task, attempt, words: about }) =>
      plain(`Take attempt ${attempt} at ${task}`, '', `${about}: it is built again with it.`, {
        kind: 'choose',
        task,
        attempt,
      }),
    ),
    ...(undoable.length === 0 ? [] : [undo(undoable)]),
  ];
}

function sessionChoices({ answers, undoable }: AskedSession): readonly GateChoice[] {
  return answers.map((answer) => {
    switch (answer) {
      case 'continue':
        return plain('Continue', 'good', 'Another cycle begins.', { kind: 'continue' });
      case 'retry':
        return plain('Retry', '', 'What failed is tried again, too.', { kind: 'retry' });
      case 'replan':
        return replan;
      case 'stop':
        return plain('Stop', '', 'The run ends here.', { kind: 'stop' });
      case 'undo':
        return undo(undoable);
      default:
        return unreachable(answer);
    }
  });
}

function undo(undoable: AskedSession['undoable']): GateChoice {
  const options = undoable.map(({ id, group, state, reason }) => ({
    value: id,
    label: `${group}: ${state}${reason === '' ? '' : `, ${reason}`}`,
  }));
  return {
    ...{ label: 'Undo a decision', look: '', outcome: 'That changeset waits again.' },
    fields: [{ kind: 'one', name: 'changeset', label: 'Which is taken back', options }],
    answer: (filled) => ({ ...filled, kind: 'undo' }),
  };
}

function plain(label: string, look: GateChoice['look'], outcome: string, answer: object): GateChoice {
  return { label, look, outcome, fields: [], answer: () => answer };
}

function words(
  name: string,
  label: string,
  isNeeded = true,
): Extract<AnswerField, { readonly kind: 'words' }> {
  return { kind: 'words', name, label, isNeeded };
}
