import { createObjection, type PolicyObjection, type RuleName } from '../policy-rules.ts';

// Characters that stand in a word for text that only bash will know. No command may hold these characters.
const kinds = {
  /** Any text. */
  any: '\u0001',
  /** Names as git and programs that look print them: no options, and no ids of contents. */
  names: '\u0002',
  /** A text without a slash. */
  plain: '\u0003',
  number: '\u0004',
  /** The folder bash is in. */
  here: '\u0005',
  /** The top of the worktree. */
  top: '\u0006',
  /** A name like /dev/fd/63 that bash gives to the output of a command. */
  stream: '\u0007',
} as const;

export const unknownTextMarks = {
  ...kinds,
  isIn: (text: string): boolean => /[\u0001-\u0007]/.test(text),
  /** A text that could be anything at its start is no path that can be judged. */
  isOpen: (text: string): boolean => text.includes(kinds.any),
  /** With a name in place of what is named plainly. */
  filled: (text: string): string => text.replace(/[\u0002-\u0004]/g, 'x'),
  shown: (text: string): string => text.replace(/[\u0001-\u0007]/g, '…'),
};

/** A word of a command, with every text it may stand for. */
export interface ShellWord {
  /** After quotes; of a wildcard word its patterns. */
  readonly values: readonly string[];
  /** Unquoted wildcards in it: bash replaces it by the names it matches. */
  readonly isGlob: boolean;
  /** Holds an expansion without quotes: bash takes it apart at blanks. */
  readonly isSplit: boolean;
}

/** All that the variables of a script may hold, wherever they get it. */
export type VariableValues = ReadonlyMap<string, ReadonlySet<string>>;

export interface Redirection {
  readonly access: 'read' | 'write';
  readonly target: ShellWord;
}

/** One program with its words. */
export interface ShellCommand {
  /** The program and its arguments; empty for a bare assignment or redirection. */
  readonly words: readonly ShellWord[];
  readonly environment: readonly { readonly name: string; readonly value: ShellWord }[];
  readonly redirections: readonly Redirection[];
  /** The standard input that a here-document or here-string gives; null: another one. */
  readonly input: string | null;
  /** The text that a pipe gives it. */
  readonly piped: readonly string[];
}

/** Ends the reading of a command from within its nodes; caught where the reading began. */
export class CommandRefusal extends Error {
  readonly objection: PolicyObjection;

  constructor(rule: RuleName, details: string, advice?: string) {
    super(details);
    this.objection = createObjection(rule, details, advice);
  }

  static of({ rule, details, advice }: PolicyObjection): CommandRefusal {
    return new CommandRefusal(rule, details, advice);
  }
}

/** Refuses a text whose value only bash could know. */
export function dynamicTextRefusal(text: string, why: string): CommandRefusal {
  return new CommandRefusal(
    'bash-dynamic',
    `${JSON.stringify(text.slice(0, 100))} ${why}. Use plain words, and put text that contains \`$\`, \`*\` or \`~\` into single quotes.`,
  );
}
