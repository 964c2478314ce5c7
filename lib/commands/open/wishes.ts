import { resolve } from 'node:path';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/** What a command line asks for, beside the session and the configuration it names: read from it once. */
export interface Wishes {
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
  /** What landed on a branch of its own is pushed, and its pull request opened. */
  readonly wantsPullRequest: boolean;
  readonly hints: WishHints;
}

interface PageWishes {
  /** Changesets are decided in a browser too, from the start. */
  readonly isWanted: boolean;
  readonly opensBrowser: boolean;
  /** The command serves a board, where all of its questions are answered. */
  readonly servesBoard: boolean;
}

/** What to type when the command stops. */
interface WishHints {
  /** After an unanswered gate: the single command again, or the run, on the same session. */
  readonly goOn: string;
  /** To see what the repository's files ask for, to allow it, and the command as it was typed. */
  readonly trustFirst: readonly string[];
  /** The same once the command has begun: without what it began. */
  readonly trustAgain: readonly string[];
}

export function readWishes(args: CommandArgs, io: Pick<Io, 'cwd'>): Wishes {
  const { json, plain, quiet, dryRun, decisionsFile } = args.globals;
  const { options } = args;
  return {
    isDry: dryRun,
    isQuiet: quiet,
    startsThings: startsThings(args),
    decisionsFile: decisionsFile === null ? null : resolve(io.cwd, decisionsFile),
    wantsLive: !(json || plain || quiet || dryRun),
    page: {
      isWanted: 'web' in options && options.web,
      opensBrowser: !('open' in options) || options.open,
      servesBoard:
        'web' in options && options.web && (args.command === 'run' || args.command === 'resume') && !dryRun,
    },
    wantsPullRequest: 'pr' in options && options.pr,
    hints: { goOn: goOn(args), trustFirst: trustHints(args, true), trustAgain: trustHints(args, false) },
  };
}

/** What to type to see what is asked for, and to allow it. */
export function trustCommands({ globals }: Pick<CommandArgs, 'globals'>): readonly [string, string] {
  const config = globals.config === null ? '' : ` --config ${shellQuote(globals.config)}`;
  return [`git flame trust${config}`, `git flame trust --yes${config}`];
}

/** By hand, a claim prepares a worktree and a submit is taken in. */
function startsThings({ command, subcommand, globals }: CommandArgs): boolean {
  if (globals.dryRun) return false;
  return command !== 'task' || subcommand === 'claim' || subcommand === 'submit';
}

function goOn({ command, globals }: CommandArgs): string {
  const session = globals.session === null ? '' : ` --session ${globals.session}`;
  return `git flame ${command === 'demo' ? 'run' : command}${session}`;
}

function trustHints(args: CommandArgs, isFirst: boolean): readonly string[] {
  const { command, subcommand, globals, options, positionals } = args;
  const from = 'from' in options && options.from !== null ? ['--from', options.from] : [];
  const config = globals.config === null ? [] : ['--config', globals.config];
  const session = globals.session === null ? [] : ['--session', globals.session];
  const typed = isFirst ? [...positionals, ...from] : [];
  const words = [command, ...(subcommand === null ? [] : [subcommand]), ...typed, ...config, ...session];
  return [...trustCommands(args), `git flame ${words.map(shellQuote).join(' ')}`];
}
