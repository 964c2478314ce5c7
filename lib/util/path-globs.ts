import { braceExpand, Minimatch } from 'minimatch';

/**
 * Whether a glob names a path of the repository, exact in case, Unicode form aside. A glob that ends in a
 * plain name or in `/` names a folder too, with everything below it. Globs that leave the repository match nothing.
 */
export function pathMatches(glob: string, path: string): boolean {
  const target = normalizePath(path);
  return target !== null && readings(glob).some((reading) => reading !== null && holds(reading, target));
}

/** Whether a file lock (a file, a folder with or without a final `/`, or a glob) covers a path. */
export function lockCovers(lock: string, path: string): boolean {
  return pathMatches(lock, path);
}

/**
 * Whether two locks may name a common path, so that their tasks can't run side by side. Case and Unicode form
 * don't part locks (they don't on every file system); two globs conflict unless they are provably apart.
 */
export function locksConflict(a: string, b: string): boolean {
  const [lefts, rights] = [foldedReadings(a), foldedReadings(b)];
  return lefts.some((left) =>
    rights.some((right) => left === null || right === null || mayMeet(left, right)),
  );
}

/**
 * The names that a lock begins with and that hold no wildcard, as locksConflict compares them, for each way it can be
 * read: where two of them differ before one ends, the locks are apart. null: it isn't a path, and conflicts with any.
 */
export function literalStarts(lock: string): readonly (readonly string[] | null)[] {
  const known = knownStarts.get(lock);
  if (known !== undefined) return known;
  if (knownStarts.size >= readingsLimit) knownStarts.clear();
  const made = foldedReadings(lock).map((reading) => {
    if (reading === null) return null;
    const end = reading.segments.findIndex((segment) => !isLiteral(segment));
    return end === -1 ? reading.segments : reading.segments.slice(0, end);
  });
  knownStarts.set(lock, made);
  return made;
}

/** Whether everything a lock covers is provably inside one of the allowed globs. */
export function lockInside(lock: string, allowedGlobs: readonly string[]): boolean {
  const allowed = allowedGlobs.flatMap(alternatives).filter((glob) => glob !== null);
  const parts = alternatives(lock);
  return (
    parts.length > 0 &&
    parts.every(
      (part) => part !== null && allowed.some((glob) => holdsAll(glob, part, glob.segments, part.segments)),
    )
  );
}

/** What the braces of a lock stand for, each alternative as a lock of its own. */
export function lockParts(lock: string): readonly string[] {
  return [...new Set(braceExpand(lock))];
}

/** Whether a glob, or one name of it, may match other names than its own. */
export function hasWildcard(glob: string): boolean {
  return !isLiteral(glob);
}

/** Lower case and NFC: how names are compared when the least exact file system decides. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

interface Glob {
  readonly segments: readonly string[];
  /** Ends in a plain name or in `/`: everything below belongs to it. */
  readonly holdsFolder: boolean;
  /** Ends in `/`: a folder for sure, and not a file. */
  readonly isFolder: boolean;
}

const cache = new Map<string, Minimatch>();
const cacheLimit = 2_000;

function compiled(glob: string): Minimatch {
  const known = cache.get(glob);
  if (known !== undefined) return known;
  if (cache.size >= cacheLimit) cache.clear();
  // Dot files count, `!` and `#` at the start are plain characters, and no platform turns `\` into `/`.
  const made = new Minimatch(glob, { dot: true, nonegate: true, nocomment: true, platform: 'linux' });
  cache.set(glob, made);
  return made;
}

/** null: absolute, empty or leaving the repository. */
function normalizeGlob(text: string): Glob | null {
  const glob = text.normalize('NFC');
  if (glob === '' || glob.startsWith('/')) return null;
  const segments = glob.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) return null;
  const last = segments.at(-1) ?? '';
  const isFolder = glob.endsWith('/') || segments.length === 0;
  return { segments, isFolder, holdsFolder: isFolder || isLiteral(last) };
}

function normalizePath(text: string): string | null {
  if (text === '' || text.startsWith('/')) return null;
  const segments = text
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  return segments.includes('..') ? null : segments.join('/');
}

