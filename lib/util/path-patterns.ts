import { braceExpand, Minimatch } from 'minimatch';

/** One name of a pattern. `**` that is no literal stands for any number of folders. */
export interface Segment {
  readonly text: string;
  readonly isLiteral: boolean;
}

/** One way to read a lock or a path of the configuration. */
export interface PathPattern {
  readonly segments: readonly Segment[];
  /** Ends in a plain name or in `/`: everything below belongs to it. */
  readonly holdsFolder: boolean;
  /** Ends in `/`: a folder for sure, and not a file. */
  readonly isFolder: boolean;
}

// Frameworks name files `[slug]`, `[...rest]`, `(group)`, `@slot` and `+page@(app)`: of brackets only a range or a
// negation is a pattern, parentheses never are.
const characterClass = /\[(?:[!^][^[\]/]+|_?(?:(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d)_?)+)\]/;
const bracketPieces = new RegExp(`\\\\.|${characterClass.source}|[[\\]]`, 'gs');

/** Whether a name stands for others than itself, its braces aside. */
export function isWildName(name: string): boolean {
  return /[*?\\]/.test(name) || characterClass.test(name);
}

/** Expands the braces of a lock, each alternative as a lock of its own. */
export function expandLockBraces(lock: string): readonly string[] {
  return [...new Set(braceExpand(lock))];
}

/**
 * How a lock or a path of the configuration can be read; null for each reading that is absolute or leaves the
 * repository. A name is literal where `present` has the path up to it. Braces and backslashes of others are read both
 * ways.
 */
export function listPatternReadings(glob: string, present: readonly string[] = []): readonly (PathPattern | null)[] {
  const names = glob.normalize('NFC').split('/');
  const marked = names
    .map((name, at) => (isOpen(name) && present.includes(placeOf(names, at)) ? `\0${at}\0` : name))
    .join('/');
  const parts = expandLockBraces(marked).map((part) =>
    toPattern(
      part.split('/').map((name) => {
        const at = /^\0(\d+)\0$/.exec(name)?.[1];
        return at === undefined
          ? { text: name, isLiteral: !isWildName(name) }
          : { text: names[Number(at)] ?? '', isLiteral: true };
      }),
    ),
  );
  return /[{\\]/.test(marked) ? [toPattern(names.map((text) => ({ text, isLiteral: true }))), ...parts] : parts;
}

/**
 * The paths whose being there decides how globs are read: up to each name that could be a pattern. What follows `*` or
 * `**` has no place of its own, and is a pattern.
 */
export function listAmbiguousPaths(globs: readonly string[]): readonly string[] {
  const places = globs.flatMap((glob) => {
    const names = glob.normalize('NFC').split('/');
    const end = names.findIndex((name) => /^\*+$/.test(name));
    const fixed = end === -1 ? names : names.slice(0, end);
    return fixed.flatMap((name, at) => (isOpen(name) ? placeOf(names, at) : []));
  });
  return [...new Set(places)];
}

/** Whether a pattern matches a path without empty names, in NFC. */
export function patternMatchesPath(pattern: PathPattern, target: string): boolean {
  const { segments, holdsFolder } = pattern;
  if (segments.length === 0) return true;
  if (segments.every(({ isLiteral }) => isLiteral)) {
    const literal = segments.map(({ text }) => text).join('/');
    return target === literal || target.startsWith(`${literal}/`);
  }
  const matcher = compiled(segments);
  return matcher.match(target) || (holdsFolder && foldersOf(target).some((folder) => matcher.match(folder)));
}

/** Whether a name of a pattern matches one name. */
export function segmentMatchesName(segment: Segment, name: string): boolean {
  return segment.text === name || (!segment.isLiteral && compiled([segment]).match(name));
}

/** The names of a path up to one of them, as a path of the repository. */
function placeOf(names: readonly string[], at: number): string {
  return names
    .slice(0, at + 1)
    .filter((name) => name !== '' && name !== '.')
    .join('/');
}

function isOpen(name: string): boolean {
  return (isWildName(name) || name.includes('{')) && !/^\*+$/.test(name);
}

function toPattern(all: readonly Segment[]): PathPattern | null {
  const [first, last] = [all[0]?.text, all.at(-1)];
  if (first === '' || all.some(({ text }) => text === '..')) return null;
  const segments = all.filter(({ text }) => text !== '' && text !== '.');
  const isFolder = last?.text === '' || segments.length === 0;
  return { segments, isFolder, holdsFolder: isFolder || segments.at(-1)?.isLiteral === true };
}

const cache = new Map<string, Minimatch>();
const cacheLimit = 2_000;

function compiled(segments: readonly Segment[]): Minimatch {
  const source = segments.map(sourceOf).join('/');
  const known = cache.get(source);
  if (known !== undefined) return known;
  if (cache.size >= cacheLimit) cache.clear();
  const made = new Minimatch(source, {
    // Dot files count, `!` and `#` at the start are plain characters, and no platform turns `\` into `/`.
    dot: true,
    nonegate: true,
    nocomment: true,
    platform: 'linux' as const,
    nobrace: true,
    noext: true,
  });
  cache.set(source, made);
  return made;
}

function sourceOf({ text, isLiteral }: Segment): string {
  if (isLiteral) return text.replace(/[*?()[\]\\]/g, '\\$&');
  return text.replace(bracketPieces, (piece) => (piece.length > 1 ? piece : `\\${piece}`));
}

function foldersOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
}
