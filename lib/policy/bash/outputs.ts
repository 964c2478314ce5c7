import type { PathContext } from '../judge-path.ts';
import { expandGlob, isWild } from './expand-glob.ts';
import { namesFound } from './find.ts';
import { below, type Lines, listed, listsFiles, searched } from './found-files.ts';
import { gitLines } from './git-lines.ts';
import { type BashNode, currentFolder, type SimpleCommand } from './syntax.ts';

/** A command with its own outputs put in place; null where they are unknown. */
type Settle = (command: SimpleCommand) => readonly SimpleCommand[];

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
