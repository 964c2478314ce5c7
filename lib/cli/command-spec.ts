import type { CommandModule, CommandName, CommandOptions, GlobalOptions } from '../domain/view-models/command.ts';

/**
 * One option. Its flag is its key in kebab-case: `maxCount` is `--max-count`. A `no-flag` is true unless
 * `--no-<key>` is given, a `yes-no` has both spellings, a `list` is separated by commas, `texts` are given one by one. The
 * value of an `optional` may be left out and is '' then; the word after it is taken for one if it may be a name.
 */
export interface OptionSpec {
  readonly kind: 'flag' | 'no-flag' | 'yes-no' | 'text' | 'optional' | 'number' | 'list' | 'texts';
  /** Name of the value in help, where there is one. */
  readonly value?: string;
  /** All that may be given, where it is one of a few. */
  readonly choices?: readonly string[];
  readonly short?: string;
  readonly summary: string;
}

type KindOf<Value> = [Value] extends [boolean]
  ? 'flag' | 'no-flag'
  : [Value] extends [boolean | null]
    ? 'yes-no'
    : [Value] extends [string | null]
      ? 'text' | 'optional'
      : [Value] extends [number | null]
        ? 'number'
        : 'list' | 'texts';

type OptionSpecs<Options> = {
  readonly [Key in keyof Options]: OptionSpec & { readonly kind: KindOf<Options[Key]> };
};

interface Operand {
  /** As usage shows it: `[TASK]`. */
  readonly usage: string;
  /** words: everything typed, joined to one text. */
  readonly kind: 'one' | 'words';
}

interface Subcommand {
  readonly name: string;
  readonly summary: string;
}

/** Everything said about one command: help, man page, docs/commands.md and parser come from it. */
export interface CommandSpec<Name extends CommandName> {
  /** Summary, one line without a full stop. */
  readonly summary: string;
  /** Further help: paragraphs of a few sentences. */
  readonly details: readonly string[];
  readonly operand?: Operand;
  /** The first is the default unless one must be named. */
  readonly subcommands?: readonly Subcommand[];
  readonly needsSubcommand?: boolean;
  readonly options: OptionSpecs<CommandOptions[Name]>;
  readonly examples: readonly { readonly command: string; readonly does: string }[];
  /** Special meanings of exit codes in this command. */
  readonly exitCodes?: readonly { readonly code: number; readonly means: string }[];
  /** For programs, not people: in no list of commands. */
  readonly isHidden?: boolean;
  /** Absent: the command is answered by lib/cli itself, or isn't there yet. */
  readonly load?: () => Promise<CommandModule<Name>>;
}

export type CommandTable = { readonly [Name in CommandName]: CommandSpec<Name> };
/** Options of the program itself; `directory`, `version` and `help` never reach a command. */
export type GlobalOptionSpecs = OptionSpecs<
  GlobalOptions & { readonly directory: string | null; readonly version: boolean; readonly help: boolean }
>;

/** The flags of an option as they are typed: `maxCount` → `--max-count`. */
export function listOptionFlags(key: string, spec: OptionSpec): readonly string[] {
  const name = key === 'directory' ? null : key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const short = spec.short === undefined ? [] : [`-${spec.short}`];
  if (name === null) return short;
  if (spec.kind === 'no-flag') return [...short, `--no-${name}`];
  return spec.kind === 'yes-no' ? [...short, `--${name}`, `--no-${name}`] : [...short, `--${name}`];
}
