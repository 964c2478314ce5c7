import { widestLine } from '../../domain/state/made-by-tools.ts';
import type { Hunk, PatchFile } from '../../domain/state/patch.ts';
import { type ChangedNames, compareDeclaredNames } from './changed-names.ts';
import { type FileKind, kindOfFile, type Language, languageOf } from './file-kind.ts';

/** A changed file as it is judged: its lines, and both of its sides. */
export interface ChangedText {
  readonly file: PatchFile;
  readonly path: string;
  readonly kind: FileKind;
  readonly language: Language;
  readonly hunks: readonly Hunk[];
  /** Its changed lines, long ones in pieces: patterns are looked for in them. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Whether it adds a line that is longer than any that a person writes. */
  readonly isWide: boolean;
  /** The text before and after; of a file that was not read whole, what its hunks show of it. */
  readonly before: string;
  readonly after: string;
  /** Whether both sides are there in full. */
  readonly isWhole: boolean;
  readonly names: ChangedNames;
  /** Changed lines that are neither empty, a comment nor an import. */
  readonly realLines: number;
}

const longestLine = 1_000;
/** Pieces of a line overlap, so that what stands where it is cut is found. */
const pieceStep = 900;

/** Patterns take their time on long lines. What stands beyond the widest line is not read: such a file is marked. */
function readLine(text: string): readonly string[] {
  if (text.length <= longestLine) return [text];
  const line = text.slice(0, widestLine).replace(/\s+/g, ' ');
  const pieces = Math.max(1, Math.ceil((line.length - longestLine) / pieceStep) + 1);
  return Array.from({ length: pieces }, (_, at) => line.slice(at * pieceStep, at * pieceStep + longestLine));
}

/** Reads a changed file; `after`: its whole text as the changeset leaves it, null where that is not at hand. */
export function readChangedText(file: PatchFile, after: string | null): ChangedText {
  const hunks = file.hasNul ? [] : file.hunks();
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const added = lines.flatMap(({ kind, text }) => (kind === 'insert' ? readLine(text) : []));
  const removed = lines.flatMap(({ kind, text }) => (kind === 'delete' ? readLine(text) : []));
  const isAllShown = file.status === 'added' || file.status === 'deleted';
  const sides = sidesOf(hunks, isAllShown ? null : after);
  const language = languageOf(file.path);
  return {
    file,
    path: file.path,
    kind: kindOfFile(file.path),
    language,
    hunks,
    added,
    removed,
    isWide: lines.some(({ kind, text }) => kind === 'insert' && text.length > widestLine),
    ...sides,
    isWhole: isAllShown || after !== null,
    names: compareDeclaredNames(sides, language),
    realLines: added.filter(isRealLine).length + removed.filter(isRealLine).length,
  };
}

function sidesOf(hunks: readonly Hunk[], after: string | null): Pick<ChangedText, 'before' | 'after'> {
  if (after !== null) return { before: undoHunks(after, hunks), after };
  const side = (other: 'insert' | 'delete'): string =>
    hunks.map(({ lines }) => lines.flatMap(({ kind, text }) => (kind === other ? [] : [text])).join('\n')).join('\n\n');
  return { before: side('insert'), after: side('delete') };
}

/** The text that a patch was made from: what it inserted is taken out, what it deleted put back. */
function undoHunks(after: string, hunks: readonly Hunk[]): string {
  const now = after.split('\n');
  const before: string[] = [];
  let at = 0;
  for (const { newStart, lines } of hunks) {
    const kept = lines.filter(({ kind }) => kind !== 'delete').length;
    // A hunk that leaves nothing is named by the line before it.
    const start = kept === 0 ? newStart : newStart - 1;
    for (; at < start; at += 1) before.push(now[at] ?? '');
    for (const { kind, text } of lines) if (kind !== 'insert') before.push(text);
    at = start + kept;
  }
  for (; at < now.length; at += 1) before.push(now[at] ?? '');
  return before.join('\n');
}

const noCode =
  /^\s*(?:$|\/\/|\/\*|\*|#(?!\s*(?:if|ifdef|ifndef|define|else|elif|endif|undef|pragma|\[))|--\s|<!--|"""|'''|import\b|from\s+\S+\s+import\b|use\s+[\w:]+|package\s|(?:const|let|var)\s[^=]*=\s*require\(|[)}\];,]+\s*$)/;

/** Whether a line does something: it is not empty, a comment, an import or a closing bracket. */
export function isRealLine(line: string): boolean {
  return !noCode.test(line);
}

/** The first changed line that does something, as evidence: `: +…`; '' where there is none. */
export function quoteFirst({ added, removed }: Pick<ChangedText, 'added' | 'removed'>): string {
  const [sign, line] = added.some(isRealLine) ? ['+', added.find(isRealLine)] : ['-', removed.find(isRealLine)];
  return line === undefined ? '' : `: ${sign}${line.trim().slice(0, 60)}`;
}

/** How many lines a pattern is found in. */
export function countMatches(lines: readonly string[], pattern: RegExp): number {
  return lines.filter((line) => pattern.test(line)).length;
}

/** What a pattern finds first; '' where it finds nothing. */
export function findMatch(lines: readonly string[], pattern: RegExp): string {
  return lines.map((line) => pattern.exec(line)?.[0]).find((found) => found !== undefined) ?? '';
}
