import type { PathFacts } from '../../domain/agent-policy.ts';
import { judgePath, type PathContext } from '../judge-path.ts';
import { CommandRefusal, type ShellWord, unknownTextMarks } from './shell-command-types.ts';

const mostNames = 5_000;

/**
 * The texts a word stands for in a folder: wildcards replaced by the names they match, blanks taken apart. `isShown`: what a
 * wildcard without letters finds among hidden files is no mention of them; cells show them empty.
 */
export function expandWord(context: PathContext, word: ShellWord, isShown = false): readonly string[] {
  const { policy, cwd } = context;
  const texts = word.values.flatMap((value) => {
    const text = value.replaceAll(unknownTextMarks.here, cwd).replaceAll(unknownTextMarks.top, policy.worktree);
    return word.isSplit && /\s/.test(text) ? text.split(/\s+/).filter((one) => one !== '') : [text];
  });
  return texts.flatMap((text) => {
    const isPattern = (word.isGlob || word.isSplit) && /[*?[]/.test(text);
    if (!isPattern || unknownTextMarks.isIn(text)) return [text];
    const names = matches(context, text);
    const isWide = isShown && isOpen(context, text);
    return isWide ? names.filter((name) => judgePath(context, name, 'read')?.rule !== 'path-hidden') : names;
  });
}

/** A wildcard without letters in it, in a folder that is no hidden one. */
function isOpen(context: PathContext, pattern: string): boolean {
  const names = pattern.split('/').filter((name) => name !== '');
  const first = names.findIndex((name) => /[*?[]/.test(name));
  const folder = names.slice(0, first).join('/');
  const isPlain = names.slice(first).every((name) => !/[\p{L}\p{N}.]/u.test(name));
  return (
    isPlain && (folder === '' || judgePath(context, pattern.startsWith('/') ? `/${folder}` : folder, 'read') === null)
  );
}

function matches({ facts, cwd }: PathContext, pattern: string): readonly string[] {
  if (pattern.length > 1_000)
    throw new CommandRefusal('bash-dynamic', 'The wildcard is too long to be expanded. Name the files.');
  const names = expandGlob(pattern, cwd, facts);
  if (names === null)
    throw new CommandRefusal('bash-dynamic', `${pattern} matches too many files. Name a smaller folder.`);
  return names.length === 0 ? [pattern] : names;
}

/**
 * The names bash would put in place of a wildcard word, none if it stays as it is; null if they are too many.
 * Where bash depends on the locale (ranges) more names are given, never fewer.
 */
function expandGlob(pattern: string, cwd: string, facts: PathFacts): readonly string[] | null {
  let found = [pattern.startsWith('/') ? '/' : ''];
  for (const segment of pattern.split('/').filter((one) => one !== '')) {
    const matcher = /[*?[]/.test(segment) ? segmentMatcher(segment) : null;
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

function segmentMatcher(segment: string): RegExp {
  const source = segment.replace(/\[[!^]?[\w.-]+\]|[\s\S]/g, (piece) => {
    if (piece === '*') return '.*';
    if (piece === '?') return '.';
    if (piece.length > 1) return piece.replace('[!', '[^');
    return piece.replace(/[.+^${}()|[\]\\/-]/, '\\$&');
  });
  // A wildcard at the start never stands for a dot.
  const start = /^[*?[]/.test(segment) ? '(?!\\.)' : '';
  try {
    return new RegExp(`^${start}${source}$`, /\[.*-.*\]/.test(segment) ? 'is' : 's');
  } catch {
    return /(?:)/;
  }
}
