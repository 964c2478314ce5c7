import type { CommandName } from '../domain/view-models/command.ts';
import { wrapText } from '../util/format-width.ts';
import { type CommandSpec, listOptionFlags, type OptionSpec } from './command-spec.ts';
import { commandTable, exitCodeTable, globalOptionSpecs } from './command-table.ts';

/** Renders `git flame help`: every command in one line each. */
export function renderHelpSummary(width: number): string {
  const rows = listShownCommands().map((name) => [name, commandTable[name].summary] as const);
  return [
    'git flame leads coding agents from inside git.',
    '',
    'usage: git flame [OPTIONS] COMMAND [ARGUMENTS]',
    '',
    'Commands',
    ...renderRows(rows, width),
    '',
    'Options of every command',
    ...renderRows(optionRows(globalOptionSpecs), width),
    '',
    'Exit codes',
    ...renderRows(
      exitCodeTable.map(({ code, means }) => [String(code), means]),
      width,
    ),
    '',
    "'git flame help COMMAND' describes one command.",
  ].join('\n');
}

/** Renders `git flame COMMAND -h`. */
export function renderCommandHelp(name: CommandName, width: number): string {
  const spec: CommandSpec<CommandName> = commandTable[name];
  const rows = optionRows(spec.options);
  const subcommands = spec.subcommands ?? [];
  return [
    ...wrapText(`${spec.summary}.`, width),
    '',
    ...listUsageLines(name).map((line, index) => `${index === 0 ? 'usage:' : '   or:'} ${line}`),
    ...spec.details.flatMap((text) => ['', ...wrapText(text, width)]),
    ...section(
      'Subcommands',
      renderRows(
        subcommands.map((sub) => [sub.name, sub.summary]),
        width,
      ),
    ),
    ...section('Options', renderRows(rows, width)),
    ...section(
      'Exit codes',
      renderRows(
        (spec.exitCodes ?? []).map((row) => [String(row.code), row.means]),
        width,
      ),
    ),
    ...section(
      'Examples',
      spec.examples.flatMap(({ command, does }) => [...wrapText(`${does}:`, width, '  '), `    ${command}`]),
    ),
    '',
    ...wrapText("Options of every command: see 'git flame help'.", width),
  ].join('\n');
}

/** The command lines that usage shows, without the program's own options. */
export function listUsageLines(name: CommandName): readonly string[] {
  const options = Object.entries<OptionSpec>(commandTable[name].options).map(
    ([key, option]) => `[${renderOptionUsage(key, option)}]`,
  );
  return [renderUsageLine(name, options)];
}

/** `git flame task add|edit|next [TITLE|ID]`, with these options between. */
export function renderUsageLine(name: CommandName, options: readonly string[] = []): string {
  const spec: CommandSpec<CommandName> = commandTable[name];
  const names = (spec.subcommands ?? []).map((sub) => sub.name).join('|');
  const subcommand = names === '' ? [] : [spec.needsSubcommand === true ? names : `[${names}]`];
  const operand = spec.operand === undefined ? [] : [spec.operand.usage];
  return ['git flame', name, ...subcommand, ...options, ...operand].join(' ');
}

/** `--from FILE`, `--[no-]color`, `-n, --max-count N`. */
export function renderOptionUsage(key: string, spec: OptionSpec): string {
  const flags = listOptionFlags(key, spec);
  const value = spec.value === undefined ? '' : ` ${spec.value}`;
  if (spec.kind !== 'yes-no') return `${flags.join(', ')}${value}`;
  return `${(flags[0] ?? '').replace('--', '--[no-]')}`;
}

/** The commands that are meant for people. */
export function listShownCommands(): readonly CommandName[] {
  const names = Object.keys(commandTable) as CommandName[];
  return names.filter((name) => commandTable[name].isHidden !== true);
}

function optionRows(specs: Readonly<Record<string, OptionSpec>>): (readonly [string, string])[] {
  return Object.entries(specs).map(([key, spec]) => [renderOptionUsage(key, spec), spec.summary]);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

/** Two columns; the second goes below the first where there is no room beside it. */
function renderRows(rows: readonly (readonly [string, string])[], width: number): readonly string[] {
  const longest = Math.min(24, Math.max(0, ...rows.map(([left]) => left.length)));
  const indent = ' '.repeat(longest + 4);
  return rows.flatMap(([left, right]) => {
    if (width - indent.length < 24) return [`  ${left}`, ...wrapText(right, width, '      ')];
    const [first = '', ...rest] = wrapText(right, width, indent);
    if (left.length > longest) return [`  ${left}`, first, ...rest];
    return [`  ${left.padEnd(longest)}  ${first.slice(indent.length)}`, ...rest];
  });
}
