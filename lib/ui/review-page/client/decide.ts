import { effect, signal } from '@preact/signals';
import type { Answer } from '../../../domain/questions/answer-row.ts';
import { post } from '../../page/client/transport.ts';
import { current, questions, shown, state } from './app.ts';
import { beginApplying, type Draft, draftsHere, endApplying, forgetDrafts } from './drafts.ts';

/** The answer whose form is open, by its label. */
export const opened = signal<string | null>(null);
/** The one that Enter gives, by its label. */
export const armed = signal<string | null>(null);
export const isSending = signal(false);
/** The last refusal, and its changeset. */
export const refusal = signal<{ readonly shown: string; readonly text: string } | null>(null);

export function disarm(): void {
  armed.value = null;
}

/** Whether the changeset that is shown waits here: also while the run is between two questions. */
export function isOpen(): boolean {
  return state.value.phase !== 'ended' && current.value?.state === 'waiting';
}

/** Sends an answer, with line comments where it takes them. Resolves to the error; '' once it counts. */
export async function decide(given: object, { fields }: Pick<Answer, 'fields'>): Promise<string> {
  const along = fields.some(({ kind }) => kind === 'comments') ? { comments: draftsHere() } : {};
  const before = shown.value;
  const wrong = await sendDecision({ ...given, ...along });
  if (wrong !== '') return wrong;
  forgetDrafts(before);
  if (shown.value === before) onDecided();
  return '';
}

let onDecided = (): void => undefined;

/** `next` is called after each decision that was accepted. */
export function wireDecisions(next: () => void): void {
  onDecided = next;
}

/** Puts what was suggested on top of the work, as commits of the person's own; the changeset is built again. */
export async function applySuggestions(comments: readonly Draft[]): Promise<void> {
  const before = shown.value;
  beginApplying(before, comments);
  endApplying(before, (await sendDecision({ kind: 'suggest', comments })) !== '');
}

/** Takes back what was decided about the changeset that is shown, until something of it lands. */
export async function takeBack(): Promise<void> {
  if (current.value?.isUndoable === true && !isSending.value)
    await send('/api/take-back', { changeset: current.value.id });
}

async function sendDecision(decision: unknown): Promise<string> {
  const { id, commit } = current.value ?? {};
  return send('/api/decide', { changeset: id, commit, decision });
}

async function send(path: string, what: unknown): Promise<string> {
  const before = shown.value;
  isSending.value = true;
  refusal.value = null;
  const text = await sendInTurn(path, what);
  isSending.value = false;
  disarm();
  // A form that is still open shows it itself.
  if (text !== '' && opened.value === null) refusal.value = { shown: before, text };
  return text;
}

/** Between two questions the run takes no answers: what was decided then is sent again at the next one. */
async function sendInTurn(path: string, what: unknown): Promise<string> {
  for (;;) {
    const before = questions.value;
    const { problem, isBusy } = await post(path, what);
    if (!isBusy) return problem;
    opened.value = null;
    let stop = (): void => undefined;
    await new Promise<void>((resolve) => {
      stop = effect(() => {
        if (questions.value !== before || state.value.phase === 'ended') resolve();
      });
    });
    stop();
    if (state.value.phase === 'ended') return problem;
  }
}
