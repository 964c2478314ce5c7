import type { CommandName } from '../domain/view-models/command.ts';
import type { CommandSpec, OptionSpec } from './command-spec.ts';
import { commandTable, exitCodeTable, globalOptionSpecs } from './command-table.ts';
import { listShownCommands, listUsageLines, renderOptionUsage, renderUsageLine } from './render-help.ts';

/** git-flame(1) as roff, from the command table. Holds no date, so that it changes only with its content. */
export function renderManPage(version: string): string {
  const lines = [
    '.\\" Made from lib/cli/command-table.ts; change that.',
    `.TH GIT\\-FLAME 1 "" "git\\-flame ${escapeRoff(version)}" "Git Flame Manual"`,
    '.nh',
    '.ad l',
    '.SH NAME',
    'git\\-flame \\- lead coding agents from inside git',
    '.SH SYNOPSIS',
    '.B git flame',
    '.RI [ options ]',
    '.I command',
    '.RI [ arguments ]',
    '.SH DESCRIPTION',
    paragraph(
      'One person leads a team of coding agents. An objective becomes a plan, the plan becomes tasks, each worked on in a worktree of its own, checked, and merged into changesets that land on the base branch once you approve them. All state is kept as git notes under refs/blueflame/*.',
    ),
    '.SH COMMANDS',
    ...listShownCommands().flatMap(renderCommand),
    '.SH OPTIONS',
    'Every command takes these, before or after its name.',
    ...renderOptions(globalOptionSpecs),
    '.SH EXIT STATUS',
    ...exitCodeTable.flatMap(({ code, means }) => ['.TP', `.B ${code}`, sentence(means)]),
    '.SH FILES',
    '.TP',
    '.I .blueflame.yml',
    'The configuration, at the top of the repository.',
    '.SH SEE ALSO',
    '.BR git (1),',
    '.BR git\\-notes (1),',
    '.BR git\\-worktree (1)',
  ];
  return `${lines.join('\n')}\n`;
}

function renderCommand(name: CommandName): readonly string[] {
  const spec: CommandSpec<CommandName> = commandTable[name];
  const { subcommands = [], exitCodes = [], examples } = spec;
  return [
    `.SS ${quote(listUsageLines(name)[0] ?? name)}`,
    paragraph(`${spec.summary}.`),
    ...spec.details.flatMap((text) => ['.PP', paragraph(text)]),
    ...subcommands.flatMap((sub) => ['.TP', `.B ${escapeRoff(sub.name)}`, sentence(sub.summary)]),
    ...renderOptions(spec.options),
    ...exitCodes.flatMap(({ code, means }) => ['.TP', `.B ${code}`, sentence(means)]),
    ...examples.flatMap(({ command, does }) => [
      '.PP',
      sentence(does),
      '.PP',
      '.in +4n',
      '.nf',
      `.B ${quote(command)}`,
      '.fi',
      '.in',
    ]),
  ];
}

function renderOptions(specs: Readonly<Record<string, OptionSpec>>): readonly string[] {
  return Object.entries(specs).flatMap(([key, spec]) => [
    '.TP',
    `.B ${quote(renderOptionUsage(key, spec))}`,
    sentence(spec.summary),
  ]);
}

function sentence(text: string): string {
  return paragraph(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}

/** A line that starts with a dot or a quote would be a request of roff. */
function paragraph(text: string): string {
  return escapeRoff(text).replace(/^([.'])/, '\\&$1');
}

function quote(text: string): string {
  return `"${escapeRoff(text).replaceAll('"', '\\(dq')}"`;
}

/** Hyphens as they are typed on a command line, apostrophes straight, backslashes kept. */
function escapeRoff(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq');
}

const opening = '<!-- commands -->';
const closing = '<!-- /commands -->';

/** The commands as a Markdown table, for docs/commands.md; their options are in the help. */
function renderCommandTable(): string {
  const rows = listShownCommands().map(
    (name) => `| \`${renderUsageLine(name).replaceAll('|', '\\|')}\` | ${commandTable[name].summary} |`,
  );
  return ['| Command | |', '|---|---|', ...rows].join('\n');
}

/** A page with the table between its markers brought up to date; null if it has no markers. */
export function updateCommandTableInPage(page: string): string | null {
  const [start, end] = [page.indexOf(opening), page.indexOf(closing)];
  if (start < 0 || end < start) return null;
  return `${page.slice(0, start + opening.length)}\n${renderCommandTable()}\n${page.slice(end)}`;
}
