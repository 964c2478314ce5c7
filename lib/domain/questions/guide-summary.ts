import { type GuidedFile, type ReadingChapter, type ReadingGuide, readingMarkKinds } from '../state/reading-guide.ts';

/** A chapter of a guide as other programs get it. */
export interface GuideChapterData extends Pick<ReadingChapter, 'kind' | 'title'> {
  readonly is_folded: boolean;
  readonly files: readonly GuidedFile[];
  /** How many more files it has. */
  readonly more: number;
}

/** A guide as data, with at most so many files of each chapter. */
export function toGuideData({ chapters }: ReadingGuide, most = 50): readonly GuideChapterData[] {
  return chapters.map(({ kind, title, isFolded, files }) => ({
    kind,
    title,
    is_folded: isFolded,
    files: files.slice(0, most),
    more: Math.max(0, files.length - most),
  }));
}

/** A chapter in the summary of a guide. */
export interface ChapterSummary {
  /** `Subject: lib/auth`, `Tests`; unchecked outside text where a path is in it. */
  readonly heading: string;
  readonly count: number;
  readonly files: readonly GuidedFile[];
  /** How many more files it has, and how many of these have marks. */
  readonly more: { readonly files: number; readonly marked: number };
}

const mostFiles = 4;

/** The chapters, each with its first files and those marked, a few of them: what is shown before a decision. */
export function summarizeGuide({ chapters }: ReadingGuide): readonly ChapterSummary[] {
  return chapters.map((chapter) => {
    const shown = pickShown(chapter);
    const rest = chapter.files.filter((file) => !shown.includes(file));
    const marked = rest.filter(({ marks }) => marks.length > 0).length;
    return {
      heading: nameChapter(chapter),
      count: chapter.files.length,
      files: shown,
      more: { files: rest.length, marked },
    };
  });
}

/** A chapter's heading: of a subject its title says where it is. */
export function nameChapter({ kind, title }: Pick<ReadingChapter, 'kind' | 'title'>): string {
  return kind === 'subject' ? `Subject: ${title}` : title;
}

/** In the order of the chapter; of a folded one those alone that are marked. */
function pickShown({ files, isFolded }: ReadingChapter): readonly GuidedFile[] {
  const marked = files.filter(({ marks }) => marks.some(({ kind }) => kind !== 'no-test'));
  const chosen = new Set([...marked, ...(isFolded ? [] : files)].slice(0, mostFiles));
  return files.filter((file) => chosen.has(file));
}

/** Files that deserve a second look, those with the gravest marks first. */
export function listMarkedFiles(chapters: readonly { readonly files: readonly GuidedFile[] }[]): readonly GuidedFile[] {
  const marked = chapters.flatMap(({ files }) => files.filter(({ marks }) => marks.length > 0));
  const gravity = ({ marks }: GuidedFile): number =>
    Math.min(...marks.map(({ kind }) => readingMarkKinds.indexOf(kind)));
  return [...marked].sort((a, b) => gravity(a) - gravity(b));
}
