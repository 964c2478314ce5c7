import hljs from 'highlight.js/lib/core';
import { around } from '../../page/client/dom.ts';
import { inside, languages } from './languages.ts';

const byEnding = new Map(
  Object.entries(languages).flatMap(([name, [, ...endings]]) =>
    endings.map((ending) => [ending, name] as const),
  ),
);

/** A grammar is made when its first file is seen: all of them take longer than the page. */
function learn(name: string): void {
  const [language] = languages[name] ?? [];
  if (language === undefined || hljs.getLanguage(name) !== undefined) return;
  hljs.registerLanguage(name, language);
  for (const other of inside[name] ?? []) learn(other);
}

// Colouring is a courtesy: it must never hold up a tab, whatever an agent wrote.
const longestLine = 1_000;
const longestText = 60_000;

/** Kinds of words that have a colour of their own in review.css, as `::highlight(code-…)`. */
const kinds: Readonly<Record<string, string>> = {
  ...of('keyword', 'keyword', 'literal', 'built_in', 'selector-tag', 'meta'),
  ...of('string', 'string', 'regexp', 'char', 'addition', 'link', 'code'),
  ...of('number', 'number', 'symbol', 'bullet'),
  ...of('comment', 'comment', 'quote', 'doctag', 'deletion'),
  ...of('name', 'title', 'section', 'name', 'selector-class', 'selector-id', 'type', 'class'),
  ...of('attribute', 'attr', 'attribute', 'property', 'variable', 'template-variable', 'params'),
};

function of(kind: string, ...scopes: readonly string[]): Record<string, string> {
  return Object.fromEntries(scopes.map((scope) => [scope, kind]));
}

/** Colours the words of a part that was just drawn, when the browser has time for it. Changes no element. */
export function colourPart(part: HTMLElement): void {
  const language = languageOf(around(part, '.file')?.dataset.path ?? '');
  if (language === null || CSS.highlights === undefined) return;
  requestIdleCallback(() => {
    if (!part.isConnected) return;
    learn(language);
    // A line stands on one side or on both; each side is one text, or what spans lines would be lost.
    for (const side of ['o', 'w'] as const) colourSide(part, side, language);
    part.dataset.coloured = language;
  });
}

/** Forgets the colours of what is no longer on the page. */
export function dropColours(): void {
  for (const highlight of CSS.highlights?.values() ?? []) {
    for (const range of highlight) if (!range.startContainer.isConnected) highlight.delete(range);
  }
}

function languageOf(path: string): string | null {
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return byEnding.get(file.slice(file.lastIndexOf('.') + 1)) ?? null;
}

function colourSide(part: HTMLElement, side: 'o' | 'w', language: string): void {
  const cells = cellsOf(part, side);
  const texts = cells.map(({ textContent }) => textContent ?? '');
  if (texts.some((text) => text.length > longestLine)) return;
  const text = texts.join('\n');
  if (text.length > longestText) return;
  const words = readWords(hljs.highlight(text, { language, ignoreIllegals: true }).value);
  let [at, start] = [0, 0];
  for (const word of words) {
    while (at < cells.length && word.from >= start + (texts[at]?.length ?? 0) + 1) {
      start += (texts[at]?.length ?? 0) + 1;
      at += 1;
    }
    markWord(cells, texts, { at, start }, word);
  }
}

/** The cells of one side, in order; a line that stands on both counts for the new one alone when it is marked. */
function cellsOf(part: HTMLElement, side: 'o' | 'w'): readonly HTMLElement[] {
  const other = side === 'o' ? 'd2h-ins' : 'd2h-del';
  if (part.querySelector('table.side') !== null) {
    return [...part.querySelectorAll<HTMLElement>(`td.c.${side}:not(.d2h-emptyplaceholder)`)];
  }
  return [...part.querySelectorAll<HTMLElement>(`tr:not(.hunk):not(.comment):not(.${other}) > td.c`)];
}

interface Word {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** What highlight.js marks, by its place in the text: its answer is text, `<span class="hljs-…">` and five entities. */
function readWords(html: string): readonly Word[] {
  const words: Word[] = [];
  const open: (string | null)[] = [];
  let [length, from] = [0, 0];
  const close = (): void => {
    const kind = open.findLast((one) => one !== null);
    if (kind !== undefined && kind !== null && length > from) words.push({ from, to: length, kind });
    from = length;
  };
  for (const [piece] of html.matchAll(/<span class="([^"]*)">|<\/span>|&[#\w]+;|[^<&]+|[<&]/g)) {
    if (piece === '</span>') {
      close();
      open.pop();
    } else if (piece.startsWith('<span')) {
      close();
      const scope = /hljs-([\w-]+)/.exec(piece)?.[1] ?? '';
      open.push(kinds[scope] ?? null);
    } else length += piece.startsWith('&') && piece.endsWith(';') ? 1 : piece.length;
  }
  return words;
}

/** A word may go on over the ends of lines. */
function markWord(
  cells: readonly HTMLElement[],
  texts: readonly string[],
  { at, start }: { readonly at: number; readonly start: number },
  { from, to, kind }: Word,
): void {
  let lineStart = start;
  for (let line = at; line < cells.length && lineStart < to; line += 1) {
    const length = texts[line]?.length ?? 0;
    const cell = cells[line];
    const [first, last] = [Math.max(0, from - lineStart), Math.min(length, to - lineStart)];
    if (cell !== undefined && last > first) markRange(cell, first, last, kind);
    lineStart += length + 1;
  }
}

function markRange(cell: HTMLElement, from: number, to: number, kind: string): void {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const range = new Range();
  let passed = 0;
  let isOpen = false;
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (!isOpen && from < passed + length) {
      range.setStart(node, from - passed);
      isOpen = true;
    }
    if (isOpen && to <= passed + length) {
      range.setEnd(node, to - passed);
      highlightOf(kind).add(range);
      return;
    }
    passed += length;
  }
}

function highlightOf(kind: string): Highlight {
  const name = `code-${kind}`;
  const known = CSS.highlights.get(name);
  if (known !== undefined) return known;
  const highlight = new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}
