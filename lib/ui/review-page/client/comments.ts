import { around, make } from '../../page/client/dom.ts';
import { keep } from './api.ts';
import { app, main } from './app.ts';

interface Draft {
  readonly path: string;
  readonly side: 'old' | 'new';
  readonly line: number;
  readonly text: string;
}

/** What was written about each changeset and not sent, kept beyond this tab. */
interface Unsent {
  readonly comments: readonly Draft[];
  readonly reason: string;
}

const unsent = new Map<string, Unsent>(app.kept.drafts.map(({ changeset, ...draft }) => [changeset, draft]));
const nothing: Unsent = { comments: [], reason: '' };
let onChange = (): void => undefined;

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

/** After a decision that took them along. */
export function forgetDrafts(changeset: string): void {
  keepUnsent(changeset, nothing);
}

function unsentHere(): Unsent {
  return unsent.get(app.shown) ?? nothing;
}

function keepUnsent(changeset: string, draft: Unsent): void {
  const { comments, reason } = unsent.get(changeset) ?? nothing;
  if (draft.comments === comments && draft.reason === reason) return;
  unsent.set(changeset, draft);
  keep({ kind: 'draft', changeset, comments: [...draft.comments], reason: draft.reason });
}

/** Line numbers open a comment, by click, Enter or c; arrows lead from one to the next. */
export function wireComments(changed: () => void): void {
  onChange = changed;
  main.addEventListener('click', (event) => {
    const number = around(event.target, 'td.n');
    if (number !== null && number.textContent !== '') openEditor(number);
  });
  main.addEventListener('keydown', (event) => {
    const number = around(event.target, 'td.n');
    if (number === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ' || event.key === 'c') openEditor(number);
    else if (event.key === 'ArrowDown') moveFocus(number, 1);
    else if (event.key === 'ArrowUp') moveFocus(number, -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
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
    const number = findNumber(part, draft);
    if (number !== null) showDraft(number, draft);
  }
}

function findNumber(part: HTMLElement, { side, line }: Draft): HTMLElement | null {
  const cells = part.querySelectorAll<HTMLElement>(side === 'old' ? 'td.n.o' : 'td.n.w');
  return [...cells].find((cell) => cell.textContent === String(line)) ?? null;
}

/** A file that was moved had another name on its old side. */
function pathOf(node: Element, side: Draft['side']): string {
  const { path, oldPath } = around(node, '.file')?.dataset ?? {};
  return (side === 'old' ? oldPath : path) ?? '';
}

function draftAt(number: HTMLElement): Draft {
  const side = number.classList.contains('o') ? 'old' : 'new';
  const line = Number(number.textContent);
  const path = pathOf(number, side);
  const known = draftsHere().find(
    (draft) => draft.path === path && draft.side === side && draft.line === line,
  );
  return known ?? { path, side, line, text: '' };
}

/** A context line stands on both sides: what is said of it is said of the new one. */
function meantNumber(number: HTMLElement): HTMLElement {
  const row = number.closest('tr');
  if (!number.classList.contains('o') || row === null || row.className.includes('d2h-del')) return number;
  if (number.classList.contains('d2h-del')) return number;
  const other = row.querySelector<HTMLElement>('td.n.w');
  return other !== null && other.textContent !== '' ? other : number;
}

function openEditor(clicked: HTMLElement): void {
  const number = meantNumber(clicked);
  // Its old side is what was seen last, with line numbers that no reader of the comment has.
  if (number.classList.contains('o') && around(number, '.changeset')?.dataset.since !== undefined) return;
  const draft = draftAt(number);
  const old = rowBelow(number, draft);
  if (old?.querySelector('textarea') !== null && old !== null) return;
  old?.remove();
  const text = make('textarea', '');
  text.rows = 3;
  text.value = draft.text;
  text.setAttribute('aria-label', `Comment on line ${draft.line} of ${draft.path}`);
  const keep = make('button', '', 'Keep comment');
  const drop = make('button', '', draft.text === '' ? 'Cancel' : 'Remove');
  const row = commentRow(number, draft, text, make('div', 'comment-tools', keep, drop));
  const close = (kept: string): void => {
    row.remove();
    save({ ...draft, text: kept.trim() });
    if (kept.trim() !== '') showDraft(number, { ...draft, text: kept.trim() });
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

function showDraft(number: HTMLElement, draft: Draft): void {
  rowBelow(number, draft)?.remove();
  const edit = make('button', '', 'Edit');
  edit.type = 'button';
  edit.addEventListener('click', () => openEditor(number));
  commentRow(number, draft, make('div', 'said', draft.text), make('div', 'comment-tools', edit));
}

function rowKey({ side, line }: Draft): string {
  return `${side} ${line}`;
}

function rowBelow(number: HTMLElement, draft: Draft): HTMLElement | null {
  const rows = number.closest('tbody')?.querySelectorAll<HTMLElement>('tr.comment') ?? [];
  return [...rows].find((row) => row.dataset.of === rowKey(draft)) ?? null;
}

function commentRow(number: HTMLElement, draft: Draft, ...content: readonly Node[]): HTMLElement {
  const cell = make('td', '', ...content);
  cell.colSpan = number.closest('table.side') === null ? 3 : 4;
  const row = make('tr', 'comment', cell);
  row.dataset.of = rowKey(draft);
  number.closest('tr')?.after(row);
  return row;
}

function save(draft: Draft): void {
  const others = draftsHere().filter((known) => known.path !== draft.path || rowKey(known) !== rowKey(draft));
  keepUnsent(app.shown, { ...unsentHere(), comments: draft.text === '' ? others : [...others, draft] });
  onChange();
}

/** Over the end of a part into the next one that is loaded. */
function moveFocus(number: HTMLElement, by: 1 | -1): void {
  const column = number.classList.contains('o') ? 'td.n.o' : 'td.n.w';
  const all = [...(number.closest('.lines')?.querySelectorAll<HTMLElement>(`${column}[tabindex]`) ?? [])];
  const next = all[all.indexOf(number) + by];
  if (next === undefined) return;
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}
