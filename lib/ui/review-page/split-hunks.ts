import type { Hunk, Patch, PatchLine } from '../../domain/state/patch.ts';

/** A hunk, or the portion of one that is in a part. */
export interface HunkPiece extends Hunk {
  /** Of the whole hunk, on each side. */
  readonly oldCount: number;
  readonly newCount: number;
  /** The part before ends with the beginning of this hunk. */
  readonly isContinued: boolean;
  /** The first line on the new side that no piece before this one shows. */
  readonly gapFrom: number;
}

/** Lines drawn and fetched at a time. A browser lays out a table of 50,000 rows for seconds, one of 300 at once. */
const partLines = 300;
/**
 * A block of changed lines is cut only beyond this: removed lines are shown beside those that replace them.
 */
const longestBlock = 1_000;

/** The hunks of a file in parts small enough to be drawn when they come into view. */
export function splitHunksIntoParts(hunks: readonly Hunk[]): readonly (readonly HunkPiece[])[] {
  const parts: HunkPiece[][] = [];
  let room = 0;
  let gapFrom = 1;
  for (const hunk of hunks) {
    for (const piece of cutHunk(hunk, gapFrom)) {
      if (room <= 0 || piece.lines.length > room) {
        parts.push([]);
        room = partLines;
      }
      parts.at(-1)?.push(piece);
      room -= piece.lines.length;
      gapFrom = findLinesAfterHunk(piece).newLine;
    }
  }
  return parts;
}

/** The lines after a piece, on each side. */
export function findLinesAfterHunk({ oldStart, newStart, lines }: Hunk): {
  readonly oldLine: number;
  readonly newLine: number;
} {
  const removed = lines.filter(({ kind }) => kind === 'delete').length;
  const added = lines.filter(({ kind }) => kind === 'insert').length;
  return { oldLine: oldStart + lines.length - added, newLine: newStart + lines.length - removed };
}

/** Lines of a part, as they are counted beforehand to leave room for them. */
export function countPartLines(part: readonly HunkPiece[]): number {
  return part.reduce((sum, { lines, isContinued }) => sum + lines.length + (isContinued ? 0 : 1), 0);
}

function cutHunk(hunk: Hunk, gapFrom: number): readonly HunkPiece[] {
  const pieces: HunkPiece[] = [];
  let { oldStart, newStart } = hunk;
  const { oldLine, newLine } = findLinesAfterHunk(hunk);
  const counts = { oldCount: oldLine - oldStart, newCount: newLine - newStart };
  for (let at = 0; at < hunk.lines.length; ) {
    const end = cutAt(hunk.lines, at);
    const lines = hunk.lines.slice(at, end);
    const piece = {
      heading: hunk.heading,
      oldStart,
      newStart,
      lines,
      ...counts,
      isContinued: at > 0,
      gapFrom,
    };
    pieces.push(piece);
    ({ oldLine: oldStart, newLine: newStart } = findLinesAfterHunk(piece));
    at = end;
  }
  return pieces;
}

function cutAt(lines: readonly PatchLine[], from: number): number {
  const wanted = from + partLines;
  if (wanted >= lines.length) return lines.length;
  const kinds = new Set<PatchLine['kind']>();
  for (let at = from; at < lines.length && at < from + longestBlock; at += 1) {
    const kind = lines[at]?.kind ?? 'context';
    // In a block that only adds or only removes, no line has a counterpart.
    const isPure = kind === 'insert' && !kinds.has('delete');
    if (at >= wanted && (kind === 'context' || isPure)) return at;
    if (kind === 'context') kinds.clear();
    else kinds.add(kind);
  }
  return wanted;
}

/** A line of a diff in which something was found. */
export interface PatchLineMatch {
  /** Index of its file, and of the part of the file. */
  readonly file: number;
  readonly part: number;
  readonly side: 'old' | 'new';
  readonly line: number;
}

const most = 5_000;

/** Lines of a patch that hold a text, upper and lower case alike, in their order; `count` is of all, also beyond the bound. */
export function findLinesInPatch(
  { files }: Patch,
  text: string,
): { readonly count: number; readonly lines: readonly PatchLineMatch[] } {
  const wanted = text.toLowerCase();
  const lines: PatchLineMatch[] = [];
  let count = 0;
  for (const [file, one] of files.entries()) {
    for (const [part, pieces] of splitHunksIntoParts(one.hunks()).entries()) {
      for (const { oldStart, newStart, lines: all } of pieces) {
        let [oldLine, newLine] = [oldStart, newStart];
        for (const { kind, text: content } of all) {
          if (content.toLowerCase().includes(wanted)) {
            count += 1;
            const at =
              kind === 'delete' ? { side: 'old' as const, line: oldLine } : { side: 'new' as const, line: newLine };
            if (lines.length < most) lines.push({ file, part, ...at });
          }
          if (kind !== 'insert') oldLine += 1;
          if (kind !== 'delete') newLine += 1;
        }
      }
    }
  }
  return { count, lines };
}

/** Where a hunk begins on each side, and how many lines it has there. */
export interface HunkHeader {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** `@@ -16,7 +16,9 @@`, as git writes it: a length of 1 is left out. */
export function renderHunkHeader({ oldStart, oldCount, newStart, newCount }: HunkHeader): string {
  return `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@`;
}

/** Parses a hunk head at a text's start, and what follows; null: there is none. */
export function parseHunkHeader(text: string): { readonly head: HunkHeader; readonly rest: string } | null {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
  if (found === null) return null;
  const [all, oldStart, oldCount = '1', newStart, newCount = '1'] = found;
  const head = {
    oldStart: Number(oldStart),
    oldCount: Number(oldCount),
    newStart: Number(newStart),
    newCount: Number(newCount),
  };
  return { head, rest: text.slice(all.length) };
}

function range(start: number, count: number): string {
  return count === 1 ? `${start}` : `${start},${count}`;
}
