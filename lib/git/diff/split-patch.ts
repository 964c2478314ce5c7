import type { Hunk, PatchLine } from '../../domain/state/patch.ts';
import { decodeBytesVisibly } from '../../util/file-names.ts';

/** One `diff --git` section: where its hunks are, and what they count to. */
export interface PatchSection {
  readonly body: Buffer;
  readonly insertions: number;
  readonly deletions: number;
  readonly hasNul: boolean;
}

const header =
  /^(?:index [0-9a-f]+\.\.[0-9a-f]+(?: [0-7]{6})?|old mode [0-7]{6}|new mode [0-7]{6}|new file mode [0-7]{6}|deleted file mode [0-7]{6}|similarity index \d{1,3}%|rename (?:from|to) .*|--- .*|\+\+\+ .*)$/s;
const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

/**
 * Splits a patch into its files. Lines end at line feeds alone, and a hunk is as long as its head says: no content
 * can end a hunk, begin a file or hide. Throws an Error at any text that isn't a patch git writes with --text.
 */
export function splitPatch(patch: Buffer): readonly PatchSection[] {
  const sections: PatchSection[] = [];
  for (let at = 0; at < patch.length; ) {
    const first = lineAt(patch, at);
    if (!first.text().startsWith('diff --git ')) throw new Error(`not the start of a file: ${first.text()}`);
    let [insertions, deletions] = [0, 0];
    const end = walkSection(patch, first.next, (kind) => {
      if (kind === 'insert') insertions += 1;
      if (kind === 'delete') deletions += 1;
    });
    const body = patch.subarray(first.next, end);
    sections.push({ body, insertions, deletions, hasNul: body.includes(0) });
    at = end;
  }
  return sections;
}

/** The hunks of one section, decoded. */
export function parseHunks(body: Buffer): readonly Hunk[] {
  const hunks: (Hunk & { readonly lines: PatchLine[] })[] = [];
  walkSection(
    body,
    0,
    (kind, bytes) => hunks.at(-1)?.lines.push({ kind, text: decodeBytesVisibly(bytes), isUnended: false }),
    {
      onHunk: ({ oldStart, newStart, heading }) => hunks.push({ oldStart, newStart, heading, lines: [] }),
      onUnended: () => {
        const lines = hunks.at(-1)?.lines;
        const last = lines?.pop();
        if (last !== undefined) lines?.push({ ...last, isUnended: true });
      },
    },
  );
  return hunks;
}

type OnLine = (kind: PatchLine['kind'], bytes: Buffer) => void;

interface Observer {
  onHunk?(hunk: Omit<Hunk, 'lines'>): void;
  onUnended?(): void;
}

/** Calls back for each line of content; returns where the section ends. */
function walkSection(patch: Buffer, from: number, onLine: OnLine, observer: Observer = {}): number {
  let at = from;
  while (at < patch.length) {
    const line = lineAt(patch, at);
    if (patch[at] === 64) {
      at = walkHunk(patch, line, onLine, observer);
      continue;
    }
    const text = line.text();
    if (text.startsWith('diff --git ')) return at;
    if (!header.test(text)) throw new Error(`not a line of a patch: ${text.slice(0, 100)}`);
    at = line.next;
  }
  return at;
}

const kinds: Readonly<Record<number, PatchLine['kind']>> = { 32: 'context', 43: 'insert', 45: 'delete' };

function walkHunk(patch: Buffer, head: Line, onLine: OnLine, observer: Observer): number {
  const match = hunkHead.exec(head.text());
  if (match === null) throw new Error(`not the head of a hunk: ${head.text().slice(0, 100)}`);
  const [, oldStart, oldCount = '1', newStart, newCount = '1', heading = ''] = match;
  observer.onHunk?.({ oldStart: Number(oldStart), newStart: Number(newStart), heading });
  let [oldLeft, newLeft, at] = [Number(oldCount), Number(newCount), head.next];
  while (oldLeft > 0 || newLeft > 0) {
    const kind = at < patch.length ? kinds[patch[at] ?? 0] : undefined;
    const line = lineAt(patch, at);
    if (kind === undefined && !isUnendedMark(patch, at)) throw new Error('a hunk ends too early');
    if (kind === undefined) observer.onUnended?.();
    else onLine(kind, patch.subarray(at + 1, line.end));
    if (kind === 'context' || kind === 'delete') oldLeft -= 1;
    if (kind === 'context' || kind === 'insert') newLeft -= 1;
    at = line.next;
  }
  if (oldLeft < 0 || newLeft < 0) throw new Error('a hunk is longer than it says');
  if (!isUnendedMark(patch, at)) return at;
  observer.onUnended?.();
  return lineAt(patch, at).next;
}

/** `\ No newline at end of file`: about the line before it, and of no side. */
function isUnendedMark(patch: Buffer, at: number): boolean {
  return patch[at] === 92 && patch[at + 1] === 32;
}

interface Line {
  readonly end: number;
  readonly next: number;
  text(): string;
}

function lineAt(patch: Buffer, at: number): Line {
  const found = patch.indexOf(10, at);
  const end = found === -1 ? patch.length : found;
  return { end, next: end + 1, text: () => decodeBytesVisibly(patch.subarray(at, end)) };
}
