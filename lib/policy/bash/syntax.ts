import type { ParsedScript, Function as RawFunction } from 'unbash';
import type { Work } from './work.ts';

/** A word of a command that can be read as it stands. */
export interface Word {
  /** Its text after quotes; of a wildcard word the pattern. */
  readonly text: string;
  /** Unquoted wildcards in it: bash replaces it by the names it matches. */
  readonly isGlob: boolean;
  /** Written without quotes, escapes or wildcards. */
  readonly isPlain: boolean;
  /** Holds what is not known yet: a number such as `$?`, as 0 in `text`, or what a command prints. */
  readonly unknown: 'status' | 'output' | null;
  /** The commands whose output it holds, one for each mark in its text. */
  readonly outputs?: readonly Output[];
  /** An output stands without quotes: bash takes it apart at blanks. */
  readonly isSplit?: boolean;
  /** Stands for the output of a command under the name of a file: `<(…)`. */
  readonly fed?: BashNode;
}

/** A command whose output a word holds. */
export interface Output {
  /** Nothing: a variable of the environment. */
  readonly node?: BashNode;
  /** It ran before, as the list of a loop or the value of a variable. */
  readonly isGiven?: boolean;
  /** What an expansion such as `${f%.ts}` makes of it. */
  readonly change?: (text: string) => string;
}

export interface Redirection {
  readonly access: 'read' | 'write';
  readonly target: string;
  /** The commands whose output the target holds. */
  readonly outputs?: readonly Output[];
}

export interface SimpleCommand {
  readonly kind: 'command';
  readonly environment: readonly { readonly name: string; readonly value: string }[];
  /** The command word and its arguments; empty for a bare assignment or redirection. */
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  /** What a here-document or here-string gives to its standard input; null: inherited or piped. */
  readonly input: string | null;
  /** What runs first, for its output: `"$(…)"` in a word. */
  readonly inner: readonly BashNode[];
}

// Stands in a word for the folder bash is in. No command may hold the character itself.
export const currentFolder = '\u0001';
// Stands in a word for what a command prints.
export const outputMark = '\u0002';

/** What a script may consist of; everything else is refused while reading. */
export type BashNode =
  | SimpleCommand
  | { readonly kind: 'pipeline'; readonly nodes: readonly BashNode[]; readonly negated: boolean }
  | {
      readonly kind: 'and-or';
      readonly nodes: readonly BashNode[];
      readonly operators: readonly ('&&' | '||')[];
    }
  | { readonly kind: 'list'; readonly nodes: readonly BashNode[] }
  | {
      readonly kind: 'for';
      /** The body for each value, the variable replaced. */
      readonly bodies: readonly BashNode[];
      /** What its list is taken from. */
      readonly given: readonly BashNode[];
      readonly redirections: readonly Redirection[];
    }
  /** `while read -r f`: `lines` stands for the lines it gets, from `from`, a pipe or a file. */
  | {
      readonly kind: 'while';
      readonly body: BashNode;
      readonly lines: BashNode;
      readonly from: BashNode | null;
      readonly redirections: readonly Redirection[];
    }
  /** The files of a wildcard that a loop goes through. */
  | { readonly kind: 'names'; readonly pattern: Word }
  /** `$((…))` and `((…))`: what runs for it, and what of that must print numbers. */
  | { readonly kind: 'number'; readonly runs: readonly BashNode[]; readonly numbers: readonly BashNode[] }
  /** What the values of variables are taken from. */
  | { readonly kind: 'given'; readonly nodes: readonly BashNode[] }
  /** `[[ … ]]`: the files it asks for, and the commands whose output it compares. */
  | {
      readonly kind: 'test';
      readonly files: readonly string[];
      readonly inner: readonly BashNode[];
      /** Of them those that must print a number. */
      readonly numbers: readonly BashNode[];
    }
  | { readonly kind: 'subshell'; readonly body: BashNode; readonly redirections: readonly Redirection[] }
  | { readonly kind: 'group'; readonly body: BashNode; readonly redirections: readonly Redirection[] }
  | {
      readonly kind: 'if';
      readonly parts: readonly BashNode[];
      readonly redirections: readonly Redirection[];
    };

/** Where a word stands. */
export interface Scope {
  /** What the variables of the loops around it stand for. */
  readonly values: ReadonlyMap<string, Word>;
  /** The functions written before it, which bash runs in place of programs. */
  readonly functions: ReadonlyMap<string, RawFunction>;
  /** Variables that never hold anything but a number. */
  readonly numbers: ReadonlySet<string>;
  /** Reads what stands within a substitution. */
  readonly readScript: (script: ParsedScript, scope: Scope) => BashNode;
  /** How often those loops go round, one within the other. */
  readonly rounds: number;
  readonly work: Work;
}

/** What runs for a word each time it is used. */
export function ranIn({ outputs = [], fed }: Pick<Word, 'outputs' | 'fed'>): readonly BashNode[] {
  const run = outputs.flatMap(({ node, isGiven }) => (isGiven === true || node === undefined ? [] : [node]));
  return fed === undefined ? run : [...run, fed];
}
