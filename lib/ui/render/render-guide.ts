import { type ChapterSummary, summarizeGuide } from '../../domain/questions/guide-summary.ts';
import type { GuidedFile, ReadingGuide } from '../../domain/state/reading-guide.ts';
import { formatCount } from '../../util/format-figures.ts';
import { textWidth, wrapText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

/** The chapters of a changeset in the order to read them: files with why they changed, and what deserves a second look. */
export function renderGuideSummary(guide: ReadingGuide, style: Style): readonly string[] {
  return summarizeGuide(guide).flatMap((chapter, index) => renderChapter(chapter, index + 1, style));
}

function renderChapter(chapter: ChapterSummary, number: number, style: Style): readonly string[] {
  const { count, files } = chapter;
  const [only] = files;
  const heading = toPrintableLine(chapter.heading);
  // A subject of one file names it already.
  const isNamed = count === 1 && only !== undefined && heading.endsWith(toPrintableLine(only.path));
  const size = isNamed ? `  ${formatSize(only)}` : /^\d/.test(heading) ? '' : ` (${formatCount(count, 'file')})`;
  const title = `${number}. ${heading}${size}`;
  return [
    ...wrapText(title, style.width, '  ').map(style.bold),
    ...files.flatMap((file, index) => renderFile(file, { isNamed, next: files[index + 1] }, style)),
    ...renderRest(chapter, style),
  ];
}

interface FilePlace {
  /** Whether the heading names it already. */
  readonly isNamed: boolean;
  readonly next: GuidedFile | undefined;
}

/**
 * A file on one line where it has one short mark and nothing else. The claim stands below its file, or below the last of
 * several that have the same one. What a worker claims is dim, what is computed is not: the two are never taken for each
 * other.
 */
function renderFile(file: GuidedFile, { isNamed, next }: FilePlace, style: Style): readonly string[] {
  const { why, marks } = file;
  const name = `${toPrintableLine(file.path)}  ${formatSize(file)}`;
  const said = marks.map(({ reason }) => `look twice: ${toPrintableLine(reason)}`);
  const isSaidBelow = next?.why?.task === why?.task && next?.why?.text === why?.text;
  const claim = why === null || isSaidBelow ? [] : [`says the worker of ${why.task}: ${toPrintableLine(why.text)}`];
  const isShort = textWidth(`${name}${said[0] ?? ''}`) + 8 <= Math.min(style.width, 120);
  if (said.length === 1 && claim.length === 0 && isShort && !isNamed)
    return [`     ${name}  ${style.yellow(said[0] ?? '')}`];
  return [
    ...(isNamed ? [] : wrapText(name, style.width, '     ')),
    ...said.flatMap((text) => wrapText(text, style.width, '       ').map(style.yellow)),
    ...claim.flatMap((text) => wrapText(text, style.width, '       ').map(style.dim)),
  ];
}

function formatSize({ insertions, deletions }: Pick<GuidedFile, 'insertions' | 'deletions'>): string {
  return `+${insertions} -${deletions}`;
}

function renderRest({ files, more }: ChapterSummary, style: Style): readonly string[] {
  if (more.files === 0 || (files.length === 0 && more.marked === 0)) return [];
  const marked = more.marked === 0 ? '' : `, ${more.marked} of them to look at twice`;
  return [style.dim(`     and ${more.files} more${marked}`)];
}
