import { closestElement, whenIdle } from '../../page/client/page-elements.ts';

// Colouring must never block a tab, with any text an agent wrote.
const longestLine = 1_000;
const longestText = 60_000;
/** The longest time of one step, in milliseconds: then the browser draws and handles input. */
const turnMs = 5;

/** Colouring left to do, in steps. */
const steps: Iterator<void>[] = [];
/** The highlights of each part. */
const colours = new WeakMap<HTMLElement, (readonly [Highlight, StaticRange])[]>();

/** Colours the words of a part that was just drawn, when the browser has time for it. Changes no element. */
export function highlightDiffPart(part: HTMLElement): void {
  if (CSS.highlights === undefined) return;
  steps.push(colourInSteps(part));
  if (steps.length === 1) whenIdle(() => void takeSteps());
}

async function takeSteps(): Promise<void> {
  // Loads the languages only now: the page is there before.
  finder ??= await import('./find-words.ts').catch(() => undefined);
  const until = performance.now() + turnMs;
  while (steps.length > 0 && performance.now() < until) if (!takeStep()) steps.shift();
  if (steps.length > 0) whenIdle(() => void takeSteps());
}

/** False: its part is done, or cannot be coloured. */
function takeStep(): boolean {
  try {
    return steps[0]?.next().done === false;
  } catch {
    return false;
  }
}

let finder: typeof import('./find-words.ts') | undefined;

/** Forgets the colours of what is no longer on the page. */
export function dropUnusedHighlights(): void {
  for (const highlight of CSS.highlights?.values() ?? []) {
    for (const range of highlight) if (!range.startContainer.isConnected) highlight.delete(range);
  }
}

function* colourInSteps(part: HTMLElement): Generator<void> {
  const language = finder?.findLanguageOfPath(closestElement(part, '.file')?.dataset.path ?? '') ?? null;
  if (language === null || !part.isConnected) return;
  const ranges: (readonly [Highlight, StaticRange])[] = [];
  // A line stands on one side or on both; each side is one text, or what spans lines would be lost.
  for (const side of ['o', 'w'] as const)
    for (const hunk of hunksOf(part, side))
      for (const [kind, range] of rangesOf(hunk, language)) {
        ranges.push([highlightOf(kind), range]);
        yield;
        // Another layout was chosen meanwhile.
        if (!part.isConnected) return;
      }
  // All at once: each turn that changes a highlight repaints the part.
  for (const [highlight, range] of colours.get(part) ?? []) highlight.delete(range);
  for (const [highlight, range] of ranges) highlight.add(range);
  colours.set(part, ranges);
  part.dataset.coloured = language;
}

/** The ranges of the words of lines that follow each other, in order. */
function* rangesOf(
  cells: readonly HTMLElement[],
  language: string,
): Generator<readonly [kind: string, range: StaticRange]> {
  const texts = cells.map(({ textContent }) => textContent ?? '');
  if (texts.some((text) => text.length > longestLine)) return;
  const text = texts.join('\n');
  if (text.length > longestText) return;
  let [line, start] = [0, 0];
  let nodes = textsIn(cells[0]);
  for (const { from, to, kind } of finder?.findColouredWordsInPart(text, language) ?? []) {
    // A word may go on over the ends of lines.
    for (;;) {
      const length = texts[line]?.length ?? 0;
      const [first, last] = [Math.max(0, from - start), Math.min(length, to - start)];
      if (last > first) yield [kind, rangeIn(nodes, first, last)];
      if (to <= start + length || line + 1 >= cells.length) break;
      start += length + 1;
      line += 1;
      nodes = textsIn(cells[line]);
    }
  }
}

/** The cells of one side by hunk: what is left open in one, such as a comment, goes no further. */
function hunksOf(part: HTMLElement, side: 'o' | 'w'): readonly (readonly HTMLElement[])[] {
  const hunks: HTMLElement[][] = [[]];
  const cells = new Set(cellsOf(part, side));
  for (const row of part.querySelectorAll('tr')) {
    if (row.classList.contains('hunk')) hunks.push([]);
    for (const cell of row.cells) if (cells.has(cell)) hunks.at(-1)?.push(cell);
  }
  return hunks.filter((hunk) => hunk.length > 0);
}

/** The cells of one side, in order; a line that stands on both counts for the new one alone when it is marked. */
function cellsOf(part: HTMLElement, side: 'o' | 'w'): readonly HTMLElement[] {
  const other = side === 'o' ? 'd2h-ins' : 'd2h-del';
  if (part.querySelector('table.side') !== null) {
    return [...part.querySelectorAll<HTMLElement>(`td.c.${side}:not(.d2h-emptyplaceholder)`)];
  }
  return [...part.querySelectorAll<HTMLElement>(`tr:not(.hunk):not(.comment):not(.${other}) > td.c`)];
}

function textsIn(cell: HTMLElement | undefined): readonly Text[] {
  if (cell === undefined) return [];
  // Nearly every line is one text.
  if (cell.childElementCount === 0 && cell.firstChild instanceof Text) return [cell.firstChild];
  return listTextNodes(cell);
}

/** The texts in an element, also those of its child elements. */
export function listTextNodes(element: HTMLElement): readonly Text[] {
  const nodes: Text[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (node instanceof Text) nodes.push(node);
  return nodes;
}

/** A static one: a live one makes each change of the page slower, and there are many. */
function rangeIn(nodes: readonly Text[], first: number, last: number): StaticRange {
  const [startContainer, startOffset] = placeInNodes(nodes, first + 1);
  const [endContainer, endOffset] = placeInNodes(nodes, last);
  return new StaticRange({ startContainer, startOffset: startOffset - 1, endContainer, endOffset });
}

/** Where the text that is so long ends. */
export function placeInNodes(nodes: readonly Text[], length: number): [node: Node, offset: number] {
  let passed = 0;
  for (const node of nodes) {
    if (length <= passed + node.length) return [node, length - passed];
    passed += node.length;
  }
  throw new Error('a word ends after its line');
}

function highlightOf(kind: string): Highlight {
  const name = `code-${kind}`;
  const known = CSS.highlights.get(name);
  if (known !== undefined) return known;
  const highlight = new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}
