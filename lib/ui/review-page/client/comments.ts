import {
  parseSuggestedLines,
  renderLineRange,
  renderSuggestionComment,
  stripSuggestion,
} from '../../../domain/state/line-range.ts';
import { closestElement, createButton, createElement } from '../../page/client/page-elements.ts';
import { type DraftComment, draftCommentKey, listShownDraftComments, saveDraftComment } from './drafts.ts';
import {
  findLineNumberCell,
  findPathOnSide,
  type PickedLines,
  unmarkPickedLines,
  wireLinePicking,
} from './pick-lines.ts';
import { mainElement, shownChangeset } from './review-state.ts';
import { sendSuggestions } from './send-decision.ts';

/** Lines that are chosen open a comment on them. */
export function wireComments(): void {
  wireLinePicking(openEditor);
}

/** Puts the drafts on a part's lines below them, and its first line number into the order of Tab. */
export function showDraftComments(part: HTMLElement): void {
  for (const number of part.querySelectorAll<HTMLElement>('td.n')) {
    if (number.textContent !== '') number.tabIndex = -1;
  }
  const first = [...part.querySelectorAll<HTMLElement>('td.n.w, td.n.o')].find((cell) => cell.tabIndex === -1);
  if (first !== undefined) first.tabIndex = 0;
  const isSince = closestElement(part, '.changeset')?.dataset.since !== undefined;
  const shown = listShownDraftComments().filter(({ side }) => side === 'new' || !isSince);
  for (const draft of shown.filter((one) => one.path === findPathOnSide(part, one.side))) {
    const number = findLineNumberCell(part, { side: draft.side, line: draft.to ?? draft.line });
    const isOpen = number !== null && rowBelow(number, draft)?.querySelector('textarea') != null;
    if (number !== null && !isOpen) showDraft({ ...draft, number });
  }
}

function openEditor({ number, ...lines }: PickedLines): void {
  const known = listShownDraftComments().find((draft) => draftCommentKey(draft) === draftCommentKey(lines));
  const draft: DraftComment = known ?? { ...lines, text: '' };
  const old = rowBelow(number, draft);
  const opened = old?.querySelector('textarea');
  if (opened) {
    opened.focus();
    return;
  }
  old?.remove();
  closeEmptyEditors();
  const text = createElement('textarea', '');
  text.rows = 3;
  text.value = draft.text;
  const many = draft.to === undefined ? 'line' : 'lines';
  text.setAttribute('aria-label', `Comment on ${many} ${renderLineRange(draft)} of ${draft.path}`);
  const keep = createButton('Add comment', () => close(text.value));
  const drop = createButton(draft.text === '' ? 'Cancel' : 'Delete', () => close(''));
  const row = commentRow(
    { ...draft, number },
    text,
    createElement('div', 'comment-tools', keep, ...suggestButton(text, draft, number), drop),
  );
  // It goes along with a decision, and outlives the tab, although it was not said that it is kept.
  text.addEventListener('input', () => saveDraftComment({ ...draft, text: text.value.trim() }, true));
  const close = (kept: string): void => {
    row.remove();
    saveDraftComment({ ...draft, text: kept.trim() }, false);
    if (kept.trim() !== '') showDraft({ ...draft, text: kept.trim(), number });
    unmarkPickedLines();
    number.focus();
  };
  text.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close(draft.text);
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) close(text.value);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  text.focus();
}

/** Such as that of the line from which a range was drawn then. */
function closeEmptyEditors(): void {
  for (const text of mainElement.querySelectorAll<HTMLTextAreaElement>('tr.comment textarea'))
    if (text.value.trim() === '') text.closest('tr')?.remove();
}

function showDraft(draft: DraftComment & PickedLines): void {
  rowBelow(draft.number, draft)?.remove();
  const { number: _, ...plain } = draft;
  const about = draft.to === undefined ? [] : [createElement('p', 'quiet', `Lines ${renderLineRange(draft)}`)];
  commentRow(
    draft,
    ...about,
    ...showText(draft, draft.number),
    createElement(
      'div',
      'comment-tools',
      createButton('Edit', () => openEditor(draft)),
      createButton('Delete', () => deleteDraft(draft)),
      ...applyButtons(plain),
    ),
  );
}

