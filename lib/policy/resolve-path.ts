import type { PathFacts } from '../domain/agent-policy.ts';
import { createObjection, type PolicyObjection } from './policy-rules.ts';

type PathEntry = NonNullable<ReturnType<PathFacts['lstat']>>;

/** Where a path leads, in the worktree or in one of the extra folders. */
export interface ResolvedPath {
  readonly kind: 'inside' | 'extra';
  /** Relative to the worktree, '' at its top; absolute in an extra folder. As written, without `.` and `..`. */
  readonly lexical: string;
  /** As `lexical`, after symlinks: the file that the kernel would open. */
  readonly resolved: string;
  /** The entry that is there now; null if there is none. */
  readonly entry: PathEntry | null;
  /** A part of the path is a file: nothing can be there. */
  readonly isBelowFile: boolean;
}

interface PathQuestion {
  readonly path: string;
  /** Absolute; relative paths start here. */
  readonly cwd: string;
  readonly worktree: string;
  readonly extra: readonly string[];
  readonly facts: PathFacts;
  /** Where the last name is that of a link, the link is meant and not what it leads to. */
  readonly isLinkItself?: boolean;
}

const mostLinks = 40;

/** Follows a path segment by segment as the kernel does (`link/..` is the parent of the link's target). */
export function resolvePath(question: PathQuestion): ResolvedPath | PolicyObjection {
  const { path, worktree, facts } = question;
  // The folders above the worktree were named by a person.
  const malformed = explainMalformedPath(path.startsWith(`${worktree}/`) ? `.${path.slice(worktree.length)}` : path);
  if (malformed !== null) {
    return createObjection(
      'path-malformed',
      `The path ${JSON.stringify(path.slice(0, 200))} ${malformed}. Write a plain path, relative to the worktree.`,
    );
  }
  const scratch = scratchPath(question);
  if (scratch !== null) return { kind: 'extra', lexical: scratch, resolved: scratch, entry: null, isBelowFile: false };
  const cwd = walk(question.cwd, facts);
  const written = path.startsWith('/') ? path : `${cwd?.path ?? question.cwd}/${path}`;
  const lexical = inFolder(worktree, normalizeAbsolute(written));
  // The file outside is never looked at: some must not be (/proc/1/cwd).
  if (lexical === null) return leadsOut(question, '');
  const end = walk(written, facts, question.isLinkItself);
  if (cwd === null || end === null) return createObjection('path-outside', `${path} is a loop of symlinks.`);
  const resolved = inFolder(worktree, end.path);
  if (resolved === null) return leadsOut(question, ', through a symlink,');
  return { kind: 'inside', lexical, resolved, entry: end.entry, isBelowFile: end.isBelowFile };
}

function leadsOut({ path, worktree }: PathQuestion, via: string): PolicyObjection {
  return createObjection(
    'path-outside',
    `${path} leads${via} out of the worktree ${worktree}. Use paths inside the worktree.`,
  );
}

/**
 * The place of a path in an extra folder. It is named from its root, or from a folder that is itself in
 * there; its present content can't be seen from here, for the cell has a /tmp of its own. Where the worktree
 * is below such a folder, its neighbours are no part of it.
 */
function scratchPath({ path, cwd, worktree, extra }: PathQuestion): string | null {
  const isIn = (place: string): boolean => extra.some((folder) => inFolder(folder, place) !== null);
  const isFrom = path.startsWith('/') || (isIn(cwd) && inFolder(worktree, cwd) === null);
  const lexical = normalizeAbsolute(path.startsWith('/') ? path : `${cwd}/${path}`);
  if (!isFrom || !isIn(lexical)) return null;
  const neighbours = extra
    .map((folder) => ({ folder, below: inFolder(folder, worktree) }))
    .flatMap(({ folder, below }) => (below === null ? [] : [`${folder}/${below.split('/')[0]}`]));
  const isNear = neighbours.some((folder) => inFolder(folder, lexical) !== null) || lexical.startsWith(worktree);
  return isNear || lexical.split('/').some(isGuarded) ? null : lexical;
}

/** Names git and agents act on wherever they are. */
function isGuarded(segment: string): boolean {
  return /^\.(?:git|claude|mcp\.json)$/i.test(segment);
}

/** Resolves `.` and `..` as text alone. */
export function normalizeAbsolute(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** Returns why a text is no plain path; null: it is one. */
export function explainMalformedPath(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.length > 4_000) return 'is too long';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(path)) return 'contains control or invisible characters';
  // The replacement character of bytes that are no UTF-8: two names would look the same.
  if (path.includes('\ufffd')) return 'is not UTF-8 text';
  if (path.includes('\\')) return 'contains a backslash';
  if (path.startsWith('~')) return 'starts with `~`, which is not expanded';
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path) || /^[A-Za-z]:(?:\/|$)/.test(path))
    return 'is not a path of this system';
  if (path.split('/').some((segment) => Buffer.byteLength(segment) > 255)) return 'contains a name that is too long';
  if (path.split('/').some((segment) => /^\s|\s$/.test(segment))) return 'has a space at the start or end of a name';
  return null;
}

/** null: more symlinks than the kernel would follow. */
function walk(
  path: string,
  facts: PathFacts,
  isLinkItself = false,
): (Pick<ResolvedPath, 'entry' | 'isBelowFile'> & { readonly path: string }) | null {
  const rest = path.split('/').reverse();
  let at: string[] = [];
  let entry: PathEntry | null = null;
  let links = 0;
  let isBelowFile = false;
  while (rest.length > 0) {
    const segment = rest.pop() ?? '';
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      at.pop();
      entry = facts.lstat(`/${at.join('/')}`);
      continue;
    }
    isBelowFile ||= entry?.kind === 'file';
    entry = facts.lstat(`/${[...at, segment].join('/')}`);
    // A slash or a dot behind it leaves something to go to, as with the kernel.
    if (entry?.kind !== 'symlink' || (isLinkItself && rest.length === 0)) {
      at.push(segment);
      continue;
    }
    links += 1;
    if (links > mostLinks) return null;
    if (entry.target.startsWith('/')) at = [];
    rest.push(...entry.target.split('/').reverse());
  }
  const end = `/${at.join('/')}`;
  return { path: end, entry: entry?.kind === 'symlink' ? facts.lstat(end) : entry, isBelowFile };
}

/** The path below a folder, '' for the folder itself; null outside. */
function inFolder(folder: string, path: string): string | null {
  const root = folder.endsWith('/') ? folder.slice(0, -1) : folder;
  if (path === root) return '';
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null;
}
