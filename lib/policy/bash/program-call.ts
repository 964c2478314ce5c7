import type { PathContext } from '../judge-path.ts';
import type { PolicyObjection } from '../policy-rules.ts';

/** The context in which a command is judged. */
export interface ShellCommandContext extends PathContext {
  /** Judges a line that the command would hand to a shell. */
  readonly judgeLine: (text: string) => PolicyObjection | null;
}

/** One program with its arguments, as bash would start it; what is not known of a word is marked in it. */
export interface ProgramCall {
  readonly name: string;
  /** The name the rules know it by. */
  readonly family: string;
  readonly args: readonly string[];
  /** How many leading arguments the lead wrote into the allowed command itself: they need no judging. */
  readonly allowedArgumentCount: number;
  /** The lead listed the program by its name alone, without any argument. */
  readonly isListedAlone: boolean;
  /** Text of a here-document on standard input; null: something else. */
  readonly input: string | null;
  readonly piped: readonly string[];
  readonly context: ShellCommandContext;
  /** Judges a command that this program would run. */
  readonly judgeInner: (words: readonly string[]) => PolicyObjection | null;
}

/** The first objection of several; null: none. */
export function findFirstObjection<T>(
  items: readonly T[],
  judge: (item: T, at: number) => PolicyObjection | null,
): PolicyObjection | null {
  for (const [at, item] of items.entries()) {
    const found = judge(item, at);
    if (found !== null) return found;
  }
  return null;
}
