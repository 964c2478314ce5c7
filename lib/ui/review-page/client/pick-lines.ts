import { closestElement } from '../../page/client/page-elements.ts';
import type { DraftComment } from './drafts.ts';
import { mainElement } from './review-state.ts';

/** Lines a person chose, with the number of the last one. */
export interface PickedLines extends Omit<DraftComment, 'text'> {
  readonly number: HTMLElement;
}

/** Where a range begins; null: one line alone is meant. */
let anchor: HTMLElement | null = null;
let isDragging = false;

/**
 * Line numbers are chosen by click, Enter or c; several by drag, with Shift and a click, or with Shift and the arrows,
 * which lead from one number to the next.
 */
export function wireLinePicking(onPicked: (picked: PickedLines) => void): void {
  const pick = (number: HTMLElement): void => {
    const picked = linesTo(number);
    if (picked === null) return;
    showPicked(number);
    onPicked(picked);
  };
  mainElement.addEventListener('mousedown', (event) => {
    const number = numberAt(event.target);
    if (number === null || event.button !== 0) return;
    // The text is not to be marked.
    event.preventDefault();
    isDragging = !event.shiftKey;
    if (isDragging) anchor = number;
  });
  mainElement.addEventListener('mouseover', (event) => {
    const number = isDragging ? numberAt(event.target) : null;
    if (number !== null && number !== anchor) showPicked(number);
  });
  document.addEventListener('mouseup', (event) => {
    const number = isDragging ? numberAt(event.target) : null;
    isDragging = false;
    // On the number where it began it is a click.
    if (number !== null && anchor !== null && number !== anchor) pick(number);
  });
  mainElement.addEventListener('click', (event) => {
    const number = numberAt(event.target);
    if (number === null) {
      if (event.pointerType === 'touch') offerComment(event.target);
      return;
    }
    if (!event.shiftKey) anchor = number;
    pick(number);
  });
  mainElement.addEventListener('keydown', (event) => {
    const number = closestElement(event.target, 'td.n');
    if (number === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (mainElement.querySelector('tr.picked') === null) anchor = number;
    if (event.key === 'Enter' || event.key === ' ' || event.key === 'c') pick(number);
    else if (event.key === 'ArrowDown') moveFocus(number, 1, event.shiftKey);
    else if (event.key === 'ArrowUp') moveFocus(number, -1, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** A finger doesn't hover: a touched line shows the control that opens a comment on it. */
function offerComment(target: EventTarget | null): void {
  const cell = closestElement(target, 'td.c');
  const row = cell?.closest('tr');
  const numbers = [...(row?.querySelectorAll<HTMLElement>('td.n:not(:empty)') ?? [])];
  const beside = numbers.find((number) => number.nextElementSibling === cell);
  (beside ?? numbers.at(-1))?.focus({ preventScroll: true });
}

/** No lines are marked any more; a click with Shift still goes on from the last one without. */
export function unmarkPickedLines(): void {
  for (const row of mainElement.querySelectorAll('tr.picked')) row.classList.remove('picked');
}

/** The number of a line on a side, among some rows; null: it is not there. */
export function findLineNumberCell(
  rows: ParentNode,
  { side, line }: Pick<DraftComment, 'side' | 'line'>,
): HTMLElement | null {
  return [...numbersOf(rows, side)].find((cell) => cell.textContent === String(line)) ?? null;
}

/** A file that was moved had another name on its old side. */
export function findPathOnSide(node: Element, side: DraftComment['side']): string {
  const { path, oldPath } = closestElement(node, '.file')?.dataset ?? {};
  return (side === 'old' ? oldPath : path) ?? '';
}

function numbersOf(rows: ParentNode, side: DraftComment['side']): NodeListOf<HTMLElement> {
  return rows.querySelectorAll<HTMLElement>(side === 'old' ? 'td.n.o' : 'td.n.w');
}

function numberAt(target: EventTarget | null): HTMLElement | null {
  const number = closestElement(target, 'td.n');
  return number === null || number.textContent === '' ? null : number;
}

/** From where the range begins to this line; null: they can't be commented on here. */
function linesTo(end: HTMLElement): PickedLines | null {
  const single = numberCell(end);
  // Its old side is what was seen last, with line numbers that no reader of the comment has.
  const isSince = closestElement(end, '.changeset')?.dataset.since !== undefined;
  const sides = isSince ? (['new'] as const) : ([sideOf(single), sideOf(single) === 'old' ? 'new' : 'old'] as const);
  for (const side of sides) {
    const ends = [anchor, end].map((cell) => cell && numberOn(cell, side));
    const [from, to] = ends;
    if (!from || !to || closestElement(from, '.lines') !== closestElement(to, '.lines')) continue;
    const [line, last] = [Number(from.textContent), Number(to.textContent)];
    if (line === last) break;
    const range = { line: Math.min(line, last), to: Math.max(line, last) };
    return { path: findPathOnSide(end, side), side, ...range, number: line < last ? to : from };
  }
  if (isSince && sideOf(single) === 'old') return null;
  const side = sideOf(single);
  return { path: findPathOnSide(single, side), side, line: Number(single.textContent), number: single };
}

/** A context line stands on both sides: its comments go to the new side. */
function numberCell(number: HTMLElement): HTMLElement {
  const isRemoved = (number.closest('tr')?.className ?? '').includes('d2h-del');
  if (sideOf(number) === 'new' || isRemoved || number.classList.contains('d2h-del')) return number;
  return numberOn(number, 'new') ?? number;
}

/** The number's line on a side; null where it is not there. */
function numberOn(number: HTMLElement, side: DraftComment['side']): HTMLElement | null {
  if (sideOf(number) === side) return number;
  const row = number.closest('tr');
  // Side by side, a line that was changed stands beside another one.
  const isPaired = number.classList.contains('d2h-del') || number.classList.contains('d2h-ins');
  const [other] = row === null || isPaired ? [] : numbersOf(row, side);
  return other === undefined || other.textContent === '' ? null : other;
}

function sideOf(number: HTMLElement): DraftComment['side'] {
  return number.classList.contains('o') ? 'old' : 'new';
}

/** Over the end of a part into the next one that is loaded. */
function moveFocus(number: HTMLElement, by: 1 | -1, isRange: boolean): void {
  const column = sideOf(number) === 'old' ? 'td.n.o' : 'td.n.w';
  const all = [...(number.closest('.lines')?.querySelectorAll<HTMLElement>(`${column}[tabindex]`) ?? [])];
  const next = all[all.indexOf(number) + by];
  if (next === undefined) return;
  if (!isRange) unmarkPickedLines();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
  if (isRange) showPicked(next);
}

function showPicked(end: HTMLElement): void {
  for (const row of mainElement.querySelectorAll('tr.picked')) row.classList.remove('picked');
  const picked = linesTo(end);
  const rows = closestElement(end, '.lines');
  if (picked === null || rows === null) return;
  const { side, line, to = line } = picked;
  for (const cell of numbersOf(rows, side)) {
    const at = Number(cell.textContent);
    if (cell.textContent !== '' && at >= line && at <= to) cell.closest('tr')?.classList.add('picked');
  }
}
