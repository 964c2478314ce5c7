import { isMadeByTools } from '../../domain/state/made-by-tools.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { countCommonEnds } from '../../util/sort-and-group.ts';
import { toPrintableDiffLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

const hunkHead = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;

/**
 * A unified diff with colour, and with nothing in it that a terminal would act on or hide. At a terminal each file is
 * headed by its path, lines have the numbers that a comment names, and long files of tools are folded; elsewhere it
 * stays one that git apply takes. `command`: prints this diff.
 */
export function renderDiff(diff: string, style: Style, command: string): string {
  if (diff === '') return 'No changes.';
  const all = diff.replace(/\n$/, '').split('\n');
  const isAtTerminal = Number.isFinite(style.width);
  const lines = isAtTerminal ? foldFilesOfTools(all, command) : all;
  const digits = isAtTerminal ? widestNumber(lines) : 0;
  // null: in the head of a file.
  let number: number | null = null;
  return lines
    .flatMap((line) => {
      const start = hunkHead.exec(line)?.[1];
      if (start !== undefined) number = Number(start);
      else if (line.startsWith('diff --git ') || line.startsWith('# ')) number = null;
      if (start !== undefined || number === null) return renderHead(line, style, digits > 0);
      const isNumbered = /^[ +]/.test(line) || line === '';
      const own = isNumbered ? `${number}` : '';
      if (isNumbered) number += 1;
      const gutter = digits === 0 ? '' : style.dim(`${own.padStart(digits)} `);
      return [gutter + paintLine(toPrintableDiffLine(line), style)];
    })
    .join('\n');
}

/** Changed lines of a lock or generated file that bury what people and agents wrote. */
const mostLinesOfTool = 100;

/** Leaves out the lines of long files that tools write, beside others: a line has their number and how to read them. */
function foldFilesOfTools(lines: readonly string[], command: string): readonly string[] {
  const starts = lines.flatMap((line, index) => (/^(?:diff --git|#) /.test(line) ? [index] : []));
  const sections = [0, ...starts].map((start, index) => lines.slice(start, starts[index] ?? lines.length));
  // Minified code runs: who reads the diff has to see that there is some.
  const isOfTool = ([head = '']: readonly string[]): boolean => {
    const path = pathOf(head) ?? '';
    return isMadeByTools(path) && !path.includes('.min.');
  };
  if (sections.every((section) => isOfTool(section) || section[0]?.startsWith('diff --git ') !== true)) return lines;
  return sections.flatMap((section) => {
    const head = section.slice(
      0,
      section.findIndex((line) => hunkHead.test(line)),
    );
    const changed = section.slice(head.length).filter((line) => /^[-+]/.test(line)).length;
    if (changed <= mostLinesOfTool || !isOfTool(section)) return section;
    return [...head, `# ${formatCount(changed, 'line')} written by a tool, shown by: ${command} | less`];
  });
}

function pathOf(line: string): string | undefined {
  return /^diff --git a\/(?<path>.+) b\/\k<path>$/.exec(line)?.groups?.path;
}

function paintLine(text: string, style: Style): string {
  if (text.startsWith('+')) return style.green(text);
  return text.startsWith('-') ? style.red(text) : text;
}

// What its path says already, or no person reads.
const needlessHead = /^(?:index [0-9a-f]+\.\.|--- |\+\+\+ )/;

/** A line before the lines of a file: of its head, of a hunk, or of the guide. */
function renderHead(line: string, style: Style, isAtTerminal: boolean): readonly string[] {
  const text = toPrintableDiffLine(line);
  if (line.startsWith('@@')) return [style.cyan(text)];
  if (line.startsWith('# ')) return renderGuideLine(isAtTerminal ? text.slice(2) : text, style);
  if (!isAtTerminal) return [style.bold(text)];
  if (needlessHead.test(line)) return [];
  return [style.bold(pathOf(text) ?? text)];
}

/** A heading of a chapter, or a line about the file that follows it. */
function renderGuideLine(text: string, style: Style): readonly string[] {
  if (/^(?:# )?\d+\. /.test(text)) return [style.bold(text)];
  return [/^(?:# )?look twice:/.test(text) ? style.yellow(text) : style.dim(text)];
}

/** Digits of the largest line number. */
function widestNumber(lines: readonly string[]): number {
  const last = lines.reduce((most, line) => {
    const [, start = '0', count = '1'] = hunkHead.exec(line) ?? [];
    return Math.max(most, Number(start) + Number(count));
  }, 0);
  return `${last}`.length;
}

// Beyond this many comparisons a part is shown as removed and added as a whole.
const mostComparisons = 4_000_000;

/** Compares two texts line by line: `- ` removed, `+ ` added, `  ` kept; long kept parts are left out. */
export function compareTextLines(olds: readonly string[], news: readonly string[]): readonly string[] {
  const { start, end } = countCommonEnds(olds, news);
  const middle = diffMiddle(olds.slice(start, olds.length - end), news.slice(start, news.length - end));
  return shortened([...olds.slice(0, start).map(kept), ...middle, ...olds.slice(olds.length - end).map(kept)]);
}

function diffMiddle(olds: readonly string[], news: readonly string[]): string[] {
  if (olds.length * news.length > mostComparisons) return [...olds.map(removed), ...news.map(added)];
  const common = commonLengths(olds, news);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < olds.length || j < news.length) {
    const [old, fresh] = [olds[i] ?? '', news[j] ?? ''];
    if (i < olds.length && j < news.length && old === fresh) {
      lines.push(kept(old));
      i += 1;
      j += 1;
    } else if (j >= news.length || (i < olds.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push(removed(old));
      i += 1;
    } else {
      lines.push(added(fresh));
      j += 1;
    }
  }
  return lines;
}

/** How many lines two rests have in common, by where they begin. */
function commonLengths(olds: readonly string[], news: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: olds.length + 1 }, () => new Uint32Array(news.length + 1));
  for (let i = olds.length - 1; i >= 0; i -= 1)
    for (let j = news.length - 1; j >= 0; j -= 1) {
      const longest = Math.max(at(table, i + 1, j), at(table, i, j + 1));
      const row = table[i];
      if (row !== undefined) row[j] = olds[i] === news[j] ? at(table, i + 1, j + 1) + 1 : longest;
    }
  return table;
}

function at(table: readonly Uint32Array[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

const context = 3;

function shortened(lines: readonly string[]): readonly string[] {
  const changed = lines.flatMap((line, index) => (line.startsWith('  ') ? [] : [index]));
  const isShown = (index: number): boolean => changed.some((near) => Math.abs(near - index) <= context);
  return lines.flatMap((line, index) => {
    if (isShown(index)) return [line];
    return index === 0 || isShown(index - 1) ? ['  …'] : [];
  });
}

const kept = (line: string): string => `  ${line}`;
const removed = (line: string): string => `- ${line}`;
const added = (line: string): string => `+ ${line}`;

/** The command that prints the diff of a task or a changeset. */
export function diffCommand(name: string, option: '--diff' | '--interdiff' = '--diff'): string {
  return `git flame show ${shellQuote(name)} ${option}`;
}
