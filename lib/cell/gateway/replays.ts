import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Decision, ToolCall } from '../../domain/policy.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/** A command that runs instead of one that ran elsewhere already: it shows the output from there. */
export interface Replay {
  readonly command: string;
  /** In the first line that it prints, and in nothing else: by it the agent's conversation shows that it was run. */
  readonly mark: string;
  /** For the audit. */
  readonly details: string;
  /** The output of the command. */
  readonly shown: string;
}

/** By the command they are run instead of. */
export type Replays = ReadonlyMap<string, Replay>;

/** Writes what each run printed into a folder that its cell can't write, and returns the commands that show it. */
export function writeReplays(runs: readonly DiagnosticRun[], controlDir: string): Replays {
  return new Map(
    runs.map((run, index): [string, Replay] => {
      const mark = randomBytes(8).toString('hex');
      const file = join(controlDir, `recorded-${index + 1}.txt`);
      const shown = `${describe(run, mark)}\n${run.output.trimEnd()}\n`;
      writeFileSync(file, shown, { mode: 0o600 });
      const details = `Not run in this cell: the recorded result is shown, ${endOf(run)}.`;
      return [
        run.command.trim(),
        { command: `cat ${shellQuote(file)}; (exit ${exitCodeOf(run)})`, mark, details, shown },
      ];
    }),
  );
}

/** The replay of a call that must not be run itself; null where there is none. */
export function findReplay(call: ToolCall, { rule }: Decision, replays: Replays): Replay | null {
  const { command } = call.tool_input;
  if (rule !== 'recorded-only' || call.tool_name !== 'Bash' || typeof command !== 'string') return null;
  return replays.get(command.trim()) ?? null;
}

function describe(run: DiagnosticRun, mark: string): string {
  return `[recorded ${mark}: the orchestrator ran this on the commit to be judged, in a cell of its own; it ${endOf(run)}. The end of its output:]`;
}

function endOf({ exit_code: exitCode, timed_out: timedOut }: DiagnosticRun): string {
  if (timedOut) return 'ran out of time';
  return exitCode === null ? 'was killed' : `ended with exit code ${exitCode}`;
}

/** As a shell reports it; a time-out as `timeout` does. */
function exitCodeOf({ exit_code: exitCode, timed_out: timedOut }: DiagnosticRun): number {
  return timedOut ? 124 : (exitCode ?? 137);
}
