import type { Patch } from '../../domain/state/patch.ts';
import {
  type ClaimedReason,
  type GuidedFile,
  type ReadingChapter,
  type ReadingGuide,
  type ReadingMark,
  readingMarkKinds,
} from '../../domain/state/reading-guide.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CoveredFile } from '../../domain/state/verdict.ts';
import { formatCount } from '../../util/format-figures.ts';
import { compareText, groupBy } from '../../util/sort-and-group.ts';
import { type ChangedText, readChangedText } from './changed-text.ts';
import { isTestByName } from './file-kind.ts';
import { type FileLinks, findFileLinks } from './file-links.ts';
import { listOwnMarks, makeMark, whyLooksGenerated } from './file-marks.ts';
import { createLostLines } from './lost-lines.ts';
import { createMockDescriber } from './mocked-changes.ts';
import { createNameDescriber } from './name-marks.ts';
import { describeMove } from './quiet-changes.ts';
import { makeSourceChapters } from './source-chapters.ts';
import { createTestedCheck, isTelling, isTestable, listWordsOfTests, type TreeSearch } from './test-coverage.ts';
import { findWeakerChecks } from './weaker-checks.ts';

/** A changeset's files, read for its guide. */
export interface ReadChanges {
  readonly texts: readonly ChangedText[];
  readonly links: FileLinks;
}

/** Reads a patch; `after`: whole texts of its files, as far as they are at hand. */
export function readChanges(patch: Patch, after: ReadonlyMap<string, string>): ReadChanges {
  const texts = patch.files.map((file) => readChangedText(file, after.get(file.path) ?? null));
  return { texts, links: findFileLinks(texts) };
}

/** Whether the tests of the tree have to be known. */
export function needsTests({ texts }: ReadChanges): boolean {
  return texts.some(isTestable);
}

/**
 * Words to look for in the tree: by what a test would name each changed file that none is known to be about, and public
 * names that are gone or changed.
 */
export function listWordsToSearch(changes: ReadChanges, tests: readonly string[]): readonly string[] {
  const sources = changes.texts.filter(({ kind }) => kind === 'source');
  const whyUntested = createTestedCheck({ ...changes, search: { tests, words: new Set(), lines: [] }, coverage: [] });
  const untested = sources.filter((text) => isTestable(text) && whyUntested(text) !== null);
  return [...new Set([...untested.flatMap(listWordsOfTests), ...sources.flatMap(listBrokenNames)])];
}

function listBrokenNames({ names: { gone, changed } }: ChangedText): readonly string[] {
  return [...gone, ...changed.map(({ name }) => name)].filter(isTelling);
}

type GuidedTask = Pick<Task, 'id' | 'title' | 'file_locks' | 'reasons'>;

/** Puts a changeset in the order that explains it, and marks what deserves a second look. `coverage`: of its checks. */
export function buildReadingGuide(
  changes: ReadChanges,
  tasks: readonly GuidedTask[],
  search: TreeSearch,
  coverage: readonly CoveredFile[] = [],
): ReadingGuide {
  const marks = markFiles(changes, search, coverage);
  const notRun = new Map(coverage.map(({ path, ranges }) => [path, ranges]));
  const guide = (text: ChangedText): GuidedFile => ({
    path: text.path,
    insertions: text.file.insertions,
    deletions: text.file.deletions,
    why: findReason(text, tasks),
    marks: marks.get(text) ?? [],
    ...(notRun.has(text.path) ? { lines_not_run: notRun.get(text.path) ?? [] } : {}),
  });
  const chapters = divide(changes, tasks, marks);
  return {
    chapters: chapters
      .filter(({ texts }) => texts.length > 0)
      .map(({ texts, ...chapter }) => ({ ...chapter, files: texts.map(guide) })),
  };
}

/** What the last of its workers that gave a reason says. */
function findReason({ path, file }: ChangedText, tasks: readonly GuidedTask[]): ClaimedReason | null {
  const said = tasks.flatMap(({ id, reasons = [] }) =>
    reasons
      .filter((one) => one.path === path || one.path === file.movedFrom?.path)
      .map(({ text }) => ({ task: id, text })),
  );
  return said.at(-1) ?? null;
}

type Marks = ReadonlyMap<ChangedText, readonly ReadingMark[]>;

