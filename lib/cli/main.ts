import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FlameError } from '../domain/flame-error.ts';
import { noFolderError } from '../domain/input-errors.ts';
import type { CommandName, CommandOptions, Io } from '../domain/view-models/command.ts';
import { outputWidth } from '../ui/text/style.ts';
import type { CommandSpec } from './command-spec.ts';
import { commandTable } from './command-table.ts';
import { type ParsedCommandLine, parseArgv } from './parse-argv.ts';
import { hiddenCompleteCommand, printCompletions } from './print-completions.ts';
import { renderCommandHelp, renderHelpSummary } from './render-help.ts';
import { reportError } from './report-error.ts';
import { runInProcess } from './run-in-process.ts';

declare const FLAME_VERSION: string;

/** Runs one command line; resolves to its exit code and never rejects. Sets nothing of the process. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let typed = argv;
  try {
    if (argv[0] === hiddenCompleteCommand) return await printCompletions(argv.slice(1), io);
    const invocation = parseArgv(argv);
    const words = invocation.kind === 'none' ? await askWhatToDo(invocation, io) : [];
    // Asked at a terminal, the person may want nothing.
    if (words === null) return 0;
    typed = [...argv, ...words];
    return await perform(parseArgv(typed), typed, io);
  } catch (error) {
    return reportError(error, typed, io);
  }
}

/** Runs the program for this process; see runInProcess for what that promises. */
export function runProcess(): Promise<void> {
  return runInProcess(main);
}

/**
 * Without a command: at a terminal the way into a session. Resolves to the words that are missing, none where help is
 * shown, null where the person quits.
 */
async function askWhatToDo(
  { globals, directory }: ParsedCommandLine & { readonly kind: 'none' },
  io: Io,
): Promise<readonly string[] | null> {
  const isTerminal = [io.stdin, io.stdout, io.stderr].every(({ isTTY }) => isTTY === true);
  if (!isTerminal || globals.json || globals.plain || globals.quiet || io.env.TERM === 'dumb') return [];
  const { askForObjective } = await import('../commands/plan/ask-for-objective.ts');
  return askForObjective(globals, { ...io, cwd: enterDirectory(io.cwd, directory) });
}

async function perform(invocation: ParsedCommandLine, typed: readonly string[], io: Io): Promise<number> {
  if (invocation.kind === 'version') {
    io.stdout.write(`git-flame ${FLAME_VERSION}\n`);
    return 0;
  }
  if (invocation.kind === 'help' || invocation.kind === 'none') {
    const width = Math.min(outputWidth(io.stdout, io.env), 100);
    const command = invocation.kind === 'help' ? invocation.command : null;
    const text = command === null ? renderHelpSummary(width) : renderCommandHelp(command, width);
    io.stdout.write(`${text}\n`);
    return 0;
  }
  return runCommand(invocation.command, { ...invocation, typed }, io);
}

async function runCommand<Name extends CommandName>(
  command: Name,
  invocation: ParsedCommandLine & { readonly kind: 'run' } & { readonly typed: readonly string[] },
  io: Io,
): Promise<number> {
  const spec: CommandSpec<Name> = commandTable[command];
  const cwd = enterDirectory(io.cwd, invocation.directory);
  if (spec.load === undefined) throw notThere(command);
  const module = await spec.load();
  const { subcommand, positionals, globals, typed } = invocation;
  // parseArgv read the options by the table, whose kinds the compiler checks against CommandOptions.
  const options = invocation.options as unknown as CommandOptions[Name];
  const there = cwd === io.cwd ? io : { ...io, cwd };
  return module.run({ command, subcommand, options, positionals, globals, typed }, there);
}

function enterDirectory(cwd: string, directory: string | null): string {
  if (directory === null) return cwd;
  const path = resolve(cwd, directory);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw noFolderError(`There is no folder '${directory}' to start in.`, 'git flame help');
}

function notThere(command: CommandName): FlameError {
  return new FlameError({
    kind: 'internal',
    code: 'command-missing',
    message: `git flame ${command} is not part of this version.`,
    hints: ['git flame help'],
  });
}
