import type { PathFacts } from '../../domain/policy.ts';
import { fold, wildcardMatches } from '../../util/path-globs.ts';

const mostNames = 5_000;

/**
 * The names bash would put in place of a wildcard word, none if it stays as it is; null if they are too many.
 * Where bash depends on the locale (ranges) more names are given, never fewer.
 */
export function expandGlob(pattern: string, cwd: string, facts: PathFacts): readonly string[] | null {
  let found = [pattern.startsWith('/') ? '/' : ''];
  for (const segment of pattern.split('/').filter((one) => one !== '')) {
    const matcher = isWild(segment) ? segmentMatcher(segment) : null;
    found = found.flatMap((head) => {
      if (matcher === null) return [`${head}${segment}/`];
      const names = facts.list(head.startsWith('/') ? head : `${cwd}/${head}`) ?? [];
      return names.filter((name) => matcher.test(name)).map((name) => `${head}${name}/`);
    });
    if (found.length > mostNames) return null;
  }
  const tail = pattern.endsWith('/') ? '/' : '';
  return found
    .map((path) => path.slice(0, -1))
    .filter((path) => isThere(path.startsWith('/') ? path : `${cwd}/${path}`, facts))
    .map((path) => `${path}${tail}`);
}

/** Below a file there is nothing, and no looking for it either. */
function isThere(path: string, facts: PathFacts): boolean {
  const parent = path.slice(0, path.lastIndexOf('/'));
  return facts.list(parent === '' ? '/' : parent) !== null && facts.lstat(path) !== null;
}

/**
 * Whether a wildcard word aims at something blocked although nothing of that name may be there yet: its plain
 * beginning and a blocked glob agree (`.en?` and `.env`). A bare `*` is judged by the names it finds.
 */
export function aimsAt(pattern: string, blocked: string): boolean {
  return meets(fold(pattern).split('/'), fold(blocked).split('/'));
}

function meets(pattern: readonly string[], blocked: readonly string[]): boolean {
  const [name, ...names] = pattern;
  const [glob, ...globs] = blocked;
  if (glob === undefined || (glob === '**' && globs.length === 0)) return true;
  if (name === undefined) return false;
  if (glob === '**') return meets(pattern, globs) || meets(names, blocked);
  // It may stand for no folder at all.
  if (name === '**' && names.length > 0) return meets(names, blocked);
  return segmentAims(name, glob) && meets(names, globs);
}

function segmentAims(name: string, glob: string): boolean {
  if (!isWild(name)) return wildcardMatches(glob, name);
  const start = plainStart(name);
  const isPlain = !isWild(glob) && !/[{}\\]/.test(glob);
  // `?env` finds no dot file in bash as it is started here; who writes it means one all the same.
  if (start === '' && isPlain)
    return /^(?:[?[]|\*+\w).*\w\w/.test(name) && segmentMatcher(name, true).test(glob);
  if (start === '')
    return saysEnough(name) && stands(glob).some((one) => segmentMatcher(name, true).test(one));
  if (isPlain) return segmentMatcher(name).test(glob);
  const other = plainStart(glob);
  if (other === '') return stands(glob).some((one) => segmentMatcher(name).test(one));
  return start.startsWith(other) || other.startsWith(start);
}

/** A wildcard at the start must be followed by something of its own: `*.k*` means keys, `*` and `*.*` nothing yet. */
function saysEnough(name: string): boolean {
  const letters = name.replace(/\[[^\]]*\]/g, 'a').replace(/[^\p{L}\p{N}.]/gu, '');
  return /\w\w|\.\w/.test(letters);
}

/** Names a blocked glob stands for, with and without something in place of its wildcards. */
function stands(glob: string): readonly string[] {
  if (/[{}\\]/.test(glob)) return [];
  const fill = (text: string): string => glob.replace(/\*+/g, text).replace(/\[[^\]]*\]|\?/g, 'x');
  return [...new Set([fill(''), fill('x')])];
}

export function isWild(segment: string): boolean {
  return /[*?[]/.test(segment);
}

function plainStart(segment: string): string {
  return /^[^*?[{\\]*/.exec(segment)?.[0] ?? '';
}

function segmentMatcher(segment: string, findsDots = false): RegExp {
  const source = segment.replace(/\[[!^]?[\w.-]+\]|[\s\S]/g, (piece) => {
    if (piece === '*') return '.*';
    if (piece === '?') return '.';
    if (piece.length > 1) return piece.replace('[!', '[^');
    return piece.replace(/[.+^${}()|[\]\\/-]/, '\\$&');
  });
  // A wildcard at the start never stands for a dot.
  const start = /^[*?[]/.test(segment) && !findsDots ? '(?!\\.)' : '';
  try {
    return new RegExp(`^${start}${source}$`, /\[.*-.*\]/.test(segment) ? 'is' : 's');
  } catch {
    return /(?:)/;
  }
}
