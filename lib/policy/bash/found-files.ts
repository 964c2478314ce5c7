import { wildcardMatches } from '../../util/path-globs.ts';
import type { PathContext } from '../judge-path.ts';
import { isHeavy } from '../judge-tree.ts';
import { filesBelow } from './candidates.ts';
import { expandGlob, isWild } from './expand-glob.ts';

/** What a command may print, a line each; null: anything. */
export type Lines = readonly string[] | null;

const most = 20_000;

/** What `ls` prints. */
export function listed(context: PathContext, args: readonly string[]): Lines {
  const options = args.filter((arg) => arg.startsWith('-'));
  if (!options.every((one) => /^-[1atrASd]+$/.test(one))) return null;
  const isAll = options.some((one) => /[aA]/.test(one));
  const places = args.filter((arg) => !arg.startsWith('-'));
  const isSingle = options.some((one) => one.includes('d'));
  return (places.length === 0 ? ['.'] : places).flatMap((place) => {
    if (isWild(place))
      return [...(expandGlob(place, context.cwd, context.facts) ?? [place])].flatMap((one) =>
        isSingle ? [one] : [one, ...inFolder(context, one, isAll)],
      );
    const inside = isSingle ? [] : inFolder(context, place, isAll);
    return inside.length > 0 ? inside : [place];
  });
}

function inFolder({ facts, cwd }: PathContext, place: string, isAll: boolean): readonly string[] {
  const names = facts.list(place.startsWith('/') ? place : `${cwd}/${place}`) ?? [];
  return names.filter((name) => isAll || !name.startsWith('.'));
}

/** Whether a search prints names of files instead of lines. */
export function listsFiles(args: readonly string[]): boolean {
  return args.some((arg) => /^-[a-zA-Z]*[lL][a-zA-Z]*$|^--files-with/.test(arg));
}

/** The files below the places of a search. Its operands that are there may be one of them, also the pattern. */
export function searched(context: PathContext, args: readonly string[]): Lines {
  const included = args.flatMap((arg, at) => {
    const glob =
      /^--(?:include|glob)=(.*)$/.exec(arg)?.[1] ??
      (args[at - 1] === '-g' || args[at - 1] === '--include' ? arg : '');
    return glob === '' || glob.startsWith('!') ? [] : [glob];
  });
  const places = args.slice(1).filter((arg) => !arg.startsWith('-') && isThere(context, arg));
  // A search through folders leaves links out.
  const names =
    below(context, places.length === 0 ? ['.'] : places)?.filter(
      (name) => places.includes(name) || !isLink(context, name),
    ) ?? null;
  if (names === null || included.length === 0) return names;
  return names.filter((name) => included.some((glob) => matches(glob, name)));
}

function isLink({ facts, cwd }: PathContext, path: string): boolean {
  return facts.lstat(path.startsWith('/') ? path : `${cwd}/${path}`)?.kind === 'symlink';
}

/** Whether a path or wildcard names something in the folder of the command. */
export function isThere({ facts, cwd }: PathContext, path: string): boolean {
  return isWild(path) || facts.lstat(path.startsWith('/') ? path : `${cwd}/${path}`) !== null;
}

/** Whether a glob means a file, by its path or its name alone. */
export function matches(glob: string, name: string): boolean {
  return wildcardMatches(glob, name) || wildcardMatches(`**/${glob}`, name);
}

/** The files below places; a wildcard is what it finds. */
export function below(context: PathContext, places: readonly string[]): Lines {
  const plain = places.flatMap((one) =>
    isWild(one) ? (expandGlob(one, context.cwd, context.facts) ?? []) : [one],
  );
  const found = filesBelow(context, plain, (name) => !isHeavy(name));
  const files = found?.filter((one) => !plain.includes(one) || isFile(context, one)) ?? null;
  return files === null || files.length > most ? null : files.map((one) => one.replace(/^(?:\.\/)+/, ''));
}

function isFile({ facts, cwd }: PathContext, path: string): boolean {
  return facts.list(path.startsWith('/') ? path : `${cwd}/${path}`) === null;
}
