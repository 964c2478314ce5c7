import type { CompoundCommand, Function as Definition } from 'unbash';
import type { AgentPolicy, PathFacts } from '../../domain/policy.ts';
import { Refusal } from './refusal.ts';
import { mark, type Redirection, type ShellCommand, type Word } from './syntax.ts';

/** Receives all that a script may run, in each folder it may be in. Throws a Refusal at the first objection. */
export interface Visitor {
  command(command: ShellCommand, place: Place): void;
  redirections(redirections: readonly Redirection[], place: Place): void;
  /** Files that `[[ … ]]` asks for. */
  files(words: readonly Word[], place: Place): void;
}

/** A folder a command may be in; `isLost`: it could as well be any other. */
export interface Place {
  readonly cwd: string;
  readonly isLost: boolean;
}

/** Where one shell is: `cd` in a subshell leaves the outer one where it was. */
export interface Shell {
  places: readonly string[];
  isLost: boolean;
  /** The standard input of its commands. */
  readonly piped: readonly string[];
}

export type Body = CompoundCommand | Extract<Definition['body'], { readonly type: 'Redirected' }>;

export interface Walk {
  readonly policy: AgentPolicy;
  readonly facts: PathFacts;
  /** null: what its variables may hold is collected, and nothing is judged. */
  readonly visitor: Visitor | null;
  readonly values: Map<string, Set<string>>;
  readonly functions: Map<string, readonly Body[]>;
  /** Where it has been. */
  readonly visited: Set<string>;
  readonly work: { left: number };
  readonly depth: number;
}

const mostPlaces = 8;
const mostValues = 200;

/** Adds to what a variable may hold. */
export function remember(walk: Walk, name: string, texts: readonly string[]): void {
  const known = walk.values.get(name) ?? new Set<string>();
  for (const one of texts) known.add(one);
  walk.values.set(name, known.size > mostValues ? new Set([mark.any]) : known);
}

/** The folders its commands may be in. */
export function placesOf({ places, isLost }: Shell): readonly Place[] {
  return places.map((cwd) => ({ cwd, isLost }));
}

export function goTo(shell: Shell, places: readonly string[]): void {
  shell.places = [...new Set(places)];
  if (shell.places.length > mostPlaces)
    throw new Refusal('bash-directory', 'Too many changes of folder. Use one `cd` at the start.');
}
