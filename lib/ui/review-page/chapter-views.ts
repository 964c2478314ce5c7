import type {
  ClaimedReason,
  GuidedFile,
  ReadingGuide,
  ReadingMark,
  ReadingMarkKind,
} from '../../domain/state/reading-guide.ts';
import { cutText } from '../../util/format-width.ts';
import { groupBy } from '../../util/sort-and-group.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { ChangedFileView } from './changed-file-views.ts';

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
};
const gravest: readonly ReadingMarkKind[] = ['weaker-check', 'permissions', 'ci'];

/**
 * The files in the order to read them. Those that the guide doesn't name come last, in a chapter of their own; without a
 * guide all are in one, by path.
 */
export function listChapterViews(
  files: readonly ChangedFileView[],
  guide: ReadingGuide | null,
): readonly ChapterView[] {
  const left = new Map(files.map((file) => [file.path, file]));
  const take = (guided: GuidedFile): readonly GuidedFileView[] => {
    const file = left.get(guided.path);
    left.delete(guided.path);
    return file === undefined ? [] : [{ ...file, why: boundReason(guided.why), marks: guided.marks.map(viewMark) }];
  };
  const chapters = (guide?.chapters ?? [])
    .map(({ title, isFolded, files: all }) => ({ title, isFolded, files: all.flatMap(take) }))
    .filter((chapter) => chapter.files.length > 0);
  const others = [...left.values()].map((file) => ({ ...file, why: null, marks: [] }));
  const all = others.length === 0 ? chapters : [...chapters, { title: 'Other files', isFolded: false, files: others }];
  // What is folded is beside something to read.
  if (all.every(({ isFolded }) => isFolded)) return all.map((one) => ({ ...one, ...aloneIn(all), isFolded: false }));
  return all.map((one) => ({ ...one, ...aloneIn(all) }));
}

/** The only one needs no heading. */
function aloneIn({ length }: readonly unknown[]): Partial<ChapterView> {
  return length === 1 ? { title: '' } : {};
}

function boundReason(why: ClaimedReason | null): ClaimedReason | null {
  return why === null ? null : { ...why, text: cutText(toPrintableLine(why.text.slice(0, 1_000)), widestReason) };
}

function viewMark({ kind, reason }: ReadingMark): MarkView {
  return {
    kind,
    reason: cutText(toPrintableLine(reason), widestReason),
    label: labels[kind],
    isGrave: gravest.includes(kind),
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
  const byLabel = groupBy(all, ({ mark }) => mark.label);
  // The labels are in the order of gravity.
  return Object.values(labels).flatMap((label) => {
    const found = byLabel.get(label) ?? [];
    const reasons = [...groupBy(found, ({ mark }) => mark.reason)].map(([reason, marked]) => {
      const files = marked.map(({ file }) => file);
      const [first, others] = [files.slice(0, mostAtOnce), files.slice(mostAtOnce, mostOthers)];
      return { reason, first, others, rest: files.length - first.length - others.length };
    });
    const [first, others] = [reasons.slice(0, mostAtOnce), reasons.slice(mostAtOnce, mostOthers)];
    return reasons.length === 0 ? [] : [{ label, isGrave: found[0]?.mark.isGrave === true, first, others }];
  });
}
