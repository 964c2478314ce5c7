import { posix } from 'node:path';
import { addToListOfKey } from '../../util/sort-and-group.ts';
import { listNamesToFollow } from './changed-names.ts';
import type { ChangedText } from './changed-text.ts';
import type { Language } from './file-kind.ts';

/** Which changed files use which others: import them, or use a name on their changed lines that those declare and changed. */
export type FileLinks = ReadonlyMap<string, ReadonlySet<string>>;

export function findFileLinks(texts: readonly ChangedText[]): FileLinks {
  const places = indexPlaces(texts.map(({ path }) => path));
  const owners = new Map<string, string[]>();
  for (const text of texts)
    for (const name of listNamesToFollow(text.names))
      if (name.length >= shortestName) addToListOfKey(owners, name, text.path);
  return new Map(
    texts.map((text) => [text.path, new Set([...listImported(text, places), ...listUsed(text, owners)])] as const),
  );
}

/** Finds the changed files that a text means by the name of a module. */
export function createImportResolver(
  texts: readonly ChangedText[],
): (text: ChangedText, name: string) => readonly string[] {
  const places = indexPlaces(texts.map(({ path }) => path));
  return (text, name) => resolve(text, name, places);
}

// Shorter names are those of anything.
const shortestName = 4;
const mostLines = 5_000;
const mostOwners = 2;

function listUsed({ path, language, added }: ChangedText, owners: ReadonlyMap<string, readonly string[]>): string[] {
  if (language === 'other' || owners.size === 0) return [];
  const words = new Set(
    added
      .slice(0, mostLines)
      .join('\n')
      .match(/[A-Za-z_$][\w$]{3,}/g) ?? [],
  );
  return [...words].flatMap((word) => {
    const files = owners.get(word) ?? [];
    // A name of many files says nothing of one, and one that the file declares itself is its own.
    return files.length > mostOwners || files.includes(path) ? [] : files;
  });
}

/** Finds files by the end of their path, without and with its extension. */
interface Places {
  readonly exact: ReadonlySet<string>;
  readonly byStem: ReadonlyMap<string, readonly string[]>;
  readonly byFolder: ReadonlyMap<string, readonly string[]>;
}

function indexPlaces(paths: readonly string[]): Places {
  const byStem = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  for (const path of paths) {
    addToListOfKey(byStem, lastPart(stemOf(path)), path);
    addToListOfKey(byFolder, posix.dirname(path), path);
  }
  return { exact: new Set(paths), byStem, byFolder };
}

/** A path without its extension; a package's own file stands for its folder. */
export function stemOf(path: string): string {
  return path.replace(/(?<=[^/])\.[^/]*$/, '').replace(/\/(?:index|__init__|mod)$/, '');
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Changed files that a text imports; of a file that was not read whole, by the imports that its hunks show. */
function listImported(text: ChangedText, places: Places): readonly string[] {
  const found = importsOf(text).flatMap((name) => resolve(text, name, places));
  return found.filter((path) => path !== text.path);
}

/** Files and folders that a test imports, or stands in where that is enough to test them: `lib/auth`, `.` for the top. */
export function listImportedPlaces(text: ChangedText): readonly string[] {
  const { path, language } = text;
  if (language === 'go') return [posix.dirname(path)];
  if (language === 'python') return importsOf(text).map((name) => name.replaceAll('.', '/'));
  if (language !== 'js') return [];
  const own = importsOf(text).filter((name) => name.startsWith('.'));
  return own.map((name) => stemOf(posix.join(posix.dirname(path), name)).replace(/\/$/, ''));
}

const importPatterns: Readonly<Record<Language, RegExp | null>> = {
  js: /\b(?:from|import|require\(|import\()\s*["'](?<name>[^"'\n]+)["']/g,
  python: /^[ \t]*(?:from\s+(?<name>[.\w]+)\s+import\s+(?<of>\([^)]{0,2000}\)|[^\n]+)|import\s+(?<plain>[\w., ]+))/gm,
  go: /^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"(?<name>[\w./-]+)"[ \t]*$/gm,
  rust: /^[ \t]*(?:pub[ \t]+)?(?:use[ \t]+(?<name>[\w:]+)|mod[ \t]+(?<of>\w+)[ \t]*;)/gm,
  c: /^[ \t]*#[ \t]*include[ \t]*["<](?<name>[^">\n]+)[">]/gm,
  java: /^[ \t]*(?:import|using)[ \t]+(?:static[ \t]+)?(?<name>[\w.]+)/gm,
  other: null,
};

function importsOf({ language, after, before, file }: ChangedText): readonly string[] {
  const pattern = importPatterns[language];
  if (pattern === null) return [];
  const text = file.status === 'deleted' ? before : after;
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }) => namesOfImport(language, groups));
}

