import { nameLines } from '../../../domain/state/line-range.ts';
import { around, make } from '../../page/client/dom.ts';
import { main } from './app.ts';
import { type Draft, draftsHere, keepDraft, keyOfDraft } from './drafts.ts';
import { dropPicked, findNumber, type PickedLines, pathOf, wirePicking } from './pick-lines.ts';
import { applyButtons, showText, suggestButton } from './suggest.ts';

/** Lines that are chosen open a comment on them. */
export function wireComments(): void {
  wirePicking(openEditor);
}

/** Puts the drafts on a part's lines below them, and its first line number into the order of Tab. */
export function showComments(part: HTMLElement): void {
  for (const number of part.querySelectorAll<HTMLElement>('td.n')) {
    if (number.textContent !== '') number.tabIndex = -1;
  }
  const first = [...part.querySelectorAll<HTMLElement>('td.n.w, td.n.o')].find(
    (cell) => cell.tabIndex === -1,
  );
  if (first !== undefined) first.tabIndex = 0;
  const isSince = around(part, '.changeset')?.dataset.since !== undefined;
  const shown = draftsHere().filter(({ side }) => side === 'new' || !isSince);
  for (const draft of shown.filter((one) => one.path === pathOf(part, one.side))) {
    const number = findNumber(part, { side: draft.side, line: draft.to ?? draft.line });
    const isOpen = number !== null && rowBelow(number, draft)?.querySelector('textarea') != null;
    if (number !== null && !isOpen) showDraft({ ...draft, number });
  }
}

function openEditor({ number, ...lines }: PickedLines): void {
  const known = draftsHere().find((draft) => keyOfDraft(draft) === keyOfDraft(lines));
  const draft: Draft = known ?? { ...lines, text: '' };
  const old = rowBelow(number, draft);
  const opened = old?.querySelector('textarea');
  if (opened) {
    opened.focus();
    return;
  }
  old?.remove();
  closeEmptyEditors();
  const text = make('textarea', '');
  text.rows = 3;
  text.value = draft.text;
  const many = draft.to === undefined ? 'line' : 'lines';
  text.setAttribute('aria-label', `Comment on ${many} ${nameLines(draft)} of ${draft.path}`);
  const keep = make('button', '', 'Keep comment');
  const drop = make('button', '', draft.text === '' ? 'Cancel' : 'Remove');
  const row = commentRow(
    { ...draft, number },
    text,
    make('div', 'comment-tools', keep, ...suggestButton(text, draft, number), drop),
  );
  // It goes along with a decision, and outlives the tab, although it was not said that it is kept.
  text.addEventListener('input', () => keepDraft({ ...draft, text: text.value.trim() }, true));
  const close = (kept: string): void => {
    row.remove();
    keepDraft({ ...draft, text: kept.trim() }, false);
    if (kept.trim() !== '') showDraft({ ...draft, text: kept.trim(), number });
    dropPicked();
    number.focus();
  };
  keep.type = 'button';
  drop.type = 'button';
  keep.addEventListener('click', () => close(text.value));
  drop.addEventListener('click', () => close(''));
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
  for (const text of main.querySelectorAll<HTMLTextAreaElement>('tr.comment textarea'))
    if (text.value.trim() === '') text.closest('tr')?.remove();
}

function showDraft(draft: Draft & PickedLines): void {
  rowBelow(draft.number, draft)?.remove();
  const edit = make('button', '', 'Edit');
  edit.type = 'button';
  edit.addEventListener('click', () => openEditor(draft));
  const { number: _, ...plain } = draft;
  const about = draft.to === undefined ? [] : [make('p', 'quiet', `Lines ${nameLines(draft)}`)];
  commentRow(
    draft,
    ...about,
    ...showText(draft, draft.number),
    make('div', 'comment-tools', edit, ...applyButtons(plain)),
  );
}

function rowBelow(number: HTMLElement, draft: Draft): HTMLElement | null {
  const rows = number.closest('tbody')?.querySelectorAll<HTMLElement>('tr.comment') ?? [];
  return [...rows].find((row) => row.dataset.of === keyOfDraft(draft)) ?? null;
}

function commentRow({ number, ...draft }: Draft & PickedLines, ...content: readonly Node[]): HTMLElement {
  const cell = make('td', '', ...content);
  cell.colSpan = number.closest('table.side') === null ? 3 : 4;
  const row = make('tr', 'comment', cell);
  row.dataset.of = keyOfDraft(draft);
  number.closest('tr')?.after(row);
  return row;
}
