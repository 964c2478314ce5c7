import { keep } from './api.ts';
import { app } from './app.ts';

export interface Draft {
  readonly path: string;
  readonly side: 'old' | 'new';
  readonly line: number;
  /** The last line, where it is about several. */
  readonly to?: number | undefined;
  readonly text: string;
}

/** What was written about each changeset and not sent, kept beyond this tab. */
interface Unsent {
  readonly comments: readonly Draft[];
  readonly reason: string;
  /** What it is to land with; undefined: as proposed. */
  readonly message?: string | undefined;
}

const unsent = new Map<string, Unsent>(app.kept.drafts.map(({ changeset, ...draft }) => [changeset, draft]));
const nothing: Unsent = { comments: [], reason: '' };

/** What was written about the lines of the changeset that is shown. */
export function draftsHere(): readonly Draft[] {
  return unsentHere().comments;
}

/** What was written in the dialog of the changeset that is shown, and not sent. */
export function reasonHere(): string {
  return unsentHere().reason;
}

export function keepReason(changeset: string, reason: string): void {
  keepUnsent(changeset, { ...(unsent.get(changeset) ?? nothing), reason });
}

/** What the changeset that is shown is to land with, where that was edited. */
export function messageHere(): string | undefined {
  return unsentHere().message;
}

export function keepMessage(changeset: string, message: string | undefined): void {
  keepUnsent(changeset, { ...(unsent.get(changeset) ?? nothing), message });
}

/** After a decision that took them along. */
export function forgetDrafts(changeset: string): void {
  keepUnsent(changeset, nothing);
}

/** The draft on the same lines, in its place; without a text it is dropped. */
export function keepDraft(draft: Draft): void {
  const others = draftsHere().filter((known) => keyOfDraft(known) !== keyOfDraft(draft));
  keepUnsent(app.shown, { ...unsentHere(), comments: draft.text === '' ? others : [...others, draft] });
}

/** Names the lines that a draft is about; there is one draft for them. */
export function keyOfDraft({ path, side, line, to = line }: Omit<Draft, 'text'>): string {
  return `${side} ${line} ${to} ${path}`;
}

function unsentHere(): Unsent {
  return unsent.get(app.shown) ?? nothing;
}

function keepUnsent(changeset: string, draft: Unsent): void {
  const { comments, reason, message } = unsent.get(changeset) ?? nothing;
  if (draft.comments === comments && draft.reason === reason && draft.message === message) return;
  unsent.set(changeset, draft);
  keep({ kind: 'draft', changeset, ...draft, comments: [...draft.comments] });
}
