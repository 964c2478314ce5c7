import type { AskedByAgent, AskedSession, AskedValidation, GateAsks } from '../../../domain/shown/gate.ts';
import { unreachable } from '../../../util/unreachable.ts';
import { changesetChoices, undo } from './changeset-choices.ts';
import { type AnswerField, asSentence, type GateChoice, plain, words } from './gate-choice.ts';

type AskedAt<Gate extends GateAsks['gate']> = Extract<GateAsks, { readonly gate: Gate }>;

/** The answers to a question, the usual one first. */
export function choicesOf(asks: GateAsks): readonly GateChoice[] {
  switch (asks.gate) {
    case 'plan':
      return planChoices(asks);
    case 'validation':
      return validationChoices(asks);
    case 'validator_failed':
      return judgeAgainChoices(asks);
    case 'changesets':
      return changesetChoices(asks);
    case 'session':
      return sessionChoices(asks);
    case 'budget':
      return budgetChoices(asks);
    case 'base':
      return [
        plain('Go on', 'good', 'Agents work all the same, although it cannot pass as it is.', {
          kind: 'go-on',
        }),
        plain('Stop', '', 'No agent is paid.', { kind: 'stop' }),
      ];
    case 'question':
      return questionChoices(asks);
    default:
      return unreachable(asks);
  }
}

function planChoices(asks: AskedAt<'plan'>): readonly GateChoice[] {
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
    plain('Quit', '', asSentence(asks.quit_means), { kind: 'quit' }),
  ];
}

/** Where a validator came to no verdict. */
function judgeAgainChoices(asks: AskedAt<'validator_failed'>): readonly GateChoice[] {
  return [
    plain('Retry', 'good', 'Another validator judges it.', { kind: 'retry' }),
    {
      ...{ label: 'Pass by hand', look: '', outcome: 'You judged the diff yourself.' },
      fields: [
        words('notes', asks.red ? 'Its diagnostics fail. Pass it all the same, because' : 'Notes', asks.red),
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
}

function budgetChoices(asks: AskedAt<'budget'>): readonly GateChoice[] {
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
}

/** One press is enough where one thing is asked that has one of a few answers. */
function questionChoices({ questions }: AskedByAgent): readonly GateChoice[] {
  const [only, ...others] = questions;
  const options = only === undefined || others.length > 0 || only.isSeveral ? [] : only.options;
  return [
    // By its number: a label that is one itself would be read as another option's.
    ...options.map(({ label, description }, index) =>
      plain(label, 'good', description === '' ? 'The agent is told.' : description, {
        ...{ kind: 'answer', answers: [`${index + 1}`] },
      }),
    ),
    {
      ...{ label: 'Answer in words', look: '', outcome: 'The agent is told, and goes on.' },
      fields: questions.map(({ question }, index) => words(`answer${index}`, question)),
      answer: (filled) => ({
        kind: 'answer',
        answers: questions.map((_, index) => filled[`answer${index}`]),
      }),
    },
    plain('Leave it to the agent', '', 'It goes on with its best judgement.', { kind: 'proceed' }),
  ];
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
    plain(
      'Check again',
      '',
      'Its checks run again on this very commit: for when you mended what they lacked. A changed configuration counts once the run is started again.',
      { kind: 'recheck' },
    ),
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
