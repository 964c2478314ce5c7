import { resolve } from 'node:path';
import { badOptionValueError } from '../../domain/input-errors.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/** Options of a command line, beside the session and the configuration it names: read from it once. */
export interface CommandLine {
  /** Nothing is started and nothing stored. */
  readonly isDry: boolean;
  readonly isQuiet: boolean;
  /** Commands that look, plan or book only start nothing that the repository's files name. */
  readonly startsThings: boolean;
  /** Answers given beforehand, absolute; null: none. */
  readonly decisionsFile: string | null;
  /** Whether a terminal may be drawn on. */
  readonly wantsLive: boolean;
  readonly page: PageWishes;
  /** Pushes a landing branch, and opens its pull request. */
  readonly wantsPullRequest: boolean;
  readonly hints: CommandHints;
}

interface PageWishes {
  /** Changesets are decided in a browser too, from the start. */
  readonly isWanted: boolean;
  readonly opensBrowser: boolean;
  /** A board is served, where all of its questions are answered: where, as it was typed, and by which command. null: none is. */
  readonly board: {
    readonly command: string;
    readonly port: number | null;
    readonly address: string | null;
  } | null;
}

/** Commands to type when this command stops. */
interface CommandHints {
  /** After an unanswered gate: the single command again, or the run, on the same session. */
  readonly continueCommand: string;
  /** To see what the repository's files ask for, to allow it, and the command as it was typed. */
  readonly trustFirst: readonly string[];
  /** The commands of trustFirst after this command has begun: without what it began. */
  readonly trustAgain: readonly string[];
}

/** `run` and `resume` with --web. Throws FlameError `bad-value` where port or address is named without it. */
function boardWish({ command, options, globals }: CommandArgs): PageWishes['board'] {
  if ((command !== 'run' && command !== 'resume') || !('web' in options) || !('port' in options)) return null;
  const { port, address } = options;
  const served = `git flame ${command} --web`;
  if (options.web) return globals.dryRun ? null : { command: served, port, address };
  if (port === null && address === null) return null;
  throw badOptionValueError(`--port and --address need --web, which serves the board.`, {
    hints: [`${served} --port 7171`],
  });
}

export function readCommandLine(args: CommandArgs, io: Pick<Io, 'cwd'>): CommandLine {
  const { json, plain, quiet, dryRun, decisionsFile } = args.globals;
  const { options } = args;
  const board = boardWish(args);
  return {
    isDry: dryRun,
    isQuiet: quiet,
    startsThings: startsThings(args),
    decisionsFile: decisionsFile === null ? null : resolve(io.cwd, decisionsFile),
    wantsLive: !(json || plain || quiet || dryRun),
    page: {
      isWanted: 'web' in options && options.web,
      opensBrowser: !('open' in options) || options.open,
      board,
    },
    wantsPullRequest: 'pr' in options && options.pr,
    hints: {
      continueCommand: renderContinueCommand(args),
      trustFirst: trustHints(args, true),
      trustAgain: trustHints(args, false),
    },
  };
}

/** Commands to see what is asked for, and to allow it. */
export function listTrustCommands({ globals }: Pick<CommandArgs, 'globals'>): readonly [string, string] {
  const config = globals.config === null ? '' : ` --config ${shellQuote(globals.config)}`;
  return [`git flame trust${config}`, `git flame trust --yes${config}`];
}

/** By hand, a claim prepares a worktree and a submit is taken in. */
function startsThings({ command, subcommand, globals }: CommandArgs): boolean {
  if (globals.dryRun) return false;
  if (command === 'session') return false;
  return command !== 'task' || subcommand === 'claim' || subcommand === 'submit';
}

function renderContinueCommand({ command, globals }: CommandArgs): string {
  const session = globals.session === null ? '' : ` --session ${globals.session}`;
  return `git flame ${command === 'demo' ? 'run' : command}${session}`;
}

function trustHints(args: CommandArgs, isFirst: boolean): readonly string[] {
  const { command, subcommand, globals, typed } = args;
  const config = globals.config === null ? [] : ['--config', globals.config];
  const session = globals.session === null ? [] : ['--session', globals.session];
  const again = [command, ...(subcommand === null ? [] : [subcommand]), ...config, ...session];
  const words = isFirst && typed !== undefined ? typed : again;
  return [...listTrustCommands(args), `git flame ${words.map(shellQuote).join(' ')}`];
}
