import type { Patch } from '../../domain/state/patch.ts';
import { splitParts } from './split-parts.ts';

/** A line of a diff in which something was found. */
export interface FoundLine {
  /** Index of its file, and of the part of the file. */
  readonly file: number;
  readonly part: number;
  readonly side: 'old' | 'new';
  readonly line: number;
}

const most = 5_000;

/** Lines of a patch that hold a text, upper and lower case alike, in their order; `count` is of all, also beyond the bound. */
export function findLines(
  { files }: Patch,
  text: string,
): { readonly count: number; readonly lines: readonly FoundLine[] } {
  const wanted = text.toLowerCase();
  const lines: FoundLine[] = [];
  let count = 0;
  for (const [file, one] of files.entries()) {
    for (const [part, pieces] of splitParts(one.hunks()).entries()) {
      for (const { oldStart, newStart, lines: all } of pieces) {
        let [oldLine, newLine] = [oldStart, newStart];
        for (const { kind, text: content } of all) {
          if (content.toLowerCase().includes(wanted)) {
            count += 1;
            const at =
              kind === 'delete'
                ? { side: 'old' as const, line: oldLine }
                : { side: 'new' as const, line: newLine };
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
