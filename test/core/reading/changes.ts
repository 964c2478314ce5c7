import { buildReadingGuide, readChanges } from '../../../lib/core/reading/build-reading-guide.ts';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { Hunk, Patch, PatchFile, PatchLine } from '../../../lib/domain/state/patch.ts';
import type { GuidedFile, ReadingChapter } from '../../../lib/domain/state/reading-guide.ts';

/** A file before and after, as lines; null: it is not there. */
export interface FileSides extends Partial<Pick<PatchFile, 'oldMode' | 'newMode' | 'hasNul' | 'movedFrom'>> {
  readonly before: string | null;
  readonly after: string | null;
}

/** Changes of files as git would show them: what is common at both ends is left out but for three lines. */
export function changesOf(files: Readonly<Record<string, FileSides>>, isRead = true): ReturnType<typeof readChanges> {
  const texts = Object.entries(files).flatMap(([path, { after }]) => (after === null ? [] : [[path, after] as const]));
  return readChanges(patchOf(files), new Map(isRead ? texts : []));
}

export function patchOf(files: Readonly<Record<string, FileSides>>): Patch {
  return { files: Object.entries(files).map(([path, sides]) => patchFileOf(path, sides)) };
}

/** The chapter of one changed file, and the file in it. */
export function guideOf(path: string, sides: FileSides): readonly [ReadingChapter, GuidedFile] {
  const search = { tests: ['test/all.test.ts'], words: new Set<string>(), lines: [] };
  const [chapter] = buildReadingGuide(changesOf({ [path]: sides }), [], search).chapters;
  const [file] = chapter?.files ?? [];
  if (chapter === undefined || file === undefined) throw new Error(`${path} is in no chapter`);
  return [chapter, file];
}

/** The reasons of its marks of one kind. */
export function reasonsOf(path: string, sides: FileSides, kind: string): readonly string[] {
  return guideOf(path, sides)[1].marks.flatMap((mark) => (mark.kind === kind ? [mark.reason] : []));
}

function patchFileOf(path: string, { before, after, ...more }: FileSides): PatchFile {
  const [mode, none] = ['100644', '000000'];
  const hunks = hunksOf(before ?? '', after ?? '');
  const count = (kind: PatchLine['kind']): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  const isMoved = more.movedFrom !== undefined && more.movedFrom !== null;
  return {
    path,
    status:
      before === null && !isMoved
        ? 'added'
        : after === null
          ? 'deleted'
          : before === after && !isMoved
            ? 'mode-changed'
            : 'modified',
    oldMode: before === null && !isMoved ? none : mode,
    newMode: after === null ? none : mode,
    oldOid: parseObjectId('1'.repeat(40)),
    newOid: parseObjectId('2'.repeat(40)),
    size: (after ?? '').length,
    movedFrom: null,
    insertions: count('insert'),
    deletions: count('delete'),
    hasNul: false,
    hunks: () => hunks,
    ...more,
  };
}

function hunksOf(before: string, after: string): readonly Hunk[] {
  const [olds, news] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < olds.length && start < news.length && olds[start] === news[start]) start += 1;
  let end = 0;
  while (end < Math.min(olds.length, news.length) - start && olds.at(-1 - end) === news.at(-1 - end)) end += 1;
  if (start === olds.length && start === news.length) return [];
  const first = Math.max(0, start - 3);
  const line = (kind: PatchLine['kind']) => (text: string) => ({ kind, text, isUnended: false });
  return [
    {
      heading: '',
      oldStart: first + 1,
      newStart: first + 1,
      lines: [
        ...olds.slice(first, start).map(line('context')),
        ...olds.slice(start, olds.length - end).map(line('delete')),
        ...news.slice(start, news.length - end).map(line('insert')),
        ...news.slice(news.length - end, news.length - end + 3).map(line('context')),
      ],
    },
  ];
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
