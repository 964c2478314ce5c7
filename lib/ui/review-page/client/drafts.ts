import { suggestedLines } from '../../../domain/state/suggestion.ts';
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

/** Suggestions were applied: the others go on to what is built with them, on the lines that are theirs then. */
export function dropApplied(changeset: string, applied: readonly Draft[]): void {
  const gone = new Set(applied.map(keyOfDraft));
  const { comments, ...rest } = unsent.get(changeset) ?? nothing;
  const left = comments.filter((draft) => !gone.has(keyOfDraft(draft)));
  const movedOn = left.map((draft) => {
    const before = applied.filter(({ path, line }) => path === draft.path && line < draft.line);
    const shift = draft.side === 'old' ? 0 : before.reduce((sum, one) => sum + growthOf(one), 0);
    const { line, to } = draft;
    return {
      ...draft,
      line: Math.max(1, line + shift),
      ...(to === undefined ? {} : { to: Math.max(1, to + shift) }),
    };
  });
  keepUnsent(changeset, { ...rest, comments: movedOn });
  goingOn.add(changeset);
}

/** How many lines more a suggestion makes of those it is about. */
function growthOf({ line, to = line, text }: Draft): number {
  return (suggestedLines(text)?.length ?? 0) - (to - line + 1);
}

/** Changesets that are built again with what was applied: the next one of that id has their drafts. */
const goingOn = new Set<string>();

/** Whether it was built again with what was applied on this page, and not shown yet. */
export function isBuiltAgain(key: string): boolean {
  const id = key.slice(0, key.lastIndexOf('/'));
  return [...goingOn].some((former) => former !== key && former.startsWith(`${id}/`));
}

/** What was left when the changeset that is shown was built again. */
function takeOver(): void {
  const id = app.shown.slice(0, app.shown.lastIndexOf('/'));
  const former = [...goingOn].find((key) => key !== app.shown && key.startsWith(`${id}/`));
  const left = former === undefined ? undefined : unsent.get(former);
  if (former === undefined || left === undefined) return;
  goingOn.delete(former);
  keepUnsent(former, nothing);
  keepUnsent(app.shown, left);
}

/** Names the lines that a draft is about; there is one draft for them. */
export function keyOfDraft({ path, side, line, to = line }: Omit<Draft, 'text'>): string {
  return `${side} ${line} ${to} ${path}`;
}

function unsentHere(): Unsent {
  if (goingOn.size > 0 && !unsent.has(app.shown)) takeOver();
  return unsent.get(app.shown) ?? nothing;
}

function keepUnsent(changeset: string, draft: Unsent): void {
  const { comments, reason, message } = unsent.get(changeset) ?? nothing;
  if (draft.comments === comments && draft.reason === reason && draft.message === message) return;
  unsent.set(changeset, draft);
  keep({ kind: 'draft', changeset, ...draft, comments: [...draft.comments] });
}
