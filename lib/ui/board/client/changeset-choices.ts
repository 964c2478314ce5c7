import type { AskedChangeset, AskedSession } from '../../../domain/shown/gate.ts';
import { type AnswerField, type GateChoice, plain, words } from './gate-choice.ts';

/** The answers to a changeset. */
export function changesetChoices(asks: AskedChangeset): readonly GateChoice[] {
  const { tasks, others, undoable, has_message: hasMessage } = asks;
  return [
    {
      ...{
        label: 'Approve',
        look: 'good',
        outcome: 'It lands once the review is over; until then it can be taken back.',
      },
      fields: overrides(asks),
      answer: (filled) => ({ ...filled, kind: 'approve' }),
    },
    {
      ...{ label: 'Reject', look: 'bad', outcome: 'Its tasks go back with the reason.' },
      fields: [words('reason', 'Reason'), again],
      answer: (filled) => ({ ...filled, kind: 'reject' }),
    },
    ...(tasks.length < 2 ? [] : [sendBack(asks)]),
    ...(hasMessage ? [approveWithMessage(asks)] : []),
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

const again: AnswerField = {
  kind: 'tick',
  name: 'keep',
  label: 'The next attempts continue from this work',
};

/** What an approval of red work must say. */
function overrides({ red }: AskedChangeset): readonly AnswerField[] {
  return red ? [words('override', 'Its diagnostics fail. Approve it all the same, because')] : [];
}

function sendBack({ tasks }: AskedChangeset): GateChoice {
  const options = tasks.map(({ id, title }) => ({ value: id, label: `${id}  ${title}` }));
  return {
    ...{ label: 'Send tasks back', look: 'bad', outcome: 'The others of it go on without them.' },
    fields: [
      { kind: 'some', name: 'tasks', label: 'Which go back', options },
      words('reason', 'Reason'),
      again,
    ],
    answer: (filled) => ({ ...filled, kind: 'reject' }),
  };
}

function approveWithMessage(asks: AskedChangeset): GateChoice {
  return {
    ...{ label: 'Approve with a message', look: '', outcome: 'It lands with what you write.' },
    fields: [...overrides(asks), { ...words('message', 'What it lands with', false), loads: 'message' }],
    answer: (filled) => ({ ...filled, kind: 'approve' }),
  };
}

/** A decision that is taken back, in a review and after it. */
export function undo(undoable: AskedSession['undoable']): GateChoice {
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
