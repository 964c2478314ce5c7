import type { Answer } from '../../../domain/questions/answer-row.ts';
import { answerForm } from '../../page/client/answer-form.ts';
import { byId, make } from '../../page/client/dom.ts';
import { getJson } from '../../page/client/transport.ts';
import { current } from './app.ts';

const place = byId('more-answers', HTMLSpanElement);
const dialog = byId('answer-dialog', HTMLDialogElement);
/** What is drawn: as long as it is the same, an open form stays. */
let drawn = '[]';

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
  const id = current()?.id ?? '';
  const form = answerForm(answer, {
    load: async () => (await getJson<{ message: string }>(`/api/message/${encodeURIComponent(id)}`)).message,
    send: async (decision) => {
      dialog.close();
      await decide(decision);
      return '';
    },
    cancel: () => dialog.close(),
  });
  const title = make('h2', '', answer.label);
  title.id = 'answer-title';
  dialog.replaceChildren(title, form.element);
  dialog.showModal();
}
