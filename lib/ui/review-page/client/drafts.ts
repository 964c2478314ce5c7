import { signal } from '@preact/signals';
import type { LineComment } from '../../../domain/state/line-comment.ts';
import { parseSuggestedLines } from '../../../domain/state/line-range.ts';
import type { FormDrafts } from '../../page/client/answer-form.tsx';
import { kept, saveUnfinishedReview, shownChangesetKey } from './review-state.ts';

export type DraftComment = Omit<LineComment, 'excerpt'>;

/** Unsent text about a changeset, kept beyond this tab. */
interface Unsent {
  readonly comments: readonly DraftComment[];
  /** In forms of answers, by field. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The tab's storage holds here what the server may not have received before the page is loaded again. */
const leftKey = 'unsent';
const unsent = signal<ReadonlyMap<string, Unsent>>(
  new Map([...kept.drafts.map(({ changeset, ...draft }): [string, Unsent] => [changeset, draft]), ...takeLeft()]),
);
const nothing: Unsent = { comments: [], texts: {} };
/** After so long without a key, what was typed is kept beyond this tab. */
const restMs = 300;
const toKeep = new Set<string>();
/** Changesets whose drafts were changed in this tab. */
const changed = new Set<string>();
let resting = 0;
addEventListener('pagehide', () => {
  keepAll();
  const left = [...changed].map((changeset) => [changeset, unsentOf(changeset)]);
  if (left.length > 0) sessionStorage.setItem(leftKey, JSON.stringify(left));
});

/** Drafts on lines of the changeset that is shown. */
export function listShownDraftComments(): readonly DraftComment[] {
  return unsentOf(shownChangesetKey.value).comments;
}

/** Whether something that was written about it has not been sent. */
export function hasShownDrafts(): boolean {
  const { comments, texts } = unsentOf(shownChangesetKey.value);
  return comments.length + Object.keys(texts).length > 0;
}

/** Drafts in the forms of its answers. */
export function formDraftsOfChangeset(changeset: string): FormDrafts {
  return {
    get: (field) => unsentOf(changeset).texts[field],
    set: (field, text) => {
      const { [field]: _, ...others } = unsentOf(changeset).texts;
      const texts = text === undefined ? others : { ...others, [field]: text };
      keepUnsent(changeset, { ...unsentOf(changeset), texts }, restMs);
    },
  };
}

/** After a decision that took them along. */
export function forgetDrafts(changeset: string): void {
  keepUnsent(changeset, nothing);
}

/** The draft on the same lines, in its place; without a text it is dropped. `isTyping`: more may come. */
export function saveDraftComment(draft: DraftComment, isTyping: boolean): void {
  const others = listShownDraftComments().filter((known) => draftCommentKey(known) !== draftCommentKey(draft));
  const comments = draft.text === '' ? others : [...others, draft];
  keepUnsent(shownChangesetKey.value, { ...unsentOf(shownChangesetKey.value), comments }, isTyping ? restMs : 0);
}

/** Changesets that are built again with the suggestions of each: the next one of that id has their other drafts. */
const goingOn = new Map<string, readonly DraftComment[]>();

/** Marks suggestions as being applied: the new changeset may arrive before the reply that they were. */
export function markSuggestionsApplying(changeset: string, applied: readonly DraftComment[]): void {
  goingOn.set(changeset, applied);
}

export function finishApplyingSuggestions(changeset: string, wasRefused: boolean): void {
  const applied = goingOn.get(changeset);
  if (wasRefused) goingOn.delete(changeset);
  else if (applied !== undefined) {
    keepUnsent(changeset, withoutApplied(unsentOf(changeset), applied));
    goingOn.set(changeset, []);
  }
}

/** The others, on the lines that are theirs then. */
function withoutApplied({ comments, ...rest }: Unsent, applied: readonly DraftComment[]): Unsent {
  const gone = new Set(applied.map(draftCommentKey));
  const left = comments.filter((draft) => !gone.has(draftCommentKey(draft)));
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
  return { ...rest, comments: movedOn };
}

/** How many lines more a suggestion makes of those it is about. */
function growthOf({ line, to = line, text }: DraftComment): number {
  return (parseSuggestedLines(text)?.length ?? 0) - (to - line + 1);
}

/** The one that was built again as this one, with what was applied on this page, and is not shown yet. */
export function findFormerChangesetKey(key: string): string | undefined {
  const id = key.slice(0, key.lastIndexOf('/'));
  return [...goingOn.keys()].find((former) => former !== key && former.startsWith(`${id}/`));
}

/** Hands on what was left when the changeset that is shown now was built again. */
export function moveDraftsToRebuilt(): void {
  const former = findFormerChangesetKey(shownChangesetKey.value);
  if (former === undefined) return;
  const left = withoutApplied(unsentOf(former), goingOn.get(former) ?? []);
  goingOn.delete(former);
  keepUnsent(former, nothing);
  keepUnsent(shownChangesetKey.value, left);
}

/** Names the lines that a draft is about; there is one draft for them. */
export function draftCommentKey({ path, side, line, to = line }: Omit<DraftComment, 'text'>): string {
  return `${side} ${line} ${to} ${path}`;
}

function unsentOf(changeset: string): Unsent {
  return unsent.value.get(changeset) ?? nothing;
}

function keepUnsent(changeset: string, draft: Unsent, pauseMs = 0): void {
  if (draft === nothing && !unsent.value.has(changeset)) return;
  unsent.value = new Map(unsent.value).set(changeset, draft);
  toKeep.add(changeset);
  changed.add(changeset);
  clearTimeout(resting);
  resting = setTimeout(keepAll, pauseMs);
}

function keepAll(): void {
  for (const changeset of toKeep) {
    const { comments, texts } = unsentOf(changeset);
    saveUnfinishedReview({ kind: 'draft', changeset, comments: [...comments], texts });
  }
  toKeep.clear();
}

/** A request sent while the page was left may arrive after the new page was asked for. */
function takeLeft(): [string, Unsent][] {
  const left = sessionStorage.getItem(leftKey);
  sessionStorage.removeItem(leftKey);
  return left === null ? [] : JSON.parse(left);
}
