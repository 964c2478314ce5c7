import { byId } from '../../page/client/dom.ts';
import { post } from '../../page/client/transport.ts';
import { app, current } from './app.ts';
import { decidedWords } from './decided-words.ts';
import {
  type Draft,
  draftsHere,
  dropApplied,
  forgetDrafts,
  keepReason,
  messageHere,
  reasonHere,
} from './drafts.ts';
import { renderMessageButton } from './message.ts';
import { renderMoreAnswers } from './more-answers.tsx';
import { chosenTasks, describeReject, showChoice } from './reject-choice.ts';

const words = byId('bar-words', HTMLParagraphElement);
const buttons = {
  approve: byId('approve', HTMLButtonElement),
  reject: byId('reject', HTMLButtonElement),
  skip: byId('skip', HTMLButtonElement),
};
const undoButton = byId('undo', HTMLButtonElement);
const dialog = byId('reason-dialog', HTMLDialogElement);
const reason = byId('reason', HTMLTextAreaElement);
const keepLine = byId('reason-keep', HTMLParagraphElement);
const keep = byId('keep-work', HTMLInputElement);
const problem = byId('reason-problem', HTMLParagraphElement);
const sendButton = byId('reason-send', HTMLButtonElement);

type Asking = 'reject' | 'override';
let asking: Asking = 'reject';
/** The changeset that the dialog is about. */
let asked = '';
/** What was refused last, and of which changeset. */
let refusal: { readonly shown: string; readonly text: string } | null = null;
let isSending = false;
/** After so long without a key, what was typed is kept. */
const restMs = 300;
let onState = (): void => undefined;
let onDecided = (): void => undefined;

/** Brings the decision bar in line with what is shown and what can be decided. */
export function renderBar(): void {
  onState();
  const changeset = current();
  // Also while the run is between two questions: what is decided then is sent again at the next.
  const canDecide = app.state.phase !== 'ended' && changeset?.state === 'waiting' && !isSending;
  const isRefused = document.getElementById('refusal') !== null;
  buttons.approve.disabled = !canDecide || changeset?.needs !== '' || isRefused;
  buttons.reject.disabled = !canDecide;
  buttons.skip.disabled = !canDecide;
  const canUndo = app.state.phase !== 'ended' && changeset?.isUndoable === true;
  for (const button of Object.values(buttons)) button.hidden = canUndo;
  undoButton.hidden = !canUndo;
  undoButton.disabled = isSending;
  renderMessageButton();
  renderMoreAnswers(canDecide, decide);
  disarm();
  const text = refusal?.shown === app.shown ? refusal.text : '';
  words.classList.toggle('problem', text !== '');
  words.textContent = text === '' ? describe() : text;
  if (!canDecide && dialog.open && !isSending) dialog.close();
}

/** By key: the button is made ready, and Enter presses it. */
export function armApprove(): void {
  if (buttons.approve.disabled) return;
  if (current()?.isRed === true) {
    askReason('override');
    return;
  }
  arm(buttons.approve, 'Press Enter to approve it, Escape to leave it.');
}

export function openReject(): void {
  if (!buttons.reject.disabled) askReason('reject');
}

/** By key: as with approve. */
export function armSkip(): void {
  if (!buttons.skip.disabled)
    arm(buttons.skip, 'Press Enter to skip it until the next cycle, Escape to leave it.');
}

function arm(button: HTMLButtonElement, text: string): void {
  disarm();
  button.classList.add('armed');
  button.focus();
  words.textContent = text;
}

/** `decided` is called after each decision that was accepted. */
export function wireDecisions(decided: () => void): void {
  onDecided = decided;
  buttons.approve.addEventListener('click', () => {
    if (current()?.isRed === true) askReason('override');
    else void decide({ kind: 'approve', comments: draftsHere(), message: messageHere() });
  });
  for (const button of [buttons.approve, buttons.skip]) button.addEventListener('blur', () => renderBar());
  buttons.reject.addEventListener('click', openReject);
  buttons.skip.addEventListener('click', () => void decide({ kind: 'skip' }));
  undoButton.addEventListener('click', () => void takeBack());
  byId('reason-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close());
  // However it is closed, also with its tab or because it was decided elsewhere: what was typed stays.
  const keepTyped = (): void => keepReason(asked, reason.value.trim());
  let typing = 0;
  reason.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(keepTyped, restMs);
  });
  dialog.addEventListener('close', () => {
    clearTimeout(typing);
    keepTyped();
  });
  reason.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    void sendReason();
  });
  sendButton.addEventListener('click', (event) => {
    event.preventDefault();
    void sendReason();
  });
}

