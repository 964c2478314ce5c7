import { formatCount } from '../../../util/format-figures.ts';
import { closestElement, createElement } from '../../page/client/page-elements.ts';
import { getHtml } from '../../page/client/server-requests.ts';
import { type HunkHeader, parseHunkHeader, renderHunkHeader } from '../split-hunks.ts';
import { showDraftComments } from './comments.ts';
import { highlightDiffPart } from './highlight-diff.ts';
import { mainElement, urlInFile } from './review-state.ts';

/** Lines shown at a time. */
const step = 20;
/** As many as are answered at once. */
const most = 5_000;

/** The head of each hunk gets buttons for the lines before it that are left out, the end of a file too. */
export function drawContextButtons(part: HTMLElement): void {
  for (const row of part.querySelectorAll<HTMLTableRowElement>('tr.hunk[data-from]')) drawButtons(row);
}

export function wireContextButtons(): void {
  mainElement.addEventListener('click', (event) => {
    const button = closestElement(event.target, 'button.more');
    const row = button?.closest('tr') ?? null;
    if (button !== null && row !== null) void show(row, button.dataset.way ?? '');
  });
}

/** The lines that are left out before a hunk; `to` null: to the end of the file. */
function gapOf({ dataset }: HTMLElement) {
  const { from, to = '', shift } = dataset;
  return { from: Number(from), to: to === '' ? null : Number(to), shift: Number(shift) };
}

function drawButtons(row: HTMLTableRowElement): void {
  const { from, to } = gapOf(row);
  const cell = row.cells[0];
  cell?.querySelector('.mores')?.remove();
  const left = to === null ? null : to - from + 1;
  const ways: readonly (readonly [way: string, text: string])[] =
    left !== null && left <= step
      ? [['all', `${formatCount(left, 'line')} more`]]
      : [
          ...(from === 1 ? [] : [['down', `↓ ${step} lines`] as const]),
          ...(to === null ? [] : [['up', `↑ ${step} lines`] as const]),
          ['all', left === null ? 'to the end' : `all ${formatCount(left, 'line')}`],
          ['file', 'whole file'],
        ];
  const buttons = ways.map(([way, text]) => {
    const button = createElement('button', 'more', text);
    button.type = 'button';
    button.dataset.way = way;
    return button;
  });
  cell?.append(createElement('span', 'mores', ...buttons.flatMap((button) => [' ', button])));
}

async function show(row: HTMLTableRowElement, way: string): Promise<void> {
  const rows =
    way === 'file'
      ? [...(closestElement(row, '.lines')?.querySelectorAll<HTMLTableRowElement>('tr.hunk[data-from]') ?? [])]
      : [row];
  for (const one of rows) {
    const { from, to } = gapOf(one);
    const end = to ?? Number.MAX_SAFE_INTEGER;
    if (way === 'up') await fill(one, { from: Math.max(from, end - step + 1), to: end, isAbove: false });
    else if (way === 'down') await fill(one, { from, to: Math.min(end, from + step - 1), isAbove: true });
    else
      while (
        one.isConnected &&
        one.dataset.from !== undefined &&
        (await fill(one, { from: gapOf(one).from, to: end, isAbove: true }))
      );
  }
}

/** Puts lines above the head of the hunk, or below it; false: there were none. */
async function fill(
  row: HTMLTableRowElement,
  { from, to, isAbove }: { readonly from: number; readonly to: number; readonly isAbove: boolean },
): Promise<boolean> {
  const gap = gapOf(row);
  const wanted = `from=${from}&to=${Math.min(to, from + most - 1)}&shift=${gap.shift}`;
  const html = await getHtml(`${urlInFile(row, 'lines')}&${wanted}`).catch(() => '');
  const holder = createElement('div', '');
  // Escaped by the server, as parts are.
  holder.innerHTML = html;
  const lines = [...holder.querySelectorAll<HTMLTableRowElement>('tbody > tr')];
  for (const line of lines) line.classList.add('extra');
  if (isAbove) {
    row.before(...lines);
    lengthen(headBefore(row), { oldCount: lines.length, newCount: lines.length });
  } else {
    row.after(...lines);
    changeHead(row, ({ oldCount, newCount }) => ({
      oldStart: from + gap.shift,
      oldCount: oldCount + lines.length,
      newStart: from,
      newCount: newCount + lines.length,
    }));
  }
  const isAll = lines.length < Math.min(to, from + most - 1) - from + 1;
  const rest = isAbove ? { from: from + lines.length, to: gap.to } : { from: gap.from, to: from - 1 };
  const part = closestElement(row, '.part');
  if (lines.length === 0 || (gap.to === null && isAll) || (rest.to !== null && rest.to < rest.from)) join(row);
  else {
    Object.assign(row.dataset, { from: String(rest.from), to: String(rest.to ?? '') });
    drawButtons(row);
  }
  if (part !== null) {
    showDraftComments(part);
    highlightDiffPart(part);
  }
  return lines.length > 0;
}

type Lengths = Pick<HunkHeader, 'oldCount' | 'newCount'>;

/** With nothing left out before it, a hunk belongs to the one before. */
function join(row: HTMLTableRowElement): void {
  const words = row.cells[0]?.firstChild;
  const own = words instanceof Text ? parseHunkHeader(words.data) : null;
  if (own !== null) lengthen(headBefore(row), own.head);
  row.remove();
}

/** null: it is the first one of its file. */
function headBefore(row: HTMLTableRowElement): HTMLTableRowElement | null {
  const heads = [...(closestElement(row, '.lines')?.querySelectorAll<HTMLTableRowElement>('tr.hunk') ?? [])];
  return heads[heads.indexOf(row) - 1] ?? null;
}

function lengthen(row: HTMLTableRowElement | null, by: Lengths): void {
  if (row === null) return;
  changeHead(row, (head) => ({
    ...head,
    oldCount: head.oldCount + by.oldCount,
    newCount: head.newCount + by.newCount,
  }));
}

function changeHead(row: HTMLTableRowElement, change: (head: HunkHeader) => HunkHeader): void {
  const words = row.cells[0]?.firstChild;
  const found = words instanceof Text ? parseHunkHeader(words.data) : null;
  if (words instanceof Text && found !== null) words.data = renderHunkHeader(change(found.head)) + found.rest;
}
