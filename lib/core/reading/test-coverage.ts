import type { ChangedText } from './changed-text.ts';
import type { FileLinks } from './file-links.ts';
import { stemOf } from './file-links.ts';

/** What a search of the tree found for names of the changed files; null: it was not searched. */
export interface TreeSearch {
  /** Paths of all test files of the tree. */
  readonly tests: readonly string[];
  readonly lines: readonly { readonly path: string; readonly text: string }[] | null;
}

/** Whether tests would be expected of a changed file: it is code, and something it does changed. */
export function isTestable({ kind, language, file, realLines, path }: ChangedText): boolean {
  const isCode = kind === 'source' && language !== 'other' && !/\.d\.[cm]?ts$|\.pyi$/.test(path);
  return isCode && file.status !== 'deleted' && realLines > 0;
}

/** Stems that many files have: a test of that name may be another's. */
const common = /^(?:index|main|mod|lib|utils?|types?|common|helpers?|__init__|app|base|core|config|constants)$/;

/** Words that a test of a file would hold: its own name and the names it declares. */
export function listWordsOfTests(text: ChangedText, names: readonly string[]): readonly string[] {
  const stem = lastPart(stemOf(text.path));
  return [...(stem.length > 3 && !common.test(stem) ? [stem] : []), ...names.filter(isTelling).slice(0, mostNames)];
}

/** Whether a name is found by itself, without being an everyday word. */
export function isTelling(name: string): boolean {
  return name.length >= 6 || (name.length >= 4 && /[a-z][A-Z]|_|\d/.test(name));
}

const mostNames = 12;

interface TestedFacts {
  readonly links: FileLinks;
  readonly changedTests: readonly ChangedText[];
  readonly search: TreeSearch;
}

/** Makes the judge of whether a test that changed, or one that was there, imports or names a file. */
export function createTestedCheck({
  links,
  changedTests,
  search,
}: TestedFacts): (text: ChangedText, words: readonly string[]) => boolean {
  const tests = new Set(search.tests);
  const stems = new Map<string, string[]>();
  for (const path of [...tests, ...changedTests.map((one) => one.path)]) {
    const stem = lastPart(stemOf(path)).replace(affixes, '').toLowerCase();
    stems.set(stem, [...(stems.get(stem) ?? []), path]);
  }
  const linked = new Set(changedTests.flatMap(({ path }) => [...(links.get(path) ?? [])]));
  const said = new Set((search.lines ?? []).filter(({ path }) => tests.has(path)).flatMap(({ text }) => wordsOf(text)));
  return (text, words) => {
    if (linked.has(text.path) || (text.language === 'rust' && /#\[cfg\(test\)\]/.test(text.after))) return true;
    return isNamedBy(text.path, stems) || words.some((word) => said.has(word));
  };
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

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