function describe(): string {
  const changeset = current();
  if (changeset === undefined) return '';
  const left = app.state.changesets.filter(({ state }) => state === 'waiting').length;
  const comments = draftsHere().length;
  if (changeset.state !== 'waiting') {
    const unsent =
      comments === 0
        ? ''
        : ` ${comments === 1 ? 'Your comment was' : `Your ${comments} comments were`} not sent: this page keeps what you wrote.`;
    const others = left === 0 ? '' : ` ${left === 1 ? '1 other waits' : `${left} others wait`} for you.`;
    return `${decidedWords(changeset)}${unsent}${others}`;
  }
  if (app.state.phase !== 'deciding') return app.state.message;
  if (changeset.needs !== '') return `${changeset.group} builds on ${changeset.needs}: decide that first.`;
  const noted =
    comments === 0
      ? ''
      : ` ${comments === 1 ? '1 comment goes' : `${comments} comments go`} along with your decision.`;
  const worded = messageHere() === undefined ? '' : ' It lands with your message.';
  return `${changeset.group} waits for you${left > 1 ? `, and ${left - 1} more` : ''}.${noted}${worded}`;
}

function disarm(): void {
  for (const button of [buttons.approve, buttons.skip]) button.classList.remove('armed');
}

function askReason(kind: Asking): void {
  asking = kind;
  asked = app.shown;
  const group = current()?.group ?? '';
  const isReject = kind === 'reject';
  byId('reason-title', HTMLHeadingElement).textContent = isReject ? `Reject ${group}` : `Approve ${group}`;
  byId('reason-help', HTMLParagraphElement).textContent = isReject
    ? describeReject()
    : 'Its diagnostics fail. The reason why it lands all the same is kept with it.';
  sendButton.textContent = isReject ? 'Reject' : 'Approve all the same';
  problem.textContent = '';
  reason.value = reasonHere();
  keepLine.hidden = !isReject;
  keep.checked = false;
  showChoice(isReject);
  dialog.showModal();
  reason.focus();
}

async function sendReason(): Promise<void> {
  const text = reason.value.trim();
  if (text === '') {
    problem.textContent = 'Say why.';
    reason.focus();
    return;
  }
  const tasks = chosenTasks();
  if (tasks?.length === 0) {
    problem.textContent = 'Choose a task that goes back, or cancel.';
    return;
  }
  const decision =
    asking === 'reject'
      ? { kind: 'reject', reason: text, comments: draftsHere(), keep: keep.checked, tasks }
      : { kind: 'approve', override: text, comments: draftsHere(), message: messageHere() };
  dialog.close();
  await decide(decision);
}

/** Between two questions the run takes no answers: what was decided then is sent again at the next one. */
async function send(path: string, decided: unknown): Promise<string> {
  for (;;) {
    const before = app.questions;
    const { problem: text, isBusy } = await post(path, decided);
    if (!isBusy) return text;
    while (app.questions === before) {
      if (app.state.phase === 'ended') return text;
      await new Promise<void>((resolve) => {
        onState = resolve;
      });
    }
  }
}

async function decide(decision: unknown): Promise<void> {
  const changeset = current();
  if (changeset === undefined) return;
  const { id, commit } = changeset;
  await tell('/api/decide', { changeset: id, commit, decision }, (shown) => {
    forgetDrafts(shown);
    if (app.shown === shown) onDecided();
  });
}

/** Puts what was suggested on top of the work, as commits of the person's own; the changeset is built again. */
export async function applySuggestions(comments: readonly Draft[]): Promise<void> {
  const changeset = current();
  if (changeset === undefined) return;
  const { id, commit } = changeset;
  const decision = { kind: 'suggest', comments };
  await tell('/api/decide', { changeset: id, commit, decision }, (shown) => dropApplied(shown, comments));
}

/** What was decided about the changeset that is shown, until something of it lands. */
export async function takeBack(): Promise<void> {
  const changeset = current();
  if (undoButton.hidden || changeset === undefined) return;
  await tell('/api/take-back', { changeset: changeset.id }, () => undefined);
}

async function tell(path: string, what: unknown, after: (shown: string) => void): Promise<void> {
  const { shown } = app;
  isSending = true;
  refusal = null;
  renderBar();
  words.textContent = 'Sending …';
  const text = await send(path, what);
  isSending = false;
  refusal = text === '' ? null : { shown, text };
  renderBar();
  if (text === '') after(shown);
}
