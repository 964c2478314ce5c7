import type { AgentPolicy, PathFacts } from '../../domain/policy.ts';
import type { PathContext } from '../judge-path.ts';
import type { Lines } from './found-files.ts';
import type { BashNode } from './syntax.ts';
import type { Work } from './work.ts';

/** A command line to be judged, and by what. */
export interface BashQuestion {
  readonly policy: AgentPolicy;
  readonly facts: PathFacts;
  /** Absolute; where the command starts. */
  readonly cwd: string;
  readonly command: string;
  readonly piped?: string | null;
}

/** The same while its parts are judged. */
export interface Question extends BashQuestion {
  readonly work: Work;
  /** What came out of commands whose output is used later. */
  readonly known: Map<BashNode, Lines>;
  /** The lines that come through a pipe. */
  readonly lines?: Lines;
  /** The command itself may make files whose names bash would take apart or for options. */
  readonly makesNames: boolean;
  /** It may have other revisions checked out, or under other names. */
  readonly movesRevisions: boolean;
  /** Where the command has been. */
  readonly visited: Set<string>;
}

/** What a simple command is judged by, where it runs in `cwd`. */
export function contextAt(question: Question, cwd: string): PathContext {
  const { policy, facts, piped, lines } = question;
  return {
    policy,
    facts,
    cwd,
    makesFiles: question.makesNames,
    movesRevisions: question.movesRevisions,
    ...(piped !== undefined && { piped }),
    ...(lines !== undefined && { lines }),
  };
}