function namesOfImport(
  language: Language,
  { name = '', of = '', plain = '' }: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (language === 'python') {
    if (name === '') return plain.split(',').map((one) => one.trim().split(' ')[0] ?? '');
    const parts = of.replace(/[()]|#[^\n]*/g, ' ').split(',');
    const members = parts.map((one) => one.trim().split(/\s/)[0] ?? '').filter((one) => /^\w+$/.test(one));
    return [name, ...members.map((one) => (name.endsWith('.') ? `${name}${one}` : `${name}.${one}`))];
  }
  if (language === 'rust' && of !== '') return [`self::${of}`];
  return name === '' ? [] : [name];
}

function resolve({ path, language }: ChangedText, name: string, places: Places): readonly string[] {
  switch (language) {
    case 'js':
      return name.startsWith('.')
        ? atPath(posix.join(posix.dirname(path), name), places)
        : byTail(name.replace(/^[@~]\//, ''), places);
    case 'python': {
      const dots = /^\.*/.exec(name)?.[0].length ?? 0;
      const rest = name.slice(dots).replaceAll('.', '/');
      const up = dots === 0 ? null : posix.join(posix.dirname(path), '../'.repeat(dots - 1));
      return up === null ? byTail(rest, places, 1) : atPath(posix.join(up, rest), places);
    }
    case 'go':
      return inFolder(name, places);
    case 'rust': {
      const parts = name.split('::').filter((part) => !/^(?:crate|self|super|std|core|alloc)$/.test(part));
      // The last parts may be names within the file.
      const found = parts.map((_, index) => byTail(parts.slice(0, parts.length - index).join('/'), places, 1));
      return found.find((one) => one.length > 0) ?? [];
    }
    case 'c':
      return byTail(name, places, 1).filter((one) => /\.h\w*$/.test(one));
    case 'java': {
      const [exact, outer] = [byTail(name.replaceAll('.', '/'), places), name.split('.').slice(0, -1).join('/')];
      return exact.length > 0 ? exact : byTail(outer, places);
    }
    case 'other':
      return [];
  }
}

/** A file at a path that may lack its extension, or have that of what it is compiled to. */
function atPath(path: string, { exact, byStem }: Places): readonly string[] {
  if (exact.has(path)) return [path];
  const stem = stemOf(path);
  const named = byStem.get(lastPart(stem)) ?? [];
  return named.filter((one) => stemOf(one) === stem || stemOf(one) === path);
}

/** Files whose path ends so; of names with fewer parts than `least`, none. */
function byTail(tail: string, { byStem }: Places, least = 2): readonly string[] {
  const stem = stemOf(tail);
  if (stem === '' || stem.split('/').length < least) return [];
  const named = byStem.get(lastPart(stem)) ?? [];
  return named.filter((path) => stemOf(path) === stem || stemOf(path).endsWith(`/${stem}`));
}

/** A Go package: the files of the folder that the end of its name names. */
function inFolder(name: string, { byFolder }: Places): readonly string[] {
  const parts = name.split('/');
  for (let from = 1; from < parts.length; from += 1) {
    const files = byFolder.get(parts.slice(from).join('/'));
    if (files !== undefined) return files.filter((path) => !path.endsWith('_test.go'));
  }
  return [];
}
