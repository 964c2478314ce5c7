import type { FlameError } from '../../domain/flame-error.ts';
import { nameChapter } from '../../domain/questions/guide-summary.ts';
import type { Patch } from '../../domain/state/patch.ts';
import {
  type ClaimedReason,
  type GuidedFile,
  type ReadingChapter,
  type ReadingGuide,
  type ReadingMark,
  type ReadingMarkKind,
  readingMarkKinds,
} from '../../domain/state/reading-guide.ts';
import { cutText } from '../../util/format-width.ts';
import { groupBy } from '../../util/sort-and-group.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { type ChangedFileView, listChangedFileViews } from './changed-file-views.ts';

/** Files of a changeset that are read together. */
export interface ChapterView {
  /** '': the only one, which needs no heading. */
  readonly title: string;
  readonly isFolded: boolean;
  readonly files: readonly GuidedFileView[];
}

export interface GuidedFileView extends ChangedFileView {
  /** Why it changed, as its worker claims; null: no reason was given. */
  readonly why: ClaimedReason | null;
  readonly marks: readonly MarkView[];
  /** Ranges of added lines that no test ran: `3-5 9-9`. */
  readonly notRun: string;
}

interface MarkView extends ReadingMark {
  readonly label: string;
  readonly isGrave: boolean;
}

/** A model may write any amount. */
const widestReason = 300;

const labels: Readonly<Record<ReadingMarkKind, string>> = {
  'weaker-check': 'weaker check',
  permissions: 'permissions',
  ci: 'CI',
  build: 'build',
  dependencies: 'dependencies',
  deletion: 'deletion',
  'public-name': 'public name',
  'no-test': 'no test',
  'looks-generated': 'looks generated',
  'hidden-text': 'hides text',
  machine: 'on your machine',
};
const graveKinds: readonly ReadingMarkKind[] = ['weaker-check', 'permissions', 'ci'];

/**
 * The files of a patch in the order to read them. Those that the guide doesn't name come last, in a chapter of their
 * own; without a guide all are in one, by path. None of a patch that can't be read.
 */
export function listChapterViews(patch: Patch | FlameError, guide: ReadingGuide | null): readonly ChapterView[] {
  if (!('files' in patch)) return [];
  const left = new Map(listChangedFileViews(patch).map((file) => [file.path, file]));
  const take = (guided: GuidedFile): readonly GuidedFileView[] => {
    const file = left.get(guided.path);
    left.delete(guided.path);
    if (file === undefined) return [];
    const notRun = (guided.lines_not_run ?? []).map(([from, to]) => `${from}-${to}`).join(' ');
    return [{ ...file, why: boundReason(guided.why), marks: guided.marks.map(viewMark), notRun }];
  };
  const chapters = (guide?.chapters ?? [])
    .map((chapter) => ({ ...chapter, files: chapter.files.flatMap(take) }))
    .filter((chapter) => chapter.files.length > 0)
    .map((chapter) => ({ ...chapter, title: titleOf(chapter) }));
  const others = [...left.values()].map((file) => ({ ...file, why: null, marks: [], notRun: '' }));
  const all = others.length === 0 ? chapters : [...chapters, { title: 'Other files', isFolded: false, files: others }];
  const [only] = all;
  // The only one needs no heading, and what is folded is beside something to read.
  if (only !== undefined && all.length === 1) return [{ ...only, title: '', isFolded: false }];
  return all.every(({ isFolded }) => isFolded) ? all.map((one) => ({ ...one, isFolded: false })) : all;
}

/** A subject of one file is called by its path, which stands below it. */
function titleOf(chapter: Pick<ReadingChapter, 'kind' | 'title' | 'files'>): string {
  const isNamedBelow = chapter.kind === 'subject' && chapter.title === chapter.files[0]?.path;
  return isNamedBelow ? 'Subject' : nameChapter(chapter);
}

function boundReason(why: ClaimedReason | null): ClaimedReason | null {
  return why === null ? null : { ...why, text: cutText(toPrintableLine(why.text.slice(0, 1_000)), widestReason) };
}

function viewMark({ kind, reason }: ReadingMark): MarkView {
  return {
    kind,
    reason: cutText(toPrintableLine(reason), widestReason),
    label: labels[kind],
    isGrave: graveKinds.includes(kind),
  };
}

/** Marks of one kind, for the top of a changeset. */
interface SecondLook extends Pick<MarkView, 'label' | 'isGrave'> {
  /** The first few, and the others that are shown on demand. */
  readonly first: readonly SharedReason[];
  readonly others: readonly SharedReason[];
}

/** Files that are marked for one reason. */
interface SharedReason {
  readonly reason: string;
  readonly first: readonly GuidedFileView[];
  readonly others: readonly GuidedFileView[];
  /** How many more there are. */
  readonly rest: number;
}

/** Shown at once: reasons of a kind, files of a reason. */
const mostAtOnce = 3;
/** Linked on demand, of each. */
const mostOthers = 100;

/** What deserves a second look, the gravest first. */
export function listSecondLooks(chapters: readonly ChapterView[]): readonly SecondLook[] {
  const all = chapters.flatMap(({ files }) => files.flatMap((file) => file.marks.map((mark) => ({ file, mark }))));
  const byKind = groupBy(all, ({ mark }) => mark.kind);
  return readingMarkKinds.flatMap((kind) => {
    const found = byKind.get(kind) ?? [];
    const reasons = [...groupBy(found, ({ mark }) => mark.reason)].map(([reason, marked]) => {
      const files = marked.map(({ file }) => file);
      const [first, others] = [files.slice(0, mostAtOnce), files.slice(mostAtOnce, mostOthers)];
      return { reason, first, others, rest: files.length - first.length - others.length };
    });
    const [first, others] = [reasons.slice(0, mostAtOnce), reasons.slice(mostAtOnce, mostOthers)];
    return reasons.length === 0 ? [] : [{ label: labels[kind], isGrave: graveKinds.includes(kind), first, others }];
  });
}
