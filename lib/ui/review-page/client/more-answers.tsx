import { render } from 'preact';
import type { Answer } from '../../../domain/questions/answer-row.ts';
import { AnswerForm } from '../../page/client/answer-form.tsx';
import { byId, make } from '../../page/client/dom.ts';
import { getJson } from '../../page/client/transport.ts';
import { current } from './app.ts';

const place = byId('more-answers', HTMLSpanElement);
const dialog = byId('answer-dialog', HTMLDialogElement);
/** What is drawn: as long as it is the same, an open form stays. */
let drawn = '[]';
// The next one begins empty.
dialog.addEventListener('close', () => render(null, dialog));

/** Buttons of the answers to the changeset that is shown, as far as the bar has none of its own for them. */
export function renderMoreAnswers(canDecide: boolean, decide: (decision: unknown) => Promise<void>): void {
  const answers = canDecide ? (current()?.answers ?? []) : [];
  const now = JSON.stringify(answers);
  if (now === drawn) return;
  drawn = now;
  if (dialog.open) dialog.close();
  place.replaceChildren(
    ...answers.map((answer) => {
      const button = make('button', answer.look, `${answer.label} …`);
      button.type = 'button';
      button.addEventListener('click', () => open(answer, decide));
      return button;
    }),
  );
}

function open(answer: Answer, decide: (decision: unknown) => Promise<void>): void {
  const path = `/api/message/${encodeURIComponent(current()?.id ?? '')}`;
  const send = async (decision: unknown): Promise<string> => {
    dialog.close();
    await decide(decision);
    return '';
  };
  render(
    <>
      <h2 id="answer-title">{answer.label}</h2>
      <AnswerForm
        answer={answer}
        load={async () => (await getJson<{ message: string }>(path)).message}
        send={send}
        cancel={() => dialog.close()}
      />
    </>,
    dialog,
  );
  dialog.showModal();
}