function holds(glob: Glob, target: string): boolean {
  if (glob.segments.length === 0) return true;
  const literal = glob.segments.join('/');
  if (target === literal || target.startsWith(`${literal}/`)) return true;
  const matcher = compiled(literal);
  if (matcher.match(target)) return true;
  return glob.holdsFolder && ancestorsOf(target).some((folder) => matcher.match(folder));
}

function ancestorsOf(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join('/'));
}

/** A lock's brace alternatives; null for one that isn't a path of the repository. */
function alternatives(lock: string): readonly (Glob | null)[] {
  return lockParts(lock).map(normalizeGlob);
}

/** A name that holds braces may be just that name: it's read both ways. */
function readings(lock: string): readonly (Glob | null)[] {
  return lock.includes('{') ? [normalizeGlob(lock), ...alternatives(lock)] : alternatives(lock);
}

const readingsLimit = 50_000;
const knownReadings = new Map<string, readonly (Glob | null)[]>();
const knownStarts = new Map<string, readonly (readonly string[] | null)[]>();

/** Kept: a queue compares the same locks with each other again and again. */
function foldedReadings(lock: string): readonly (Glob | null)[] {
  const known = knownReadings.get(lock);
  if (known !== undefined) return known;
  if (knownReadings.size >= readingsLimit) knownReadings.clear();
  const made = readings(fold(lock));
  knownReadings.set(lock, made);
  return made;
}

function mayMeet(a: Glob, b: Glob): boolean {
  for (let index = 0; ; index += 1) {
    const left = a.segments[index];
    const right = b.segments[index];
    if (left === undefined || right === undefined) return true;
    if (left === '**' || right === '**') return true;
    if (!segmentsMeet(left, right)) return false;
  }
}

function segmentsMeet(a: string, b: string): boolean {
  if (a === b) return true;
  if (isLiteral(a) && isLiteral(b)) return false;
  if (isLiteral(a)) return segmentHolds(b, a);
  if (isLiteral(b)) return segmentHolds(a, b);
  const [aEnds, bEnds] = [literalEnds(a), literalEnds(b)];
  return isPrefixPair(aEnds.start, bEnds.start) && isPrefixPair(reversed(aEnds.end), reversed(bEnds.end));
}

/** Whether glob segments hold every path that lock segments name. */
function holdsAll(glob: Glob, lock: Glob, globRest: readonly string[], lockRest: readonly string[]): boolean {
  const [head, ...tail] = globRest;
  const [name, ...names] = lockRest;
  if (head === undefined) return name === undefined ? glob.holdsFolder || !lock.isFolder : glob.holdsFolder;
  if (head === '**') {
    if (tail.length === 0) return true;
    return (
      holdsAll(glob, lock, tail, lockRest) || (name !== undefined && holdsAll(glob, lock, globRest, names))
    );
  }
  if (name === undefined || name === '**') return false;
  return segmentHoldsAll(head, name) && holdsAll(glob, lock, tail, names);
}

function segmentHoldsAll(glob: string, segment: string): boolean {
  if (glob === segment || glob === '*') return true;
  if (isLiteral(segment)) return segmentHolds(glob, segment);
  const star = glob.split('*');
  if (star.length !== 2 || !star.every(isLiteral)) return false;
  const ends = literalEnds(segment);
  return ends.start.startsWith(star[0] ?? '') && ends.end.endsWith(star[1] ?? '');
}

function segmentHolds(glob: string, name: string): boolean {
  return glob === name || compiled(glob).match(name);
}

function isLiteral(segment: string): boolean {
  return !/[*?[\]{}\\]|[+@!]\(/.test(segment);
}

/** The plain text before the first and after the last wildcard of a segment. */
function literalEnds(segment: string): { readonly start: string; readonly end: string } {
  const start = /^[^*?[\]{}()!+@|\\]*/.exec(segment)?.[0] ?? '';
  const end = /[^*?[\]{}()!+@|\\]*$/.exec(segment)?.[0] ?? '';
  return { start, end };
}

function isPrefixPair(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
