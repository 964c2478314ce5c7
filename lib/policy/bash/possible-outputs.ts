import type { Command, CommandNode, ParsedScript, Word as RawWord } from 'unbash';
import { type ShellWord, unknownTextMarks } from './shell-command-types.ts';

type Read = (word: RawWord) => readonly ShellWord[];

const { any: anything, names, number, plain, here, top, isIn, isOpen } = unknownTextMarks;

// They pass on lines they get, or parts of them that are as harmless.
const filters = new Set(['head', 'tail', 'sort', 'uniq', 'grep']);
const plainPrograms = new Set(['basename', 'uname', 'whoami', 'arch', 'hostname']);

/**
 * Returns the possible outputs of `$(…)`, as far as they are plain from its commands: names, a number, a folder;
 * anything for most commands.
 */
export function findPossibleOutputs(script: ParsedScript, read: Read): readonly string[] {
  const [statement, ...others] = script.commands;
  const { command } = statement ?? {};
  if (command === undefined || command.type === 'AndOr' || others.length > 0) return [anything];
  return findPossiblePipeOutputs(command.type === 'Pipeline' ? command.commands : [command], read);
}

/** Returns the possible outputs of the parts of a pipe. */
export function findPossiblePipeOutputs(parts: readonly CommandNode[], read: Read): readonly string[] {
  const commands = parts.flatMap((part) => (part.type === 'Command' ? [part] : []));
  if (commands.length !== parts.length) return [anything];
  const last = commands.findLastIndex((one, at) => at === 0 || !filters.has(one.name?.text ?? ''));
  const [only] = commands.slice(last);
  return only === undefined ? [anything] : printed(only, read);
}

function printed(command: Command, read: Read): readonly string[] {
  const words = [command.name, ...command.suffix.filter((part) => part.type === 'Word')].flatMap((word) =>
    word === undefined ? [] : read(word),
  );
  const texts = words.map(({ values: [first = '', ...more], isGlob }) =>
    more.length > 0 || isGlob ? anything : first,
  );
  const [name = '', ...args] = texts;
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const has = (...options: readonly string[]): boolean => args.some((arg) => options.includes(arg));
  if (name === 'git') return printedByGit(args);
  if (name === 'pwd') return [here];
  if (name === 'echo') return operands.some(isIn) ? [anything] : [operands.join(' ')];
  if (name === 'dirname') return [folderOf(operands)];
  if (name === 'mktemp')
    return [operands.length === 0 || /^\/tmp\/[^/]+$/.test(operands[0] ?? '') ? `/tmp/${plain}` : anything];
  if (/^(?:nproc|seq)$/.test(name) || (name === 'wc' && operands.length === 0)) return [number];
  if (name === 'date') return [has('+%s') ? number : args.some((arg) => /[/D]/.test(arg)) ? anything : plain];
  if (/^[ef]?grep$/.test(name)) return [printedByGrep(args, operands)];
  if (plainPrograms.has(name)) return [plain];
  if (name === 'find') return [args.some((arg) => /^-(?:exec|ok|f?print|f?ls)/.test(arg)) ? anything : names];
  if (name === 'ls') return [args.some((arg) => /^-[A-Za-z1]*[lsni]/.test(arg)) ? anything : names];
  if (name === 'rg') return [has('-l', '--files', '--files-with-matches') ? names : anything];
  return [anything];
}

/** Of one file, or of its input, `grep -c` prints the number alone. */
function printedByGrep(args: readonly string[], operands: readonly string[]): string {
  if (args.some((arg) => /^-[A-Za-z]*l/.test(arg))) return names;
  const isCount = args.some((arg) => /^-[ivwxEF]*c[ivwxEF]*$/.test(arg));
  return isCount && operands.length < 3 && !args.some((arg) => /^-[A-Za-z]*[rRHe]|^--/.test(arg)) ? number : anything;
}

function folderOf([path = anything, ...others]: readonly string[]): string {
  if (others.length > 0 || isOpen(path)) return anything;
  if (isIn(path)) return names;
  return path.includes('/') ? path.replace(/\/+[^/]*\/*$/, '') || '/' : '.';
}

const naming = /^(?:merge-base|describe|symbolic-ref|tag|rev-parse|rev-list|ls-files|branch|diff|log|grep)$/;

/** Revisions and paths, where that is all the options ask for; a listing with ids would name contents. */
function printedByGit([subcommand = '', ...args]: readonly string[]): readonly string[] {
  if (!naming.test(subcommand) || args.some((arg) => isOpen(arg) || arg.includes(':'))) return [anything];
  const has = (pattern: RegExp): boolean => args.some((arg) => pattern.test(arg));
  switch (subcommand) {
    case 'rev-parse':
      if (has(/^--show-toplevel$/)) return [top];
      return [has(/^--(?:git|absolute|show|local|shared)/) ? anything : names];
    case 'rev-list':
      return [
        has(/^--count$/) ? number : has(/^--(?!max-count|no-merges|first-parent|all|reverse)/) ? anything : names,
      ];
    case 'log':
      return [
        has(/^--(?:format|pretty)=(?:format:)?%[Hh]$/) && !has(/^-[A-Za-z]*[pu]|^--(?:patch|raw|stat)/)
          ? names
          : anything,
      ];
    case 'ls-files':
      return [has(/^-(?!-)[A-Za-z]*[stuvfk]|^--(?:stage|unmerged|format|debug)/) ? anything : names];
    case 'diff':
      return [has(/^--name-only$/) ? names : anything];
    case 'grep':
      return [has(/^-[A-Za-z]*l/) ? names : anything];
    case 'branch':
      return [has(/^--show-current$/) ? names : anything];
    default:
      return [names];
  }
}
