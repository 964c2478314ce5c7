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
  const title = `${number}. ${heading}${isNamed || /^\d/.test(heading) ? '' : ` (${formatCount(count, 'file')})`}`;
  return [
    ...wrapText(title, style.width, '  ').map(style.bold),
    ...files.flatMap((file) => (isNamed ? renderRemarks(file, style) : renderFile(file, style))),
    ...renderRest(chapter, style),
  ];
}

/** On one line where it has one short mark and nothing else. */
function renderFile(file: GuidedFile, style: Style): readonly string[] {
  const path = toPrintableLine(file.path);
  const [only, ...rest] = file.marks;
  const said = only === undefined ? '' : `look twice: ${toPrintableLine(only.reason)}`;
  const isShort = textWidth(path) + textWidth(said) + 8 <= Math.min(style.width, 120);
  if (only !== undefined && rest.length === 0 && file.why === null && isShort)
    return [`     ${path}  ${style.yellow(said)}`];
  return [...wrapText(path, style.width, '     '), ...renderRemarks(file, style)];
}

/** What a worker claims is dim, what is computed is not: the two are never taken for each other. */
function renderRemarks({ why, marks }: GuidedFile, style: Style): readonly string[] {
  const claim = why === null ? [] : [`says the worker of ${why.task}: ${toPrintableLine(why.text)}`];
  return [
    ...claim.flatMap((text) => wrapText(text, style.width, '       ').map(style.dim)),
    ...marks.flatMap(({ reason }) =>
      wrapText(`look twice: ${toPrintableLine(reason)}`, style.width, '       ').map(style.yellow),
    ),
  ];
}

function renderRest({ files, more }: ChapterSummary, style: Style): readonly string[] {
  if (more.files === 0 || (files.length === 0 && more.marked === 0)) return [];
  const marked = more.marked === 0 ? '' : `, ${more.marked} of them to look at twice`;
  return [style.dim(`     and ${more.files} more${marked}`)];
}
