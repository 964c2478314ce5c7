import { FlameError } from '../domain/flame-error.ts';
import { badOptionValueError } from '../domain/input-errors.ts';
import type { CommandName, GlobalOptions } from '../domain/view-models/command.ts';
import { nearestName } from '../util/nearest-name.ts';
import { type CommandSpec, listOptionFlags, type OptionSpec } from './command-spec.ts';
import { commandTable, globalOptionSpecs } from './command-table.ts';
import { listShownCommands } from './render-help.ts';
import {
  hasOptionValue,
  listParserOptionNames,
  type OptionSpecsByKey,
  type TokenizedOption,
  tokenize,
} from './tokenize-argv.ts';

/** A parsed command line. */
export type ParsedCommandLine =
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly command: CommandName | null }
  /** No command was typed. */
  | { readonly kind: 'none'; readonly globals: GlobalOptions; readonly directory: string | null }
  | {
      readonly kind: 'run';
      readonly command: CommandName;
      readonly subcommand: string | null;
      readonly options: Readonly<Record<string, OptionValue>>;
      readonly positionals: readonly string[];
      readonly globals: GlobalOptions;
      /** The value of -C, as typed. */
      readonly directory: string | null;
    };

type OptionValue = boolean | string | number | readonly string[] | null;

/**
 * Reads a command line; options may stand before or after the command. Throws FlameErrors of kind `usage`
 * that name the nearest thing that exists.
 */
export function parseArgv(argv: readonly string[]): ParsedCommandLine {
  const { given, words } = tokenize(argv);
  const [first, ...rest] = words;
  if (first === undefined) return parseWithoutCommand(given);
  const command = findCommand(first);
  const spec: CommandSpec<CommandName> = commandTable[command];
  const { globals, own } = splitOptions(given, command, spec.options);
  const common = readOptions(globalOptionSpecs, globals, command);
  if (common.version === true) return { kind: 'version' };
  if (common.help === true) return { kind: 'help', command };
  const options = readOptions(spec.options, own, command);
  const { subcommand, operands } = findSubcommand(command, spec, rest);
  const positionals = readOperands(command, spec, operands);
  if (command === 'help') return { kind: 'help', command: nameOfHelp(positionals[0]) };
  return { kind: 'run', command, subcommand, options, positionals, ...splitCommon(common) };
}

function splitCommon({ directory, version: _version, help: _help, ...forCommand }: ReturnType<typeof readOptions>): {
  readonly globals: GlobalOptions;
  readonly directory: string | null;
} {
  // The table is checked against GlobalOptions by the compiler, key by key.
  const globals = forCommand as unknown as GlobalOptions;
  return { globals, directory: typeof directory === 'string' ? directory : null };
}

function parseWithoutCommand(given: readonly TokenizedOption[]): ParsedCommandLine {
  const { globals } = splitOptions(given, null, {});
  const common = readOptions(globalOptionSpecs, globals, null);
  if (common.version === true) return { kind: 'version' };
  return common.help === true ? { kind: 'help', command: null } : { kind: 'none', ...splitCommon(common) };
}

function splitOptions(
  given: readonly TokenizedOption[],
  command: CommandName | null,
  specs: OptionSpecsByKey,
): { globals: TokenizedOption[]; own: TokenizedOption[] } {
  const isOf = (table: OptionSpecsByKey, option: TokenizedOption): boolean =>
    Object.entries(table).some(([key, spec]) => listParserOptionNames(key, spec).includes(option.name));
  const unknown = given.find((option) => !isOf(globalOptionSpecs, option) && !isOf(specs, option));
  if (unknown !== undefined) throw unknownOption(unknown, command, specs);
  return {
    globals: given.filter((option) => isOf(globalOptionSpecs, option)),
    own: given.filter((option) => !isOf(globalOptionSpecs, option)),
  };
}

/** The value of each option; of one given twice the last, unless it takes several. */
function readOptions(
  specs: OptionSpecsByKey,
  given: readonly TokenizedOption[],
  command: CommandName | null,
): Readonly<Record<string, OptionValue>> {
  const values = Object.entries(specs).map(([key, spec]) => {
    const names = listParserOptionNames(key, spec);
    const own = given.filter((option) => names.includes(option.name));
    const last = own.at(-1);
    if (last === undefined) return [key, absentValue(spec)] as const;
    const value =
      spec.kind === 'texts' ? own.map((option) => readText(spec, option, command)) : readValue(spec, last, command);
    return [key, value] as const;
  });
  return Object.fromEntries(values);
}

function absentValue(spec: OptionSpec): OptionValue {
  if (spec.kind === 'flag') return false;
  return spec.kind === 'no-flag' ? true : null;
}

