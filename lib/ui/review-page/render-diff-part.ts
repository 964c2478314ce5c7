import { html } from 'diff2html';
import { type DiffFile, type DiffLine, LineType } from 'diff2html/lib/types.js';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Patch, PatchFile, PatchLine, PatchView } from '../../domain/state/patch.ts';
import { escapeHtml, markControlCharacters } from '../page/escape-html.ts';
import { toPrintableDiffLine } from '../text/printable-text.ts';
import type { PageSource, ReviewPagePreferences } from './page-facts.ts';
import { findLinesAfterHunk, type HunkPiece, renderHunkHeader, splitHunksIntoParts } from './split-hunks.ts';

// None of them can be in a line: control characters have been replaced before.
const endOfRow = '\u0002';
const endOfSide = '\u0003';
const endOfHunk = '\u0004';
const side = '\u0005';

/** Which lines that are left out are marked, to be asked for: none, those before each hunk, those at the end too. */
type Gaps = 'none' | 'between' | 'all';
type Layout = ReviewPagePreferences['layout'];

/**
 * Hunks as rows of tables, by line or side by side. Throws an Error unless each line given is a row of the result:
 * what diff2html is asked to draw is what it drew.
 */
export function renderHunksAsHtml(hunks: readonly HunkPiece[], layout: Layout, gaps: Gaps = 'none'): string {
  const drawn = html(hunks.map(toFile), {
    outputFormat: layout === 'side' ? 'side-by-side' : 'line-by-line',
    drawFileList: false,
    matching: 'none',
    maxLineLengthHighlight: 2_000,
    rawTemplates: { ...templates, 'generic-line': lineTemplates[layout] },
  });
  requireEveryLine(hunks, drawn);
  const rows = drawn
    .split(endOfHunk)
    .map((lines, at) => renderHead(hunks[at], layout, gaps) + (layout === 'side' ? joinSides(lines) : lines))
    .join('');
  return `<table class="${layout}">${columns[layout]}<tbody>${markHidden(rows)}${gaps === 'all' ? lastGap(hunks, layout) : ''}</tbody></table>`;
}

// The widths of a table are those of its first row, which spans them all.
const columns = {
  line: '<colgroup><col class="n"><col class="n"><col></colgroup>',
  side: '<colgroup><col class="n"><col><col class="n"><col></colgroup>',
} as const;

function toFile({ oldStart, newStart, lines }: HunkPiece): DiffFile {
  let [oldNumber, newNumber] = [oldStart, newStart];
  const toLine = (line: PatchLine): DiffLine => {
    const mark = line.isUnended ? '⟦no newline at the end⟧' : '';
    const content = `${signs[line.kind]}${toPrintableDiffLine(markControlCharacters(line.text))}${mark}`;
    switch (line.kind) {
      case 'insert':
        return { type: LineType.INSERT, oldNumber: undefined, newNumber: newNumber++, content };
      case 'delete':
        return { type: LineType.DELETE, oldNumber: oldNumber++, newNumber: undefined, content };
      case 'context':
        return { type: LineType.CONTEXT, oldNumber: oldNumber++, newNumber: newNumber++, content };
    }
  };
  return {
    oldName: 'file',
    newName: 'file',
    language: '',
    isCombined: false,
    isGitDiff: true,
    addedLines: 0,
    deletedLines: 0,
    blocks: [{ oldStartLine: oldStart, newStartLine: newStart, header: '', lines: lines.map(toLine) }],
  };
}

const signs = { insert: '+', delete: '-', context: ' ' } as const;

// Short ones: a row is about as long as its line, and the browser has as much less to do.
const templates = {
  'generic-wrapper': '{{{content}}}',
  'generic-empty-diff': '',
  'generic-block-header': '',
  'line-by-line-file-diff': `{{{diffs}}}${endOfHunk}`,
  'line-by-line-numbers': '<td class="n o">{{oldNumber}}</td><td class="n w">{{newNumber}}</td>',
  'side-by-side-file-diff': `{{{diffs.left}}}${endOfSide}{{{diffs.right}}}${endOfHunk}`,
};
const lineTemplates = {
  line: '<tr class="{{type}}">{{{lineNumber}}}<td class="c">{{{content}}}</td></tr>',
  side: `<td class="n ${side} {{type}}">{{lineNumber}}</td><td class="c ${side} {{type}}">{{{content}}}</td>${endOfRow}`,
} as const;

/** Both sides as one table, so that wrapped lines stay beside each other. */
function joinSides(drawn: string): string {
  const [left = [], right = []] = drawn.split(endOfSide).map((cells) => cells.split(endOfRow).slice(0, -1));
  return left
    .map((cells, at) => `<tr>${cells.replaceAll(side, 'o')}${(right[at] ?? '').replaceAll(side, 'w')}</tr>`)
    .join('\n');
}

function requireEveryLine(hunks: readonly HunkPiece[], drawn: string): void {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  for (const [kind, name] of [
    ['insert', 'd2h-ins'],
    ['delete', 'd2h-del'],
  ] as const) {
    const wanted = lines.filter((line) => line.kind === kind).length;
    const found = [`<tr class="${name}`, `<td class="c ${side} ${name}`].map((row) => drawn.split(row).length - 1);
    if (Math.max(...found) !== wanted)
      throw new Error(`${wanted} lines (${kind}) were to be drawn, and ${Math.max(...found)} were`);
  }
}

/** Marks characters that were made visible. */
function markHidden(rows: string): string {
  return rows.replace(/⟦[^⟧<]{1,30}⟧/g, '<span class="x">$&</span>');
}

