import type { AgentPolicy, PathFacts } from '../../domain/agent-policy.ts';
import { createObjection, joinFirstItems, type PolicyObjection } from '../policy-rules.ts';
import { judgeBlockedPattern } from './allowed-words.ts';
import { expandWord } from './expand-word.ts';
import { judgeCommand, judgeRedirections } from './judge-command.ts';
import { judgePathsInWord } from './judge-mentioned-paths.ts';
import { parseScript } from './parse-script.ts';
import { CommandRefusal, unknownTextMarks } from './shell-command-types.ts';
import { walkScript } from './walk-script.ts';

/** A command line to be judged, and by what. */
interface BashQuestion {
  readonly policy: AgentPolicy;
  readonly facts: PathFacts;
  /** Absolute; where the command starts. */
  readonly cwd: string;
  readonly command: string;
}

// A shell in a shell in a shell.
const deepest = 3;

/** Judges a command of the Bash tool by its parse; null: nothing against it. */
export function judgeBash(question: BashQuestion): PolicyObjection | null {
  const { policy, command } = question;
  try {
    parseScript(command);
    if (policy.exact_commands.some((one) => one.trim() === command.trim())) return recordedOnly;
    const blocked = judgeBlockedPattern(policy, command, 'The command');
    if (blocked !== null) return blocked;
    if (policy.allowed_commands.length === 0 && (policy.base_commands ?? []).length === 0) return onlyExact(policy);
    judgeLine(question, 0);
    return null;
  } catch (error) {
    if (error instanceof CommandRefusal) return error.objection;
    throw error;
  }
}

/** Throws a Refusal at the first objection to what the line may run. */
function judgeLine({ policy, facts, cwd, command }: BashQuestion, depth: number): void {
  const refuse = (found: PolicyObjection | null): void => {
    if (found !== null) throw CommandRefusal.of(found);
  };
  const inner =
    (at: string) =>
    (text: string): null => {
      if (unknownTextMarks.isIn(text))
        throw new CommandRefusal('bash-dynamic', 'The command line of a shell must be plain text.');
      if (depth >= deepest)
        throw new CommandRefusal('bash-wrapper', 'This is a shell inside a shell. Run the commands directly.');
      judgeLine({ policy, facts, cwd: at, command: text }, depth + 1);
      return null;
    };
  walkScript(parseScript(command), {
    policy,
    facts,
    cwd,
    visitor: {
      command: (one, place) => refuse(judgeCommand({ policy, facts, ...place, judgeLine: inner(place.cwd) }, one)),
      redirections: (all, place) => refuse(judgeRedirections({ policy, facts, ...place }, all)),
      files: (words, place) => {
        for (const word of words)
          for (const text of expandWord({ policy, facts, ...place }, word))
            refuse(judgePathsInWord({ policy, facts, ...place }, text, 'file'));
      },
    },
  });
}

// The recorded run is shown instead, where there is one.
const recordedOnly = createObjection(
  'recorded-only',
  'It does not run here: the orchestrator runs it in a separate cell, and no result is available. Judge by what you read.',
);

function onlyExact(policy: AgentPolicy): PolicyObjection {
  const list = joinFirstItems(policy.exact_commands, 20);
  return createObjection(
    'diagnostics-only',
    `You can only ask for the results of these commands, exactly as written: ${list}. Read files with the Read, Glob and Grep tools.`,
  );
}
