import { pathMatches } from '../../util/path-globs.ts';
import type { PathContext } from '../judge-path.ts';
import { isHeavy } from '../judge-tree.ts';
import { filesBelow, unknownRevision } from './candidates.ts';
import { expandGlob, isWild } from './expand-glob.ts';
import { namesFound } from './find.ts';
import { type BashNode, currentFolder, type SimpleCommand } from './syntax.ts';

/** What a command may print, a line each; null: anything. */
export type Lines = readonly string[] | null;
/** A command with its own outputs put in place; null where they are unknown. */
type Settle = (command: SimpleCommand) => readonly SimpleCommand[];

const most = 20_000;

/** The lines a node may print, where it lists files, counts, or says what everybody knows. */
export function linesOf(context: PathContext, node: BashNode, settle: Settle): Lines {
  if (node.kind === 'list' || node.kind === 'and-or')
    return joined(node.nodes.map((one) => linesOf(context, one, settle)));
  if (node.kind === 'number') return ['7', '-7'];
  if (node.kind === 'names') {
    const text = node.pattern.text.replaceAll(currentFolder, context.cwd);
    const names = expandGlob(text, context.cwd, context.facts) ?? null;
    const isOption = context.makesFiles === true && isWild(text.slice(0, 1));
    return isOption ? null : names?.length === 0 ? [text] : names;
  }
  if (node.kind === 'pipeline') return pipedLines(context, node.nodes, settle);
  if (node.kind !== 'command') return null;
  return joined(settle(node).map((one) => commandLines(context, one)));
}

/** What the last part of a pipe gets and prints. */
export function pipedLines(context: PathContext, nodes: readonly BashNode[], settle: Settle): Lines {
  const [first, ...filters] = nodes;
  if (first === undefined) return null;
  let lines = linesOf(context, first, settle);
  let before = first;
  for (const filter of filters) {
    lines = filter.kind === 'command' ? filtered(context, { filter, before, lines }) : null;
    before = filter;
  }
  return lines;
}

function joined(all: readonly Lines[]): Lines {
  const known = all.filter((one) => one !== null);
  return known.length < all.length || all.length === 0 ? null : known.flat();
}

interface Filter {
  readonly filter: SimpleCommand;
  readonly before: BashNode;
  readonly lines: Lines;
}