/** What was written can be had back until its place is drawn again. */
function deleteDraft(draft: DraftComment & PickedLines): void {
  const { number, ...plain } = draft;
  saveDraftComment({ ...plain, text: '' }, false);
  rowBelow(number, draft)?.remove();
  const undo = createButton('Undo', () => {
    saveDraftComment(plain, false);
    showDraft(draft);
    rowBelow(number, draft)?.querySelector('button')?.focus();
  });
  commentRow(draft, createElement('div', 'comment-tools', createElement('span', 'quiet', 'Comment deleted.'), undo));
  undo.focus();
}

function rowBelow(number: HTMLElement, draft: DraftComment): HTMLElement | null {
  const rows = number.closest('tbody')?.querySelectorAll<HTMLElement>('tr.comment') ?? [];
  return [...rows].find((row) => row.dataset.of === draftCommentKey(draft)) ?? null;
}

function commentRow({ number, ...draft }: DraftComment & PickedLines, ...content: readonly Node[]): HTMLElement {
  const cell = createElement('td', '', ...content);
  cell.colSpan = number.closest('table.side') === null ? 3 : 4;
  const row = createElement('tr', 'comment', cell);
  row.dataset.of = draftCommentKey(draft);
  number.closest('tr')?.after(row);
  return row;
}

/** Offers the commented lines for editing, as a suggestion; none for lines that are gone. */
function suggestButton(text: HTMLTextAreaElement, draft: DraftComment, number: HTMLElement): readonly HTMLElement[] {
  if (draft.side === 'old') return [];
  const button = createButton('Suggest changes', () => {
    const before = text.value.trimEnd();
    // One comment suggests once.
    if (parseSuggestedLines(before) !== null) {
      text.focus();
      return;
    }
    const lines = linesOf(draft, number);
    if (lines === null) {
      button.replaceWith(
        createElement(
          'span',
          'quiet',
          'One of these lines has characters that this page replaces, so it can’t be edited here.',
        ),
      );
      text.focus();
      return;
    }
    text.value = `${before === '' ? '' : `${before}\n`}${renderSuggestionComment(lines)}`;
    text.rows = Math.min(20, text.value.split('\n').length + 1);
    text.dispatchEvent(new Event('input'));
    text.focus();
  });
  return [button];
}

/** Shows a comment; a suggestion as the lines that go and those that come. */
function showText(draft: DraftComment, number: HTMLElement): readonly HTMLElement[] {
  const lines = draft.side === 'old' ? null : parseSuggestedLines(draft.text);
  if (lines === null) return [createElement('div', 'said', draft.text)];
  const words = stripSuggestion(draft.text);
  const were = linesOf(draft, number) ?? [];
  const suggested = createElement(
    'div',
    'suggested',
    ...were.map((line) => createElement('del', '', line)),
    ...lines.map((line) => createElement('ins', '', line)),
  );
  return [...(words === '' ? [] : [createElement('div', 'said', words)]), suggested];
}

/** Buttons to apply the person's own suggestion, alone or with all others. */
function applyButtons(draft: DraftComment): readonly HTMLElement[] {
  const all = listShownDraftComments().filter(isSuggestion);
  if (!isSuggestion(draft) || shownChangeset.value?.state !== 'waiting') return [];
  const one = createButton('Apply as my commit', () => void sendSuggestions([draft]));
  const every = createButton(
    `Apply all ${all.length}`,
    () => void sendSuggestions(listShownDraftComments().filter(isSuggestion)),
  );
  return all.length < 2 ? [one] : [one, every];
}

function isSuggestion({ side, text }: DraftComment): boolean {
  return side === 'new' && parseSuggestedLines(text) !== null;
}

// Marks of a page behind a line's end: a suggestion changes neither.
const ending = /(?:⟦CR⟧)?(?:⟦no newline at the end⟧)?$/;

/** As they are now; null where one of them is not shown as it is. */
function linesOf({ side, line, to = line }: DraftComment, number: HTMLElement): readonly string[] | null {
  const rows = closestElement(number, '.lines');
  const lines: string[] = [];
  for (let at = line; rows !== null && at <= to; at += 1) {
    const cells = findLineNumberCell(rows, { side, line: at })?.closest('tr')?.querySelectorAll<HTMLElement>('td.c');
    const text = [...(cells ?? [])].at(-1)?.textContent?.replace(ending, '') ?? null;
    if (text === null || text.includes('⟦')) return null;
    lines.push(text);
  }
  return lines;
}
