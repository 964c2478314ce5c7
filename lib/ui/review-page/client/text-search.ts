import { closestElement, requireElementById } from '../../page/client/page-elements.ts';
import { getJson } from '../../page/client/server-requests.ts';
import type { PatchLineMatch } from '../split-hunks.ts';
import { openChapterOf } from './file-place.ts';
import { listTextNodes, placeInNodes } from './highlight-diff.ts';
import { loadPart, toggleFileFold } from './load-file-parts.ts';
import { findLineNumberCell } from './pick-lines.ts';
import { changesetUrl, mainElement, renderViewQuery, shownChangeset } from './review-state.ts';

const bar = requireElementById('find', HTMLFormElement);
const input = requireElementById('find-text', HTMLInputElement);
const count = requireElementById('find-count', HTMLSpanElement);
const restMs = 150;

/** A line of a diff, drawn or not, or words of the page around them. */
type Place = PatchLineMatch | Range;
interface Found {
  readonly text: string;
  readonly places: readonly Place[];
  readonly count: number;
}

const nothing: Found = { text: '', places: [], count: 0 };
let found = nothing;
let at = -1;
let turn = 0;
let asking = Promise.resolve();

/** Finds in all lines of the changeset, also those that are folded or not drawn yet, and then in texts about it. */
export function wireFind(): void {
  let typing = 0;
  input.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => void search(), restMs);
  });
  bar.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(typing);
    void go(1);
  });
  bar.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') closeFind();
    else if (event.key === 'Enter' && event.shiftKey) void go(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  requireElementById('find-previous', HTMLButtonElement).addEventListener('click', () => void go(-1));
  requireElementById('find-close', HTMLButtonElement).addEventListener('click', closeFind);
  document.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'f') return;
    // Once more: the search of the browser.
    if (document.activeElement === input || document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    openFind();
  });
}

export function openFind(): void {
  bar.hidden = false;
  input.focus();
  input.select();
}

function closeFind(): void {
  bar.hidden = true;
  found = nothing;
  CSS.highlights?.delete('found');
  mainElement.querySelector('tr.found')?.classList.remove('found');
  mainElement.focus({ preventScroll: true });
}

function search(): Promise<void> {
  asking = ask(input.value);
  return asking;
}

async function ask(text: string): Promise<void> {
  turn += 1;
  const mine = turn;
  const changeset = shownChangeset.value;
  if (text === '' || changeset === undefined) {
    found = nothing;
    count.textContent = '';
    return;
  }
  const url = `${changesetUrl(changeset)}/find?${renderViewQuery()}&text=${encodeURIComponent(text)}`;
  const lines = await getJson<{ count: number; lines: readonly PatchLineMatch[] }>(url).catch(() => ({
    count: 0,
    lines: [],
  }));
  if (mine !== turn) return;
  const words = wordsAround(text);
  found = { text, places: [...lines.lines, ...words], count: words.length + lines.count };
  at = -1;
  showMatchCount();
}

/** One more or one before; what was typed since the last search is searched first. */
async function go(by: 1 | -1): Promise<void> {
  await asking;
  if (found.text !== input.value) await search();
  const { length } = found.places;
  if (length === 0) return;
  at = at === -1 && by === -1 ? length - 1 : (at + by + length) % length;
  showMatchCount();
  const place = found.places[at];
  if (place !== undefined) await show(place);
}

function showMatchCount(): void {
  const all =
    found.count === found.places.length ? `${found.count}` : `the first ${found.places.length} of ${found.count}`;
  count.textContent = found.count === 0 ? 'not found' : at === -1 ? `${all} found` : `${at + 1} of ${all}`;
}

async function show(place: Place): Promise<void> {
  mainElement.querySelector('tr.found')?.classList.remove('found');
  if (place instanceof Range) {
    const holder = place.startContainer.parentElement;
    for (
      let fold = holder?.closest('details') ?? null;
      fold !== null;
      fold = fold.parentElement?.closest('details') ?? null
    )
      fold.open = true;
    mark([place]);
    holder?.scrollIntoView({ block: 'center' });
    return;
  }
  const file = mainElement.querySelector<HTMLElement>(`.file[data-index="${place.file}"]`);
  if (file !== null) openChapterOf(file);
  if (file?.hasAttribute('data-folded')) toggleFileFold(file);
  const part = file?.querySelector<HTMLElement>(`.part[data-part="${place.part}"]`);
  if (!part) return;
  await loadPart(part);
  const row = findLineNumberCell(part, place)?.closest('tr');
  if (!row) return;
  row.classList.add('found');
  mark([...row.querySelectorAll<HTMLElement>('td.c')].flatMap((cell) => rangesIn(cell, found.text)));
  row.scrollIntoView({ block: 'center' });
}

function mark(ranges: readonly Range[]): void {
  CSS.highlights?.set('found', new Highlight(...ranges));
}

/** In texts about the changeset, the names of its files, comments, and lines that were shown on demand. */
function wordsAround(text: string): readonly Range[] {
  const blocks = mainElement.querySelectorAll<HTMLElement>(
    '.head, .warning, .since, .proof, .path .name, .why q, .said, .suggested > *, tr.extra td.c',
  );
  return [...blocks]
    .filter((block) => closestElement(block.parentElement, '.proof, .since') === null)
    .flatMap((block) => rangesIn(block, text));
}

/** Finds a text in an element, ignoring case, also across child elements. */
function rangesIn(element: HTMLElement, text: string): readonly Range[] {
  const nodes = listTextNodes(element);
  const whole = nodes
    .map(({ data }) => data)
    .join('')
    .toLowerCase();
  const ranges: Range[] = [];
  const wanted = text.toLowerCase();
  for (let start = whole.indexOf(wanted); start !== -1; start = whole.indexOf(wanted, start + wanted.length)) {
    const range = new Range();
    range.setStart(...placeInNodes(nodes, start));
    range.setEnd(...placeInNodes(nodes, start + wanted.length));
    ranges.push(range);
  }
  return ranges;
}
