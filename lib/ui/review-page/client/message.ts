import { byId } from '../../page/client/dom.ts';
import { getJson, post } from '../../page/client/transport.ts';
import { app, current, keyOf } from './app.ts';
import { keepMessage, messageHere } from './drafts.ts';

const button = byId('message-button', HTMLButtonElement);
const dialog = byId('message-dialog', HTMLDialogElement);
const text = byId('landing-message', HTMLTextAreaElement);
const problem = byId('message-problem', HTMLParagraphElement);
let onChange = (): void => undefined;
/** The changeset that the dialog is about, and what is proposed for it. */
let asked = { id: '', key: '', proposed: '' };

/** What a changeset lands with is seen, and another message is given, before it is approved. */
export function wireMessage(changed: () => void): void {
  onChange = changed;
  button.addEventListener('click', () => void openMessage());
  byId('message-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close());
  byId('message-reset', HTMLButtonElement).addEventListener('click', () => {
    text.value = asked.proposed;
    text.focus();
  });
  byId('message-keep', HTMLButtonElement).addEventListener('click', (event) => {
    event.preventDefault();
    void keepTyped();
  });
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    void keepTyped();
  });
}

/** Only while the changeset that is shown waits. */
export function renderMessageButton(): void {
  button.disabled = app.state.phase !== 'deciding' || current()?.state !== 'waiting';
  button.classList.toggle('changed', messageHere() !== undefined);
}

export async function openMessage(): Promise<void> {
  const changeset = current();
  if (button.disabled || changeset === undefined) return;
  try {
    const { message } = await getJson<{ message: string }>(
      `/api/message/${encodeURIComponent(changeset.id)}`,
    );
    asked = { id: changeset.id, key: keyOf(changeset), proposed: message };
    problem.textContent = '';
    text.readOnly = false;
  } catch {
    asked = { id: changeset.id, key: keyOf(changeset), proposed: '' };
    problem.textContent = 'The commits of its tasks land, with their own messages.';
    text.readOnly = true;
  }
  if (app.shown !== asked.key) return;
  text.value = messageHere() ?? asked.proposed;
  dialog.showModal();
  text.focus();
}

async function keepTyped(): Promise<void> {
  const message = text.value.trim();
  const isProposed = text.readOnly || message === '' || message === asked.proposed.trim();
  const wrong = isProposed ? '' : (await post('/api/message', { changeset: asked.id, message })).problem;
  problem.textContent = wrong;
  if (wrong !== '') return;
  keepMessage(asked.key, isProposed ? undefined : message);
  dialog.close();
  onChange();
}
