import type { Command, CommandNode, ParsedScript, Word as RawWord } from 'unbash';
import { mark, type Word } from './syntax.ts';

type Read = (word: RawWord) => readonly Word[];

// They pass on lines they get, or parts of them that are as harmless.
const filters = new Set(['head', 'tail', 'sort', 'uniq', 'grep']);
const plainPrograms = new Set(['basename', 'uname', 'whoami', 'arch', 'hostname']);

/**
 * Returns the possible outputs of `$(…)`, as far as they are plain from its commands: names, a number, a folder;
 * anything for most commands.
 */
export function possibleOutputs(script: ParsedScript, read: Read): readonly string[] {
  const [statement, ...others] = script.commands;
  const { command } = statement ?? {};
  if (command === undefined || command.type === 'AndOr' || others.length > 0) return [mark.any];
  return possibleOutputsOf(command.type === 'Pipeline' ? command.commands : [command], read);
}

/** Returns the possible outputs of the parts of a pipe. */
export function possibleOutputsOf(parts: readonly CommandNode[], read: Read): readonly string[] {
  const commands = parts.flatMap((part) => (part.type === 'Command' ? [part] : []));
  if (commands.length !== parts.length) return [mark.any];
  const last = commands.findLastIndex((one, at) => at === 0 || !filters.has(one.name?.text ?? ''));
  const [only] = commands.slice(last);
  return only === undefined ? [mark.any] : printed(only, read);
}

function printed(command: Command, read: Read): readonly string[] {
  const words = [command.name, ...command.suffix.filter((part) => part.type === 'Word')].flatMap((word) =>
    word === undefined ? [] : read(word),
  );
  const texts = words.map(({ values: [first = '', ...more], isGlob }) =>
    more.length > 0 || isGlob ? mark.any : first,
  );
  const [name = '', ...args] = texts;
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const has = (...options: readonly string[]): boolean => args.some((arg) => options.includes(arg));
  if (name === 'git') return printedByGit(args);
  if (name === 'pwd') return [mark.here];
  if (name === 'echo') return operands.some(mark.isIn) ? [mark.any] : [operands.join(' ')];
  if (name === 'dirname') return [folderOf(operands)];
  if (name === 'mktemp')
    return [
      operands.length === 0 || /^\/tmp\/[^/]+$/.test(operands[0] ?? '') ? `/tmp/${mark.plain}` : mark.any,
    ];
  if (/^(?:nproc|seq)$/.test(name) || (name === 'wc' && operands.length === 0)) return [mark.number];
  if (name === 'date')
    return [has('+%s') ? mark.number : args.some((arg) => /[/D]/.test(arg)) ? mark.any : mark.plain];
  if (/^[ef]?grep$/.test(name)) return [printedByGrep(args, operands)];
  if (plainPrograms.has(name)) return [mark.plain];
  if (name === 'find')
    return [args.some((arg) => /^-(?:exec|ok|f?print|f?ls)/.test(arg)) ? mark.any : mark.names];
  if (name === 'ls') return [args.some((arg) => /^-[A-Za-z1]*[lsni]/.test(arg)) ? mark.any : mark.names];
  if (name === 'rg') return [has('-l', '--files', '--files-with-matches') ? mark.names : mark.any];
  return [mark.any];
}

/** Of one file, or of its input, `grep -c` prints the number alone. */
function printedByGrep(args: readonly string[], operands: readonly string[]): string {
  if (args.some((arg) => /^-[A-Za-z]*l/.test(arg))) return mark.names;
  const isCount = args.some((arg) => /^-[ivwxEF]*c[ivwxEF]*$/.test(arg));
  return isCount && operands.length < 3 && !args.some((arg) => /^-[A-Za-z]*[rRHe]|^--/.test(arg))
    ? mark.number
    : mark.any;
}

function folderOf([path = mark.any, ...others]: readonly string[]): string {
  if (others.length > 0 || mark.isOpen(path)) return mark.any;
  if (mark.isIn(path)) return mark.names;
  return path.includes('/') ? path.replace(/\/+[^/]*\/*$/, '') || '/' : '.';
}

const naming = /^(?:merge-base|describe|symbolic-ref|tag|rev-parse|rev-list|ls-files|branch|diff|log|grep)$/;

/** Revisions and paths, where that is all the options ask for; a listing with ids would name contents. */
function printedByGit([subcommand = '', ...args]: readonly string[]): readonly string[] {
  if (!naming.test(subcommand) || args.some((arg) => mark.isOpen(arg) || arg.includes(':')))
    return [mark.any];
  const has = (pattern: RegExp): boolean => args.some((arg) => pattern.test(arg));
  switch (subcommand) {
    case 'rev-parse':
      if (has(/^--show-toplevel$/)) return [mark.top];
      return [has(/^--(?:git|absolute|show|local|shared)/) ? mark.any : mark.names];
    case 'rev-list':
      return [
        has(/^--count$/)
          ? mark.number
          : has(/^--(?!max-count|no-merges|first-parent|all|reverse)/)
            ? mark.any
            : mark.names,
      ];
    case 'log':
      return [
        has(/^--(?:format|pretty)=(?:format:)?%[Hh]$/) && !has(/^-[A-Za-z]*[pu]|^--(?:patch|raw|stat)/)
          ? mark.names
          : mark.any,
      ];
    case 'ls-files':
      return [has(/^-(?!-)[A-Za-z]*[stuvfk]|^--(?:stage|unmerged|format|debug)/) ? mark.any : mark.names];
    case 'diff':
      return [has(/^--name-only$/) ? mark.names : mark.any];
    case 'grep':
      return [has(/^-[A-Za-z]*l/) ? mark.names : mark.any];
    case 'branch':
      return [has(/^--show-current$/) ? mark.names : mark.any];
    default:
      return [mark.names];
  }
}
