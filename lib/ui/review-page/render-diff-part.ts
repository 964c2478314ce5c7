import { html } from 'diff2html';
import { type DiffBlock, type DiffFile, type DiffLine, LineType } from 'diff2html/lib/types.js';
import type { PatchLine } from '../../domain/state/patch.ts';
import { nameControls } from '../page/name-controls.ts';
import { visibleDiffLine } from '../text/visible-text.ts';
import { renderHunkHead } from './hunk-head.ts';
import type { PagePreferences } from './page-facts.ts';
import { endOf, type HunkPiece } from './split-parts.ts';

// Neither can be in a line: control characters have been replaced before.
const endOfRow = '\u0002';
const endOfSide = '\u0003';

/** Which lines that are left out are marked, to be asked for: none, those before each hunk, those at the end too. */
type Gaps = 'none' | 'between' | 'all';

/**
 * Hunks as rows of tables, by line or side by side. Throws an Error unless each line given is a row of the result:
 * what diff2html is asked to draw is what it drew.
 */
export function renderDiffPart(
  hunks: readonly HunkPiece[],
  layout: PagePreferences['layout'],
  gaps: Gaps = 'none',
): string {
  const file: DiffFile = {
    oldName: 'file',
    newName: 'file',
    addedLines: 0,
    deletedLines: 0,
    isCombined: false,
    isGitDiff: true,
    language: '',
    blocks: hunks.map(toBlock),
  };
  const drawn = html([file], {
    outputFormat: layout === 'side' ? 'side-by-side' : 'line-by-line',
    drawFileList: false,
    matching: 'none',
    maxLineLengthHighlight: 2_000,
    rawTemplates: templates,
  });
  const rows = layout === 'side' ? joinSides(drawn) : drawn.split(endOfRow).map(closeRow);
  requireEveryLine(hunks, drawn);
  return `<table class="${layout}">${columns[layout]}<tbody>${markGaps(markHidden(rows.join('')), hunks, gaps)}${gaps === 'all' ? lastGap(hunks, layout) : ''}</tbody></table>`;
}

// The widths of a table are those of its first row, which spans them all.
const columns = {
  line: '<colgroup><col class="n"><col class="n"><col></colgroup>',
  side: '<colgroup><col class="n"><col><col class="n"><col></colgroup>',
} as const;

function toBlock(hunk: HunkPiece): DiffBlock {
  const { heading, oldStart, newStart, lines, isContinued } = hunk;
  let [oldNumber, newNumber] = [oldStart, newStart];
  const toLine = (line: PatchLine): DiffLine => {
    const mark = line.isUnended ? '⟦no newline at the end⟧' : '';
    const content = `${signs[line.kind]}${visibleDiffLine(nameControls(line.text))}${mark}`;
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
    oldStartLine: oldStart,
    newStartLine: newStart,
    header: isContinued ? '' : `${renderHunkHead(hunk)} ${visibleDiffLine(nameControls(heading))}`,
    lines: lines.map(toLine),
  };
}

const signs = { insert: '+', delete: '-', context: ' ' } as const;

// Short ones: a row is about as long as its line, and the browser has as much less to do.
const templates = {
  'generic-wrapper': '{{{content}}}',
  'generic-empty-diff': '',
  'generic-block-header': `{{#blockHeader}}<tr class="hunk"><td colspan="3">{{{blockHeader}}}</td>{{/blockHeader}}${endOfRow}`,
  'generic-line': `<tr class="{{type}}">{{{lineNumber}}}<td class="c">{{{content}}}</td>${endOfRow}`,
  'line-by-line-file-diff': '{{{diffs}}}',
  'line-by-line-numbers': '<td class="n o">{{oldNumber}}</td><td class="n w">{{newNumber}}</td>',
  'side-by-side-file-diff': `{{{diffs.left}}}${endOfSide}{{{diffs.right}}}`,
};

function closeRow(row: string): string {
  return row.trim() === '' ? '' : `${row.trim()}</tr>\n`;
}

/** Both sides as one table, so that wrapped lines stay beside each other. */
function joinSides(drawn: string): readonly string[] {
  const [left = [], right = []] = drawn.split(endOfSide).map((side) => side.split(endOfRow));
  return left.map((row, index) => joinRows(row.trim(), (right[index] ?? '').trim()));
}

function joinRows(left: string, right: string): string {
  if (left === '') return '';
  if (left.startsWith('<tr class="hunk">')) return `${left.replace('colspan="3"', 'colspan="4"')}</tr>\n`;
  return `<tr>${cellsOf(left, 'o')}${cellsOf(right, 'w')}</tr>\n`;
}

/** `<tr class="K">NUMBER<td class="c">…` as cells of the kind K. */
function cellsOf(row: string, side: 'o' | 'w'): string {
  const [, kind = '', cells = ''] = /^<tr class="([^"]*)">(.*)$/s.exec(row) ?? [];
  const number = /^\d*/.exec(cells)?.[0] ?? '';
  const content = cells.slice(number.length).replace('class="c"', `class="c ${kind}"`);
  return `<td class="n ${side} ${kind}">${number}</td>${content}`;
}

function requireEveryLine(hunks: readonly HunkPiece[], drawn: string): void {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  for (const [kind, name] of [
    ['insert', 'd2h-ins'],
    ['delete', 'd2h-del'],
  ] as const) {
    const wanted = lines.filter((line) => line.kind === kind).length;
    const found = drawn.split(`<tr class="${name}`).length - 1;
    if (found !== wanted) throw new Error(`${wanted} lines (${kind}) were to be drawn, and ${found} were`);
  }
}

/** What was made visible stands out. */
function markHidden(rows: string): string {
  return rows.replace(/⟦[^⟧<]{1,30}⟧/g, '<span class="x">$&</span>');
}

/** As git shows around what changed. */
const linesAround = 3;
const hunkRow = '<tr class="hunk">';

/** The head of a hunk says which lines before it are left out, by their numbers on the new side. */
function markGaps(rows: string, hunks: readonly HunkPiece[], gaps: Gaps): string {
  if (gaps === 'none') return rows;
  const [first = '', ...heads] = rows.split(hunkRow);
  const begun = hunks.filter(({ isContinued }) => !isContinued);
  const marked = heads.map((head, index) => {
    const hunk = begun[index];
    if (hunk === undefined) return `${hunkRow}${head}`;
    const { gapFrom, newStart, oldStart } = hunk;
    const gap = { from: gapFrom, to: newStart - 1, shift: oldStart - newStart };
    return `<tr class="hunk"${gap.to < gap.from ? '' : nameGap(gap)}>${head}`;
  });
  return `${first}${marked.join('')}`;
}

/** How far it goes is not known: the diff ends before. */
function lastGap(hunks: readonly HunkPiece[], layout: PagePreferences['layout']): string {
  const last = hunks.at(-1);
  const after = last?.lines.slice(-linesAround) ?? [];
  // With fewer lines after what changed, the file ends there.
  const hasMore =
    after.length === linesAround && after.every(({ kind, isUnended }) => kind === 'context' && !isUnended);
  if (last === undefined || !hasMore) return '';
  const { oldLine, newLine } = endOf(last);
  const gap = { from: newLine, to: null, shift: oldLine - newLine };
  return `<tr class="hunk"${nameGap(gap)}><td colspan="${layout === 'side' ? 4 : 3}"></td></tr>`;
}

function nameGap({
  from,
  to,
  shift,
}: {
  readonly from: number;
  readonly to: number | null;
  readonly shift: number;
}): string {
  return ` data-from="${from}" data-to="${to ?? ''}" data-shift="${shift}"`;
}
