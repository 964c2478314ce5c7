import { nameChapter } from '../../domain/questions/guide-summary.ts';
import type { PatchFile } from '../../domain/state/patch.ts';
import type { GuidedFile, ReadingGuide } from '../../domain/state/reading-guide.ts';
import { toOneLine } from '../task/bound-text.ts';

/**
 * A unified diff in the order of a guide. Lines that begin with `# ` head each chapter, and stand before the file that
 * they are about: why it changed, as its worker says, and its marks; git apply passes over them. `files`: those of the
 * diff, in its order. What isn't the diff of these files comes back as it is.
 */
export function orderDiff(diff: string, files: readonly PatchFile[], { chapters }: ReadingGuide): string {
  const sections = splitByFile(diff, files);
  if (sections === null) return diff;
  return chapters
    .flatMap((chapter, index) => [
      `# ${index + 1}. ${toOneLine(nameChapter(chapter))}\n`,
      ...chapter.files.flatMap((file) => [...describeFile(file), sections.get(file.path) ?? '']),
    ])
    .join('');
}

function describeFile({ why, marks }: GuidedFile): readonly string[] {
  return [
    ...(why === null ? [] : [`# ${claimPrefix} ${why.task}: ${toOneLine(why.text)}\n`]),
    ...marks.map(({ reason }) => `# ${markPrefix} ${toOneLine(reason, 400)}\n`),
  ];
}

/** Begins of these lines, by which a reader or a program knows them. */
const claimPrefix = 'says the worker of';
const markPrefix = 'look twice:';

/** The text of each file; two sections are one file that became something else, such as a link. null: they don't match. */
function splitByFile(diff: string, files: readonly PatchFile[]): ReadonlyMap<string, string> | null {
  const starts = [...diff.matchAll(/(?:^|(?<=\n))diff --git /g)].map(({ index }) => index);
  const sections = new Map<string, string>();
  let at = 0;
  for (const { path, status } of files) {
    const from = starts[at];
    if (from === undefined) return null;
    at += status === 'type-changed' ? 2 : 1;
    sections.set(path, diff.slice(from, starts[at] ?? diff.length));
  }
  return at === starts.length ? sections : null;
}
