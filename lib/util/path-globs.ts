import { Minimatch } from 'minimatch';
import {
  expandLockBraces,
  isWildName,
  listPatternReadings,
  type PathPattern,
  patternMatchesPath,
  type Segment,
  segmentMatchesName,
} from './path-patterns.ts';

/**
 * Whether a lock or a path of the configuration (a file, a folder with or without a final `/`, or a pattern) names a path
 * of the repository, exact in case, Unicode form aside. `present`: paths that are there by the very name that could be
 * a pattern, and are meant by it (listAmbiguousPaths). What leaves the repository matches nothing.
 */
export function globMatchesPath(glob: string, path: string, present: readonly string[] = []): boolean {
  const target = normalizePath(path);
  return (
    target !== null &&
    readingsOf(glob, present).some((reading) => reading !== null && patternMatchesPath(reading, target))
  );
}

/**
 * Whether a glob matches a path, as a plain path or as shells and search programs read it: these always take
 * brackets and `@(…)` as patterns.
 */
export function shellGlobMatchesPath(glob: string, path: string): boolean {
  if (globMatchesPath(glob, path)) return true;
  const target = normalizePath(path);
  if (target === null || !/[[(]/.test(glob)) return false;
  const { matcher, holdsFolder } = wildcardOf(glob);
  const ends = holdsFolder ? target.split('/').map((_, at, names) => names.slice(0, at).join('/')) : [];
  return [target, ...ends].some((one) => matcher.match(one));
}

interface Wildcard {
  readonly matcher: Minimatch;
  readonly holdsFolder: boolean;
}

const wildcards = new Map<string, Wildcard>();
const wildcardsLimit = 2_000;

function wildcardOf(glob: string): Wildcard {
  const known = wildcards.get(glob);
  if (known !== undefined) return known;
  if (wildcards.size >= wildcardsLimit) wildcards.clear();
  const names = glob
    .normalize('NFC')
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  const options = { dot: true, nonegate: true, nocomment: true, platform: 'linux' as const };
  const made = {
    matcher: new Minimatch(names.join('/'), options),
    holdsFolder: glob.endsWith('/') || !/[*?[({]/.test(names.at(-1) ?? ''),
  };
  wildcards.set(glob, made);
  return made;
}

/**
 * Whether two locks may name a common path, so that their tasks can't run side by side. Case and Unicode form
 * don't part locks (they don't on every file system); two patterns conflict unless they are provably apart.
 */
export function locksConflict(a: string, b: string): boolean {
  const [lefts, rights] = [readingsOf(foldNameForComparison(a)), readingsOf(foldNameForComparison(b))];
  return lefts.some((left) => rights.some((right) => left === null || right === null || mayMeet(left, right)));
}

/**
 * The names that a lock begins with and that hold no wildcard, as locksConflict compares them, for each way it can be
 * read: where two of them differ before one ends, the locks are apart. null: it isn't a path, and conflicts with any.
 */
export function listLiteralStartsOfLock(lock: string): readonly (readonly string[] | null)[] {
  const known = knownStarts.get(lock);
  if (known !== undefined) return known;
  if (knownStarts.size >= readingsLimit) knownStarts.clear();
  const made = readingsOf(foldNameForComparison(lock)).map((reading) => {
    if (reading === null) return null;
    const end = reading.segments.findIndex(({ isLiteral }) => !isLiteral);
    return reading.segments.slice(0, end === -1 ? undefined : end).map(({ text }) => text);
  });
  knownStarts.set(lock, made);
  return made;
}

/** Whether everything a lock covers is provably inside one of the allowed globs. */
export function isLockInsideGlobs(lock: string, allowedGlobs: readonly string[]): boolean {
  const allowed = allowedGlobs.flatMap(alternatives).filter((glob) => glob !== null);
  const parts = alternatives(lock);
  return (
    parts.length > 0 &&
    parts.every((part) => part !== null && allowed.some((glob) => holdsAll(glob, part, glob.segments, part.segments)))
  );
}

/** Whether a lock, or one name of it, may match other names than its own. */
export function hasWildcard(lock: string): boolean {
  const parts = expandLockBraces(lock);
  return parts.length > 1 || parts.some((part) => part.split('/').some(isWildName));
}

/** Lower case and NFC: how names are compared when the least exact file system decides. */
export function foldNameForComparison(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

function normalizePath(text: string): string | null {
  if (text === '' || text.startsWith('/')) return null;
  const segments = text
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  return segments.includes('..') ? null : segments.join('/');
}

/** A lock's brace alternatives; null for one that isn't a path of the repository. */
function alternatives(lock: string): readonly (PathPattern | null)[] {
  return expandLockBraces(lock).flatMap((part) => readingsOf(part).slice(-1));
}

const readingsLimit = 50_000;
const knownReadings = new Map<string, readonly (PathPattern | null)[]>();
const knownStarts = new Map<string, readonly (readonly string[] | null)[]>();

/** Kept: a queue compares the same locks with each other again and again. */
function readingsOf(glob: string, present: readonly string[] = []): readonly (PathPattern | null)[] {
  const key = present.length === 0 ? glob : [glob, ...present].join('\0');
  const known = knownReadings.get(key);
  if (known !== undefined) return known;
  if (knownReadings.size >= readingsLimit) knownReadings.clear();
  const made = listPatternReadings(glob, present);
  knownReadings.set(key, made);
  return made;
}

function mayMeet(a: PathPattern, b: PathPattern): boolean {
  for (let index = 0; ; index += 1) {
    const left = a.segments[index];
    const right = b.segments[index];
    if (left === undefined || right === undefined) return true;
    if (isAnyDepth(left) || isAnyDepth(right)) return true;
    if (!segmentsMeet(left, right)) return false;
  }
}

function isAnyDepth({ text, isLiteral }: Segment): boolean {
  return !isLiteral && text === '**';
}

function segmentsMeet(a: Segment, b: Segment): boolean {
  if (a.text === b.text) return true;
  if (a.isLiteral && b.isLiteral) return false;
  if (a.isLiteral) return segmentMatchesName(b, a.text);
  if (b.isLiteral) return segmentMatchesName(a, b.text);
  const [aEnds, bEnds] = [literalEnds(a.text), literalEnds(b.text)];
  return isPrefixPair(aEnds.start, bEnds.start) && isPrefixPair(reversed(aEnds.end), reversed(bEnds.end));
}

/** Whether segments of a pattern hold every path that lock segments name. */
function holdsAll(
  glob: PathPattern,
  lock: PathPattern,
  globRest: readonly Segment[],
  lockRest: readonly Segment[],
): boolean {
  const [head, ...tail] = globRest;
  const [name, ...names] = lockRest;
  if (head === undefined) return name === undefined ? glob.holdsFolder || !lock.isFolder : glob.holdsFolder;
  if (isAnyDepth(head)) {
    if (tail.length === 0) return true;
    return holdsAll(glob, lock, tail, lockRest) || (name !== undefined && holdsAll(glob, lock, globRest, names));
  }
  if (name === undefined || isAnyDepth(name)) return false;
  return segmentHoldsAll(head, name) && holdsAll(glob, lock, tail, names);
}

function segmentHoldsAll(glob: Segment, segment: Segment): boolean {
  if (glob.text === segment.text || (glob.text === '*' && !glob.isLiteral)) return true;
  if (glob.isLiteral) return false;
  if (segment.isLiteral) return segmentMatchesName(glob, segment.text);
  const star = glob.text.split('*');
  if (star.length !== 2 || star.some(isWildName)) return false;
  const ends = literalEnds(segment.text);
  return ends.start.startsWith(star[0] ?? '') && ends.end.endsWith(star[1] ?? '');
}

/** The plain text before the first and after the last wildcard of a segment. */
function literalEnds(segment: string): { readonly start: string; readonly end: string } {
  const start = /^[^*?[\]\\]*/.exec(segment)?.[0] ?? '';
  const end = /[^*?[\]\\]*$/.exec(segment)?.[0] ?? '';
  return { start, end };
}

function isPrefixPair(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