/** The head of a hunk says which lines before it are left out, by their numbers on the new side; '' where it goes on. */
function renderHead(hunk: HunkPiece | undefined, layout: Layout, gaps: Gaps): string {
  if (hunk === undefined || hunk.isContinued) return '';
  const { gapFrom, oldStart, newStart, heading } = hunk;
  const gap = { from: gapFrom, to: newStart - 1, shift: oldStart - newStart };
  const words = escapeHtml(`${renderHunkHeader(hunk)} ${toPrintableDiffLine(markControlCharacters(heading))}`);
  return `<tr class="hunk"${gaps === 'none' || gap.to < gap.from ? '' : nameGap(gap)}><td colspan="${spans[layout]}">${words}</td></tr>`;
}

const spans = { line: 3, side: 4 } as const;
/** As git shows around what changed. */
const linesAround = 3;

/** How far it goes is not known: the diff ends before. */
function lastGap(hunks: readonly HunkPiece[], layout: Layout): string {
  const last = hunks.at(-1);
  const after = last?.lines.slice(-linesAround) ?? [];
  // With fewer lines after what changed, the file ends there.
  const hasMore =
    after.length === linesAround && after.every(({ kind, isUnended }) => kind === 'context' && !isUnended);
  if (last === undefined || !hasMore) return '';
  const { oldLine, newLine } = findLinesAfterHunk(last);
  const gap = { from: newLine, to: null, shift: oldLine - newLine };
  return `<tr class="hunk"${nameGap(gap)}><td colspan="${spans[layout]}"></td></tr>`;
}

interface Gap {
  readonly from: number;
  readonly to: number | null;
  readonly shift: number;
}

function nameGap({ from, to, shift }: Gap): string {
  return ` data-from="${from}" data-to="${to ?? ''}" data-shift="${shift}"`;
}

interface InFile extends PatchView {
  readonly file: number;
  readonly layout: ReviewPagePreferences['layout'];
}

export interface RequestedFilePart extends InFile {
  readonly part: number;
}

/** Lines between changes, by their numbers on the new side. */
export interface RequestedUnchangedLines extends InFile {
  readonly from: number;
  readonly to: number;
  /** The difference to their numbers on the old side. */
  readonly shift: number;
}

/** The most lines of one answer; the page asks again for more. */
const mostBetween = 5_000;

/** Patches and their parts; those just looked at are kept. */
export class PatchPartCache {
  readonly #source: Pick<PageSource, 'patch' | 'text'>;
  readonly #patches = new Map<string, Promise<Patch>>();
  readonly #split = new Map<string, readonly (readonly HunkPiece[])[]>();

  constructor(source: Pick<PageSource, 'patch' | 'text'>) {
    this.#source = source;
  }

  /** Throws what reading it throws, each time. */
  patch(changeset: Changeset, view: PatchView): Promise<Patch> {
    return keepRecent(this.#patches, keyOf(changeset, view), 20, () => this.#source.patch(changeset, view));
  }

  /** A part of a file as HTML; null where there is none. */
  async render(changeset: Changeset, { file, part, layout, ignoresSpace }: RequestedFilePart): Promise<string | null> {
    const found = (await this.patch(changeset, { ignoresSpace })).files[file];
    if (found === undefined) return null;
    const key = `${keyOf(changeset, { ignoresSpace })} ${file}`;
    const parts = keepRecent(this.#split, key, 8, () => splitHunksIntoParts(found.hunks()));
    const pieces = parts[part];
    if (pieces === undefined) return null;
    const hasMore = found.status === 'modified' && !found.hasNul;
    const gaps = !hasMore ? 'none' : part === parts.length - 1 ? 'all' : 'between';
    return renderHunksAsHtml(pieces, layoutOf(found, layout), gaps);
  }

  /** Lines that the diff leaves out, as HTML of a part; null where there are none. */
  async between(changeset: Changeset, asked: RequestedUnchangedLines): Promise<string | null> {
    const { file, layout, ignoresSpace, from, to, shift } = asked;
    const found = (await this.patch(changeset, { ignoresSpace })).files[file];
    const areNumbers = [from, to, shift].every(Number.isSafeInteger) && from >= 1 && from + shift >= 1;
    if (found === undefined || !areNumbers) return null;
    const text = await this.#source.text(changeset, found.path);
    if (text === null) return null;
    const all = text.split('\n');
    if (all.at(-1) === '') all.pop();
    const lines = all
      .slice(from - 1, Math.min(to, from + mostBetween - 1))
      .map((line) => ({ kind: 'context', text: line, isUnended: false }) as const);
    const hunk = {
      heading: '',
      oldStart: from + shift,
      newStart: from,
      lines,
      oldCount: lines.length,
      newCount: lines.length,
      isContinued: true,
      gapFrom: from,
    };
    return lines.length === 0 ? null : renderHunksAsHtml([hunk], layoutOf(found, layout));
  }
}

/** With nothing to be beside it, a file has the whole width. */
export function layoutOf({ status }: Pick<PatchFile, 'status'>, wanted: Layout): Layout {
  return status === 'added' || status === 'deleted' ? 'line' : wanted;
}

function keyOf({ parent, commit }: Changeset, { ignoresSpace }: PatchView): string {
  return `${parent} ${commit} ${ignoresSpace}`;
}

/** The kept value, or a new one in place of the oldest. */
export function keepRecent<Value>(kept: Map<string, Value>, key: string, most: number, make: () => Value): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const value = make();
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  return value;
}
