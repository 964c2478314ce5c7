import type { CoveredFile } from '../../domain/state/verdict.ts';
import { formatCount, formatLineRanges } from '../../util/format-figures.ts';
import { groupBy } from '../../util/sort-and-group.ts';
import type { ChangedText } from './changed-text.ts';
import { type FileLinks, lastPart, listImportedPlaces, stemOf } from './file-links.ts';

/** What a search of the tree found for names of the changed files. */
export interface TreeSearch {
  /** Paths of all test files of the tree. */
  readonly tests: readonly string[];
  /** The words that were looked for; none: the tree is too large, or there are too many of them. */
  readonly words: ReadonlySet<string>;
  /** Where they stand. */
  readonly lines: readonly { readonly path: string; readonly text: string }[];
}

/** Whether tests would be expected of a changed file: it is code, and something it does changed. */
export function isTestable({ kind, language, file, realLines, path }: ChangedText): boolean {
  const isCode = kind === 'source' && language !== 'other' && !/\.d\.[cm]?ts$|\.pyi$/.test(path);
  return isCode && file.status !== 'deleted' && realLines > 0;
}

/** Stems that many files have: a test of that name may be another's. */
const common = /^(?:index|main|mod|lib|utils?|types?|common|helpers?|__init__|app|base|core|config|constants)$/;

/** Words that a test of a file would hold: its own name and the names it declares. */
export function listWordsOfTests({ path, names }: ChangedText): readonly string[] {
  const stem = lastPart(stemOf(path));
  return [...(stem.length > 3 && !common.test(stem) ? [stem] : []), ...names.now.filter(isTelling).slice(0, mostNames)];
}

/** Whether a name is found by itself, without being an everyday word. */
export function isTelling(name: string): boolean {
  return name.length >= 6 || (name.length >= 4 && /[a-z][A-Z]|_|\d/.test(name));
}

const mostNames = 12;

interface TestedFacts {
  readonly texts: readonly ChangedText[];
  readonly links: FileLinks;
  readonly search: TreeSearch;
  readonly coverage: readonly CoveredFile[];
}

/**
 * Why no test seems to be about a file, a clause; null: its lines ran, or where no report measures them, a changed test
 * imports it, or one that is there names it.
 */
export type WhyUntested = (text: ChangedText) => string | null;

export function createTestedCheck({ texts, links, search, coverage }: TestedFacts): WhyUntested {
  const changedTests = texts.filter(({ kind, file }) => kind === 'test' && file.status !== 'deleted');
  const tests = new Set(search.tests);
  const stems = groupBy([...tests, ...changedTests.map(({ path }) => path)], (path) =>
    lastPart(stemOf(path)).replace(affixes, '').toLowerCase(),
  );
  const linked = new Set(changedTests.flatMap(({ path }) => [...(links.get(path) ?? [])]));
  const places = new Set(changedTests.flatMap(listImportedPlaces));
  const said = new Set(search.lines.filter(({ path }) => tests.has(path)).flatMap(({ text }) => wordsOf(text)));
  const measured = new Map(coverage.map((file) => [file.path, file]));
  return (text) => {
    const lines = measured.get(text.path);
    if (lines !== undefined) return whyNotRun(lines);
    const words = listWordsOfTests(text);
    const isLinked = linked.has(text.path) || listPlacesOf(text.path).some((place) => places.has(place));
    const holdsTests = text.language === 'rust' && /#\[cfg\(test\)\]/.test(text.after);
    if (isLinked || holdsTests || isNamedBy(text.path, stems) || words.some((word) => said.has(word))) return null;
    const isSearched = words.length > 0 && words.every((word) => search.words.has(word));
    return isSearched ? 'no test changed or names it' : 'no test changed with it, and none has its name';
  };
}

/** A few lines that did not run, of many that did, are left to the reader. */
function whyNotRun({ report, lines, not_run: count, ranges }: CoveredFile): string | null {
  if (count === 0 || (count < 10 && count * 5 < lines)) return null;
  const where = formatLineRanges(ranges, 4);
  return `${count} of ${formatCount(lines, 'changed line')} ran in no test (${where}), by ${report}`;
}

/** The folders a file is in, by whole path and by the end of it: what a test imports to reach it through them. */
function listPlacesOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  const folders = parts.flatMap((_, end) => parts.slice(0, end + 1).map((__, start) => parts.slice(start, end + 1)));
  return ['.', ...folders.map((folder) => folder.join('/'))];
}

const affixes = /^test[_-]|[._-](?:test|tests|spec|e2e|cy)$|(?:Test|Tests|TestCase|Spec|IT)$/;

/** A test of the same name; of a name that many files have, one below a folder of the same name too. */
function isNamedBy(path: string, stems: ReadonlyMap<string, readonly string[]>): boolean {
  const stem = lastPart(stemOf(path));
  const found = stems.get(stem.toLowerCase()) ?? [];
  const folder = path.split('/').at(-2) ?? '';
  return found.some((test) => !common.test(stem) || folder === '' || test.split('/').includes(folder));
}

export function wordsOf(line: string): readonly string[] {
  return [...(line.match(/[A-Za-z_$][\w$]*/g) ?? []), ...(line.match(/[\w$-]+/g) ?? [])];
}
