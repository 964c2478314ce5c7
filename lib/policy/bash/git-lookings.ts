import { isWild } from './expand-glob.ts';
import { type ReadArguments, showsContents } from './git-walks.ts';
import type { ProgramCall } from './program.ts';

/** What a command of git would show. */
export interface Showing {
  /** A question whose answer names the files; null: it could be any. */
  readonly question: readonly string[] | null;
  readonly isTree?: boolean;
  /** It shows or takes only what is named. */
  readonly isByName?: boolean;
  /** What may be names of contents, or of folders of them. */
  readonly names: readonly string[];
}
type Looking = (call: ProgramCall, read: ReadArguments) => Showing | null;

const walk = 'log --no-show-signature --no-textconv --no-ext-diff --raw --no-abbrev -z --format='.split(' ');
const comparison = 'diff --no-textconv --no-ext-diff --raw --no-abbrev -z --no-relative'.split(' ');

/** Any of the commits a walk comes to. */
function walked(isUsual: boolean, before: readonly string[] = []): Looking {
  return (call, read) => {
    if (!showsContents(call.args, isUsual)) return null;
    const traced = read.traced.map((range) => range.slice(range.lastIndexOf(':') + 1));
    const isFiles = read.operands.length > 0 && read.operands.every(isFileName);
    if (isFiles) return { question: [], names: read.operands };
    if (traced.length > 1 || read.isOdd) return { question: null, names: [] };
    const follow = traced.length === 0 ? [] : ['--follow'];
    const args = [
      ...walk,
      ...before,
      ...read.walk,
      '--no-relative',
      ...follow,
      '--',
      ...read.paths,
      ...traced,
    ];
    return { question: args, names: read.operands };
  };
}

/** By subcommand. */
export const lookings: ReadonlyMap<string, Looking> = new Map<string, Looking>([
  ['log', walked(false)],
  ['whatchanged', walked(false)],
  ['reflog', afterWord('show', walked(false, ['-g']))],
  ['show', walked(true, ['--no-walk', '--cc'])],
  ['diff-tree', between(false)],
  ['diff-index', between(false)],
  ['diff', between(true)],
  ['stash', stashed],
  ['range-diff', ranged],
  ['format-patch', patched],
  ['cat-file', printed],
  ['archive', archived],
  ['restore', taken],
  ['checkout', taken],
]);

/**
 * The index and the files count as the last commit: what is blocked can't be changed in them. So without a revision nothing is
 * compared that could differ.
 */
function between(isUsual: boolean): Looking {
  return (call, read) => {
    const revisions = read.operands.filter((one) => !isFileName(one));
    if (revisions.length === 0 && read.operands.length > 0) return { question: [], names: read.operands };
    if (revisions.length === 0 || !showsContents(call.args, isUsual)) return null;
    if (read.isOdd) return { question: null, names: [] };
    const [first = ''] = revisions;
    const isSingle = revisions.length === 1 && !/\.\.|\^[!@-]/.test(first);
    const isOwn = isSingle && call.name === 'git diff-tree';
    const question = isOwn
      ? [...walk, '--no-walk', '--root', ...read.walk]
      : [...comparison, ...read.walk, ...(isSingle ? ['HEAD'] : [])];
    return { question: [...question, '--', ...read.paths], names: read.operands };
  };
}

/** `git reflog show` is `git reflog`. */
function afterWord(word: string, look: Looking): Looking {
  return (call, read) => {
    if (read.operands[0] !== word) return look(call, read);
    const operands = read.operands.slice(1);
    return look(call, { ...read, operands, walk: read.walk.filter((one) => one !== word) });
  };
}

function stashed(call: ProgramCall, read: ReadArguments): Showing | null {
  const [word, ...rest] = read.operands;
  const after = { ...read, operands: rest, walk: read.walk.filter((one) => one !== word) };
  return word === 'list' ? listed(call, after) : compared(call, after);
}

const listed = walked(false, ['-g', '--first-parent', '-m', 'refs/stash']);

function compared(call: ProgramCall, read: ReadArguments): Showing | null {
  if (!showsContents(call.args, false)) return null;
  const [given = '0', ...more] = read.operands;
  const name = /^\d+$/.test(given) ? `stash@{${given}}` : given;
  if (more.length > 0 || call.args.some((arg) => /^(?:-u|--(?:inc|only-u))/.test(arg)))
    return { question: null, names: [] };
  return { question: [...comparison, `${name}^1`, name, '--', ...read.paths], names: [] };
}

function ranged(_: ProgramCall, { operands, paths }: ReadArguments): Showing {
  const [base = '', ...others] = operands;
  const isPlain = operands.length === 3 && operands.every((one) => !one.includes('..'));
  const revisions = isPlain ? others.map((one) => `${base}..${one}`) : operands;
  return { question: [...walk, ...revisions, '--', ...paths], names: [] };
}

function patched(_: ProgramCall, read: ReadArguments): Showing {
  const [only = ''] = read.operands;
  const isSince = read.operands.length === 1 && !only.includes('..') && read.walk.length === 1;
  if (read.isOdd) return { question: null, names: [] };
  const revisions = isSince ? [`${only}..HEAD`] : read.walk;
  return { question: [...walk, ...revisions, '--', ...read.paths], names: [] };
}

function printed({ args }: ProgramCall): Showing | null {
  const isAsking = args.some((arg) => /^-[ets]$/.test(arg));
  return isAsking ? null : { question: [], names: args.filter((arg) => !arg.startsWith('-')) };
}

/** They take files out of what is named. A folder named for itself has other paths. */
function taken({ args }: ProgramCall): Showing {
  const sources = args.map((arg) => arg.replace(/^(?:-[A-Za-z]*s|--source=)(?=.)/, ''));
  return { question: [], isByName: true, names: sources.filter((arg) => arg !== '' && !arg.startsWith('-')) };
}

function archived(_: ProgramCall, { operands, paths }: ReadArguments): Showing {
  const [tree = 'HEAD', ...below] = operands;
  return { ...inTree(tree, [...below, ...paths]), names: [tree] };
}

/** The files of a tree, all of them or those below some places. */
export function inTree(tree: string, below: readonly string[]): Pick<Showing, 'question' | 'isTree'> {
  const isPlain = below.every((path) => !isWild(path) && !path.startsWith(':'));
  const places = isPlain && below.length > 0 ? ['--', ...below] : [];
  return { question: ['ls-tree', '-r', '-z', '--full-name', tree, ...places], isTree: true };
}

/** `REVISION:path`, which is judged as a path. */
export function isFileName(operand: string): boolean {
  return /^[^{}]*(?:\{[^}]*\}[^{}]*)*:/.test(operand);
}