function readValue(spec: OptionSpec, given: TokenizedOption, command: CommandName | null): OptionValue {
  if (!hasOptionValue(spec)) {
    if (given.value !== undefined) {
      throw usage('unexpected-value', `Option ${given.typed} takes no value.`, command);
    }
    return !given.name.startsWith('no-');
  }
  if (spec.kind === 'optional') return given.value ?? '';
  const text = readText(spec, given, command);
  if (spec.kind === 'list') return splitList(text);
  if (spec.kind === 'text') return text;
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw badOptionValueError(`Option ${given.typed} needs a number from 1, not '${text}'.`, optionNamedBy(command));
  }
  return Number(text);
}

function readText(spec: OptionSpec, given: TokenizedOption, command: CommandName | null): string {
  // `--from --json` is a forgotten value; `--from=--json` is meant.
  const isMissing = given.value === undefined || given.value === '' || (!given.isInline && /^-./.test(given.value));
  if (given.value === undefined || isMissing) {
    throw usage('missing-value', `Option ${given.typed} needs a value (${spec.value ?? 'VALUE'}).`, command);
  }
  return given.value;
}

function findSubcommand(
  command: CommandName,
  spec: CommandSpec<CommandName>,
  words: readonly string[],
): { subcommand: string | null; operands: readonly string[] } {
  const names = (spec.subcommands ?? []).map(({ name }) => name);
  if (names.length === 0) return { subcommand: null, operands: words };
  const [first, ...operands] = words;
  if (first === undefined && spec.needsSubcommand !== true) return { subcommand: names[0] ?? null, operands };
  if (first === undefined) {
    throw usage('missing-subcommand', `git flame ${command} needs one of: ${names.join(', ')}.`, command);
  }
  if (names.includes(first)) return { subcommand: first, operands };
  const near = nearestName(first, names);
  throw usage(
    'unknown-subcommand',
    `git flame ${command} has no '${first}'; it has: ${names.join(', ')}.`,
    command,
    near === null ? [] : [`git flame ${command} ${near}`],
  );
}

function readOperands(
  command: CommandName,
  spec: CommandSpec<CommandName>,
  words: readonly string[],
): readonly string[] {
  if (spec.operand?.kind === 'words') {
    const text = words.join(' ').trim();
    return text === '' ? [] : [text];
  }
  const operands = words.filter((word) => word !== '');
  const allowed = spec.operand === undefined ? 0 : 1;
  const extra = operands[allowed];
  if (extra !== undefined) {
    throw usage('too-many-operands', `git flame ${command} does not take '${extra}'.`, command);
  }
  return operands;
}

function nameOfHelp(word: string | undefined): CommandName | null {
  return word === undefined ? null : findCommand(word);
}

function findCommand(word: string): CommandName {
  const names = Object.keys(commandTable) as CommandName[];
  const found = names.find((name) => name === word);
  if (found !== undefined) return found;
  const near = nearestName(word, listShownCommands());
  throw new FlameError({
    kind: 'usage',
    code: 'unknown-command',
    message: `git flame has no command '${word}'.`,
    hints: [...(near === null ? [] : [`git flame ${near}`]), 'git flame help'],
  });
}

function unknownOption(option: TokenizedOption, command: CommandName | null, specs: OptionSpecsByKey): FlameError {
  const known = Object.entries({ ...specs, ...globalOptionSpecs }).flatMap(([key, spec]) => listOptionFlags(key, spec));
  const near = nearestName(
    option.typed,
    known.filter((flag) => flag.startsWith('--')),
  );
  const owner = command === null ? 'git flame' : `git flame ${command}`;
  const takesWords = commandTable[command ?? 'help'].operand?.kind === 'words';
  return usage(
    'unknown-option',
    `${owner} has no option ${option.typed}${near === null ? '.' : `; did you mean ${near}?`}`,
    command,
    takesWords && near === null ? [`${owner} -- '${option.typed} ...'`] : [],
  );
}

function usage(code: string, message: string, command: CommandName | null, hints: readonly string[] = []): FlameError {
  return new FlameError({
    kind: 'usage',
    code,
    message,
    ...optionNamedBy(command, hints),
  });
}

function optionNamedBy(command: CommandName | null, hints: readonly string[] = []): Pick<FlameError, 'hints' | 'data'> {
  const help = command === null ? 'git flame help' : `git flame help ${command}`;
  return { hints: [...hints, help], data: { command } };
}

/** At the commas outside braces: `src/a,assets/*.{png,svg}` is a list of two. */
function splitList(text: string): readonly string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth = Math.max(0, depth - 1);
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts.filter((part) => part !== '');
}
