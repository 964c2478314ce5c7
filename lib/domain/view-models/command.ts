import type { GitLimits } from '../config/checked-work-limits.ts';

/** Parsed values of each command's own options; null: not given. The command table in lib/cli follows it. */
export interface CommandOptions {
  readonly init: {
    readonly hooks: boolean;
    readonly try: boolean;
    readonly uninstall: boolean;
    readonly base: string | null;
    readonly name: string | null;
  };
  /** remote: as it was typed, '' where none was; null: none is tried. */
  readonly doctor: { readonly repair: boolean; readonly remote: string | null };
  readonly trust: { readonly yes: boolean };
  readonly plan: {
    readonly from: string | null;
    readonly interactive: boolean | null;
    readonly new: boolean;
  };
  readonly work: {
    /** The remote of a session to work in, '' where none was named. */
    readonly join: string | null;
    readonly plan: string | null;
    readonly role: readonly string[] | null;
    readonly budget: string | null;
  };
  readonly validate: {
    readonly requeue: string | null;
    readonly keepWork: boolean;
    readonly override: string | null;
    readonly recheck: boolean;
    readonly verify: boolean;
  };
  readonly merge: NoOptions;
  readonly review: {
    readonly changeset: string | null;
    readonly approve: boolean;
    readonly commit: string | null;
    readonly message: string | null;
    readonly reject: string | null;
    readonly tasks: readonly string[] | null;
    readonly keepWork: boolean;
    readonly skip: boolean;
    readonly takeBack: string | null;
    readonly override: string | null;
    readonly try: boolean;
    readonly done: boolean;
    readonly export: string | null;
    readonly pr: boolean;
  } & PageOptions;
  readonly pr: { readonly more: boolean };
  readonly undo: {
    readonly requeue: string | null;
    readonly drop: string | null;
    readonly keepWork: boolean;
  };
  readonly run: {
    readonly from: string | null;
    readonly new: boolean;
    readonly queen: boolean;
    readonly pr: boolean;
    /** The remote to share the session through, '' where none was named. */
    readonly remote: string | null;
    readonly takeOver: boolean;
  } & BoardOptions;
  readonly resume: BoardOptions;
  readonly session: { readonly all: boolean; readonly yes: boolean };
  readonly rescue: { readonly to: string | null; readonly diff: boolean };
  readonly cleanup: { readonly yes: boolean; readonly force: boolean; readonly rescues: boolean };
  readonly status: { readonly all: boolean };
  readonly board: Omit<BoardOptions, 'web'>;
  /** print: a text of the question, as it is. */
  readonly answer: {
    readonly message: string | null;
    readonly tasks: readonly string[] | null;
    readonly keepWork: boolean;
    readonly comment: readonly string[] | null;
    readonly print: string | null;
  };
  readonly machines: {
    readonly trust: string | null;
    readonly distrust: string | null;
  };
  readonly show: {
    readonly diff: boolean;
    readonly interdiff: boolean;
    readonly graph: boolean;
  };
  readonly stats: {
    readonly all: boolean;
    readonly format: string | null;
    readonly output: string | null;
  };
  readonly log: { readonly maxCount: number | null; readonly reverse: boolean };
  readonly task: {
    readonly title: string | null;
    readonly description: string | null;
    readonly locks: readonly string[] | null;
    readonly needs: readonly string[] | null;
    readonly group: string | null;
    readonly priority: number | null;
    readonly attempts: string | null;
    readonly attempt: number | null;
    readonly id: string | null;
    readonly from: string | null;
    readonly role: string | null;
    readonly stdin: boolean;
    readonly worktree: boolean;
    readonly commit: string | null;
    readonly notes: string | null;
    readonly reason: string | null;
    readonly force: boolean;
  };
  readonly agent: { readonly retry: boolean; readonly wait: boolean };
  readonly note: {
    readonly tasks: readonly string[] | null;
    readonly paths: readonly string[] | null;
    readonly from: string | null;
  };
  readonly sync: {
    readonly damaged: boolean;
    readonly keepMine: boolean;
    readonly restore: readonly string[] | null;
    readonly accept: readonly string[] | null;
  };
  readonly policy: {
    readonly role: string | null;
    readonly locks: readonly string[] | null;
    readonly worktree: string | null;
  };
  readonly config: { readonly write: boolean };
  /** print: the chat to print an entry for, '' for all. */
  readonly mcp: { readonly print: string | null };
  readonly completion: NoOptions;
  readonly demo: { readonly keep: boolean; readonly dir: string | null };
  readonly hook: NoOptions;
  readonly help: NoOptions;
}
/** web: changesets can be decided in a browser too; open: the person's browser is started. */
interface PageOptions {
  readonly web: boolean;
  readonly open: boolean;
}
/** address: where the person's own tunnel leads to it, or the address of this machine to serve it on. */
interface BoardOptions extends PageOptions {
  readonly port: number | null;
  readonly address: string | null;
}
type NoOptions = Readonly<Record<never, never>>;
export type CommandName = keyof CommandOptions;

/** Options every command takes. */
export interface GlobalOptions {
  /** Path of the configuration file, as typed. */
  readonly config: string | null;
  readonly json: boolean;
  /** No colour, no wrapping, nothing redrawn. */
  readonly plain: boolean;
  readonly quiet: boolean;
  /** null: decided by the environment. */
  readonly color: boolean | null;
  readonly dryRun: boolean;
  /** Path, as typed. */
  readonly decisionsFile: string | null;
  readonly session: string | null;
  readonly debug: boolean;
}

/** A parsed command line: only options the command knows, its operands counted. */
export interface CommandArgs<Name extends CommandName = CommandName> {
  readonly command: Name;
  /** Of a command that has some: the one typed, else its default. */
  readonly subcommand: string | null;
  readonly options: CommandOptions[Name];
  /** The operands; a multi-word objective is one. Never empty strings. */
  readonly positionals: readonly string[];
  readonly globals: GlobalOptions;
  /** All words as they were typed, the command's name included; absent: another command runs this one. */
  readonly typed?: readonly string[];
}

/** Exports of a file in lib/commands. Resolves to the exit code; throws FlameErrors. */
export interface CommandModule<Name extends CommandName> {
  run(args: CommandArgs<Name>, io: Io): Promise<number>;
}

/** Output of a command: a stream of Node that may be a terminal. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** Input from a person. */
export type InputStream = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined;
  /** Keys one by one, unseen, and none of them a signal; a terminal alone has it. */
  setRawMode?(isRaw: boolean): unknown;
};

/** Where a command runs: its folder, environment and streams. Tests pass their own. */
export interface Io {
  /** Absolute: the person's current folder; paths they type are relative to it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Aborts at Ctrl-C, SIGTERM or SIGHUP; its reason is the FlameError `interrupted` to throw. */
  readonly signal?: AbortSignal | undefined;
  /** Aborts at the second Ctrl-C: agents are ended without a grace time. */
  readonly hurry?: AbortSignal | undefined;
  /** What each git may take that reads the repository; absent: it may take what it needs. */
  readonly gitLimits?: GitLimits | undefined;
}

/** Kinds of names that a person types: completion offers them. */
export const nameKinds = ['session', 'task', 'agent', 'changeset', 'rescue', 'remote', 'branch', 'gate'] as const;
export type NameKind = (typeof nameKinds)[number];

/** One thing to type, and what it is. */
export interface CompletionCandidate {
  readonly word: string;
  /** One line; '' where there is nothing to say. */
  readonly about: string;
}
