import { effect, signal } from '@preact/signals';
import type { OfferedAnswer } from '../../../domain/questions/answer-definition.ts';
import { postJson } from '../../page/client/server-requests.ts';
import {
  type DraftComment,
  finishApplyingSuggestions,
  forgetDrafts,
  listShownDraftComments,
  markSuggestionsApplying,
} from './drafts.ts';
import { reviewState, shownChangeset, shownChangesetKey, waitingSignalCount } from './review-state.ts';

/** The answer whose form is open, by its label. */
export const openedAnswerForm = signal<string | null>(null);
/** The one that Enter gives, by its label. */
export const answerReadyForEnter = signal<string | null>(null);
export const isSendingDecision = signal(false);
/** The last refusal, and its changeset. */
export const lastRefusal = signal<{ readonly shown: string; readonly text: string } | null>(null);

export function clearReadyAnswer(): void {
  answerReadyForEnter.value = null;
}

/** Whether the changeset that is shown waits here: also while the run is between two questions. */
export function isShownChangesetOpen(): boolean {
  return reviewState.value.phase !== 'ended' && shownChangeset.value?.state === 'waiting';
}

/** Sends an answer, with line comments where it takes them. Resolves to the error; '' once it counts. */
export async function sendChangesetAnswer(given: object, { fields }: Pick<OfferedAnswer, 'fields'>): Promise<string> {
  const along = fields.some(({ kind }) => kind === 'comments') ? { comments: listShownDraftComments() } : {};
  const before = shownChangesetKey.value;
  const wrong = await sendDecision({ ...given, ...along });
  if (wrong !== '') return wrong;
  forgetDrafts(before);
  if (shownChangesetKey.value === before) onDecided();
  return '';
}

let onDecided = (): void => undefined;

/** `next` is called after each decision that was accepted. */
export function setOnDecisionAccepted(next: () => void): void {
  onDecided = next;
}

/** Puts what was suggested on top of the work, as commits of the person's own; the changeset is built again. */
export async function sendSuggestions(comments: readonly DraftComment[]): Promise<void> {
  const before = shownChangesetKey.value;
  markSuggestionsApplying(before, comments);
  finishApplyingSuggestions(before, (await sendDecision({ kind: 'suggest', comments })) !== '');
}

/** Takes back what was decided about the changeset that is shown, until something of it lands. */
export async function sendTakeBack(): Promise<void> {
  if (shownChangeset.value?.isUndoable === true && !isSendingDecision.value)
    await send('/api/take-back', { changeset: shownChangeset.value.id });
}

async function sendDecision(decision: unknown): Promise<string> {
  const { id, commit } = shownChangeset.value ?? {};
  return send('/api/decide', { changeset: id, commit, decision });
}

async function send(path: string, what: unknown): Promise<string> {
  const before = shownChangesetKey.value;
  isSendingDecision.value = true;
  lastRefusal.value = null;
  const text = await sendInTurn(path, what);
  isSendingDecision.value = false;
  clearReadyAnswer();
  // A form that is still open shows it itself.
  if (text !== '' && openedAnswerForm.value === null) lastRefusal.value = { shown: before, text };
  return text;
}

/** Between two questions the run takes no answers: what was decided then is sent again at the next one. */
async function sendInTurn(path: string, what: unknown): Promise<string> {
  for (;;) {
    const before = waitingSignalCount.value;
    const { problem, isBusy } = await postJson(path, what);
    if (!isBusy) return problem;
    openedAnswerForm.value = null;
    let stop = (): void => undefined;
    await new Promise<void>((resolve) => {
      stop = effect(() => {
        if (waitingSignalCount.value !== before || reviewState.value.phase === 'ended') resolve();
      });
    });
    stop();
    if (reviewState.value.phase === 'ended') return problem;
  }
}