function markFiles({ texts, links }: ReadChanges, search: TreeSearch, coverage: readonly CoveredFile[]): Marks {
  const isManifestChanged = texts.some(({ kind }) => kind === 'dependencies');
  const listLost = createLostLines(texts.filter(({ kind }) => kind === 'test'));
  const describeMocks = createMockDescriber(texts, links);
  const describeNames = createNameDescriber(texts, search);
  const untested = listUntested({ texts, links }, search, coverage);
  return new Map(
    texts.map((text) => {
      const all = [
        ...makeMark('weaker-check', [
          ...findWeakerChecks(text, text.kind === 'test' ? listLost(text) : []),
          ...(text.kind === 'test' ? describeMocks(text) : []),
          ...describeMove(text),
        ]),
        ...listOwnMarks(text, isManifestChanged),
        ...makeMark('public-name', text.kind === 'source' ? describeNames(text) : []),
        ...makeMark('no-test', [untested.get(text) ?? []].flat()),
      ];
      return [text, all.sort((a, b) => readingMarkKinds.indexOf(a.kind) - readingMarkKinds.indexOf(b.kind))] as const;
    }),
  );
}

/** Why no test seems to be about a file; where there are none at all, that is said once. */
function listUntested(
  { texts, links }: ReadChanges,
  search: TreeSearch,
  coverage: readonly CoveredFile[],
): ReadonlyMap<ChangedText, string> {
  const whyUntested = createTestedCheck({ texts, links, search, coverage });
  const found = texts.flatMap((text) => {
    const why = isTestable(text) && whyLooksGenerated(text).length === 0 ? whyUntested(text) : null;
    return why === null ? [] : [[text, why] as const];
  });
  const hasTests = search.tests.length > 0 || texts.some(({ kind }) => kind === 'test');
  return new Map(hasTests ? found : found.slice(0, 1).map(([text]) => [text, 'there are no tests'] as const));
}

interface DividedChapter extends Omit<ReadingChapter, 'files'> {
  readonly texts: readonly ChangedText[];
}

type Place = 'source' | 'tests' | 'documents' | 'setup' | 'looks-generated' | 'moved' | 'folded';

/** The chapters in order, some of them empty. */
function divide({ texts, links }: ReadChanges, tasks: readonly GuidedTask[], marks: Marks): readonly DividedChapter[] {
  const places = groupBy(texts, (text) => placeOf(text, marks.get(text) ?? []));
  const at = (place: Place): readonly ChangedText[] => places.get(place) ?? [];
  const sources = makeSourceChapters(at('source'), { links, tasks });
  const order = sources.flatMap((chapter) => chapter.texts.map(({ path }) => path));
  const moved = at('moved');
  const shown = [
    ...sources,
    { kind: 'tests', title: 'Tests', texts: sortTests(at('tests'), order, links) },
    { kind: 'setup', title: 'Set-up', texts: sortSetup(at('setup')) },
    { kind: 'documents', title: 'Documents', texts: at('documents') },
    { kind: 'generated', title: 'Looks generated, may be written by hand', texts: at('looks-generated') },
  ] as const;
  const folded = [
    { kind: 'moved', title: `${formatCount(moved.length, 'file')} that only moved`, texts: moved },
    { kind: 'generated', title: 'Generated, binary and lock files', texts: at('folded') },
  ] as const;
  return [shown, folded].flatMap((all, index) => all.map((chapter) => ({ ...chapter, isFolded: index === 1 })));
}

/** By its name, which is what runs it. */
function isCode({ kind, language }: ChangedText): boolean {
  return language !== 'other' || kind === 'ci' || kind === 'build' || kind === 'dependencies' || kind === 'settings';
}

function placeOf(text: ChangedText, marks: readonly ReadingMark[]): Place {
  const { file, kind } = text;
  // No file of a tool, though its name is that of one.
  if ([file.oldMode, file.newMode].some((mode) => /^1[26]0000$/.test(mode))) return kind === 'test' ? 'tests' : 'setup';
  if (kind === 'lock' || kind === 'made') return 'folded';
  if (file.hasNul && !isCode(text)) return 'folded';
  if (file.movedFrom?.similarity === 100 && marks.length === 0) return 'moved';
  if (kind === 'test') return 'tests';
  if (kind === 'document') return 'documents';
  if (kind !== 'source') return 'setup';
  return marks.some((mark) => mark.kind === 'looks-generated') ? 'looks-generated' : 'source';
}

/** In the order of what they test; what helps tests or is their data comes after them. */
function sortTests(tests: readonly ChangedText[], order: readonly string[], links: FileLinks): readonly ChangedText[] {
  const places = new Map(order.map((path, index) => [path, index]));
  const placeOfTest = ({ path }: ChangedText): number => {
    const found = [...(links.get(path) ?? [])].map((used) => places.get(used) ?? order.length);
    return Math.min(order.length, ...found) + (isTestByName(path) ? 0 : order.length + 1);
  };
  const keyed = tests.map((text) => ({ text, place: placeOfTest(text) }));
  return keyed.sort((a, b) => a.place - b.place || compareText(a.text.path, b.text.path)).map(({ text }) => text);
}

function sortSetup(texts: readonly ChangedText[]): readonly ChangedText[] {
  const kinds = ['ci', 'build', 'dependencies', 'settings'];
  return [...texts].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}