/** What only leaves lines out or changes their order keeps them; a count is a number. */
function filtered(context: PathContext, { filter, before, lines }: Filter): Lines {
  const [name = '', ...args] = wordsOf(filter) ?? [];
  if (filter.redirections.some(({ access }) => access === 'read') || filter.input !== null) return null;
  const text = args.join(' ');
  if (name === 'wc' && /^-[lcmw]$/.test(text)) return ['7'];
  if (name === 'grep' && /^-[a-zA-Z]*c/.test(text)) return ['7'];
  if (/^cut -d: -f1$|^awk -F: \{ ?print \$1 ?\}$/.test(`${name} ${text}`))
    return matchedFiles(context, before);
  if (lines === null) return null;
  if ((name === 'head' || name === 'tail') && /^(?:-n ?[+-]?\d+|-\d+|)$/.test(text)) return lines;
  if ((name === 'sort' && /^(?:-[ufrVn]+)?$/.test(text)) || (name === 'uniq' && text === '')) return lines;
  if (name === 'cat' && text === '') return lines;
  if (name === 'tr' && /^(?:\\n|\\0) {1,2}$/.test(text)) return lines;
  if (name === 'sed' && /^s[|,#]\^\\?\.\/[|,#][|,#]$/.test(text))
    return lines.map((one) => one.replace(/^\.\//, ''));
  return /grep$/.test(name) ? grepped(args, lines) : null;
}

/** Lines a simple pattern finds; all of them where it isn't simple. */
function grepped(args: readonly string[], lines: readonly string[]): Lines {
  const options = args.filter((arg) => arg.startsWith('-'));
  const patterns = args.filter((arg) => !arg.startsWith('-'));
  if (!options.every((one) => /^-[vEiqPF]+$/.test(one)) || patterns.length !== 1) return null;
  const [pattern = ''] = patterns;
  if (!/^\^?[\w./ -]*(?:\\\.[\w/-]+)*\$?$/.test(pattern) || options.includes('-F')) return lines;
  const finder = new RegExp(pattern, options.some((one) => one.includes('i')) ? 'i' : '');
  const isTurned = options.some((one) => one.includes('v'));
  return lines.filter((one) => finder.test(one) !== isTurned);
}

/** `grep -rn x src | cut -d: -f1` is `grep -rl x src`. */
function matchedFiles(context: PathContext, before: BashNode): Lines {
  if (before.kind !== 'command') return null;
  const [name = '', ...args] = wordsOf(before) ?? [];
  if (name === 'git' && args[0] === 'grep') return below(context, ['.']);
  const isDeep = name === 'rg' || args.some((arg) => /^-[a-zA-Z]*[rR]/.test(arg));
  return /^(?:[ef]?grep|rg)$/.test(name) && isDeep ? searched(context, args) : null;
}

/** The words of a command without anything unknown; wildcards stay as they are. */
function wordsOf(command: SimpleCommand): readonly string[] | null {
  const isKnown = command.words.every(({ unknown }) => unknown === null) && command.environment.length === 0;
  return isKnown ? command.words.map(({ text }) => text) : null;
}

function commandLines(context: PathContext, command: SimpleCommand): Lines {
  const words = wordsOf(command);
  if (words === null) return null;
  const at = words.map((text) => text.replaceAll(currentFolder, context.cwd));
  const [name = '', ...args] = at;
  if (name === 'wc' && args.length === 1 && /^-[lcmw]$/.test(args[0] ?? '')) return ['7'];
  if (name === 'git') return gitLines(context, args);
  const rule = printers.get(name);
  return rule === undefined ? null : rule(context, args, command);
}

type Printer = (context: PathContext, args: readonly string[], command: SimpleCommand) => Lines;
const quiet = '0000';

const printers: ReadonlyMap<string, Printer> = new Map<string, Printer>([
  ['nproc', () => ['7']],
  ['seq', (_, args) => (args.every((arg) => /^-?\d+$/.test(arg)) ? ['7'] : null)],
  ['pwd', ({ cwd }) => [cwd]],
  ['date', (_, args) => dateLines(args)],
  ['true', () => []],
  ['cd', () => []],
  ['echo', (_, args) => printedWords(args)],
  ['basename', (_, args) => named(args)],
  ['dirname', (_, args) => (args.length === 1 && !isWild(args[0] ?? '') ? [folderOf(args[0] ?? '')] : null)],
  ['ls', listed],
  ['find', (context, args) => namesFound(context, args)],
  ['grep', (context, args) => (listsFiles(args) ? searched(context, args) : null)],
  ['rg', (context, args) => (listsFiles(args) || args.includes('--files') ? searched(context, args) : null)],
  ['mktemp', (_, args) => (args.every((arg) => arg === '-d') ? ['/tmp/tmp.0123456789'] : null)],
]);

function dateLines(args: readonly string[]): Lines {
  const [format = '+%a'] = args.filter((arg) => arg !== '-u');
  return args.length < 3 && /^\+[\w%:.-]*$/.test(format) ? [format.slice(1).replace(/%-?\w/g, quiet)] : null;
}

function printedWords(args: readonly string[]): Lines {
  return args.every((arg) => /^\d+$/.test(arg)) ? [args.join(' ')] : null;
}

function named(args: readonly string[]): Lines {
  const [path = '', ending = '', ...more] = args;
  if (more.length > 0 || args.some((arg) => isWild(arg) || arg.startsWith('-'))) return null;
  const name = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return [ending !== '' && name.endsWith(ending) ? name.slice(0, -ending.length) : name];
}

function folderOf(path: string): string {
  return path.includes('/') ? path.replace(/\/[^/]*$/, '') || '/' : '.';
}

function listed(context: PathContext, args: readonly string[]): Lines {
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

function listsFiles(args: readonly string[]): boolean {
  return args.some((arg) => /^-[a-zA-Z]*[lL][a-zA-Z]*$|^--files-with/.test(arg));
}

/** The files below the places of a search. Its operands that are there may be one of them, also the pattern. */
function searched(context: PathContext, args: readonly string[]): Lines {
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

function isThere({ facts, cwd }: PathContext, path: string): boolean {
  return isWild(path) || facts.lstat(path.startsWith('/') ? path : `${cwd}/${path}`) !== null;
}

function matches(glob: string, name: string): boolean {
  return pathMatches(glob, name) || pathMatches(`**/${glob}`, name);
}

/** The files below places; a wildcard is what it finds. */
function below(context: PathContext, places: readonly string[]): Lines {
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

function gitLines(context: PathContext, [subcommand = '', ...args]: readonly string[]): Lines {
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const options = args.filter((arg) => arg.startsWith('-'));
  const has = (...names: readonly string[]): boolean => options.some((one) => names.includes(one));
  if (subcommand === 'rev-parse') {
    if (options.length === 1 && has('--show-toplevel') && operands.length === 0) return [topOf(context)];
    return options.every((one) => /^--(?:short(?:=\d+)?|verify|quiet|abbrev-ref)$|^-q$/.test(one))
      ? revisions(context, [subcommand, ...args])
      : null;
  }
  if (subcommand === 'merge-base') return revisions(context, [subcommand, ...args]);
  if (subcommand === 'branch')
    return options.length === 1 && has('--show-current') ? revisions(context, [subcommand, ...args]) : null;
  if (subcommand === 'rev-list')
    return has('--count')
      ? ['7']
      : has('--objects', '--pretty')
        ? null
        : revisions(context, [subcommand, ...args]);
  if (subcommand === 'log' && has('--format=%H', '--format=%h', '--pretty=%H', '--pretty=%h'))
    return options.some((one) => /name|stat|^-p|patch/.test(one))
      ? null
      : revisions(context, [subcommand, ...args]);
  const isNames =
    subcommand === 'ls-files'
      ? options.every((one) =>
          /^-[mocdz]$|^--(?:modified|others|cached|exclude-standard|deleted)$|^--$/.test(one),
        )
      : subcommand === 'grep'
        ? listsFiles(args)
        : /^(?:diff|show|log|diff-tree)$/.test(subcommand) &&
          has('--name-only') &&
          (subcommand === 'diff' || has('--format=', '--pretty=', '-r', '--pretty=format:'));
  if (!isNames) return null;
  const top = topOf(context);
  const names = below(context, ['.']);
  const others =
    context.cwd === top || subcommand === 'ls-files' || subcommand === 'grep'
      ? []
      : below({ ...context, cwd: top }, ['.']);
  if (names === null || others === null) return null;
  const paths = operands.filter((one) => isThere(context, one));
  return paths.length === 0 || (subcommand === 'grep' && paths.length < 2 && !args.includes('--'))
    ? [...names, ...others]
    : [...names, ...others].filter((name) =>
        paths.some((path) =>
          isWild(path)
            ? matches(path, name)
            : name === path || name.startsWith(`${path.replace(/\/$/, '')}/`) || path === '.',
        ),
      );
}

// More of them are not judged one by one.
const mostRevisions = 20;

/** The names of commits that a command prints. */
function revisions({ facts, cwd, movesRevisions }: PathContext, args: readonly string[]): readonly string[] {
  const isPlain = args.every((arg) => !arg.startsWith('-') || plainOption.test(arg));
  const text = isPlain && movesRevisions !== true ? facts.git({ args, cwd }) : null;
  const lines = text?.split('\n').filter((line) => line !== '') ?? [];
  const isKnown =
    lines.length > 0 && lines.length <= mostRevisions && lines.every((one) => /^\w[\w./-]*$/.test(one));
  return isKnown ? lines : [unknownRevision];
}

const plainOption =
  /^-(?:\d+|n\d*|-short(?:=\d+)?|-verify|-quiet|q|-abbrev-ref|-show-current|-max-count=\d+|-format=%[Hh]|-pretty=%[Hh]|-reverse|-no-merges|-first-parent|-all|-fork-point|-)$/;

function topOf({ facts, cwd, policy }: PathContext): string {
  for (let folder = cwd; folder.startsWith(`${policy.worktree}/`); folder = folder.replace(/\/[^/]*$/, ''))
    if (facts.lstat(`${folder}/.git`) !== null) return folder;
  return policy.worktree;
}
