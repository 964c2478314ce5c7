import type { ObjectId } from '../../domain/ids.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import type { Workshop } from '../workshop.ts';
import { diagnoseCommit, failedDiagnostics } from './run-diagnostics.ts';

export type Failing = Pick<DiagnosticRun, 'command' | 'exit_code' | 'timed_out'> & {
  readonly output: string;
};

/** The diagnostics that fail on a commit; tried once, then remembered. */
export async function failingOn(workshop: Workshop, commit: ObjectId): Promise<readonly Failing[]> {
  const key = keyOf(workshop, commit);
  const known = await workshop.tried.read(key);
  if (known !== null) return JSON.parse(known) as readonly Failing[];
  return rememberRuns(
    workshop,
    commit,
    await diagnoseCommit(workshop, commit, null, { session: null, words: 'the base' }),
  );
}

/** Whether it is no diagnostic, but what prepares a worktree for them. */
export function isSetup(
  { config }: Pick<Workshop, 'config'>,
  { command }: Pick<DiagnosticRun, 'command'>,
): boolean {
  return !config.validation.validator_diagnostics.commands.includes(command);
}

/** Stores the results of a base's diagnostics, instead of those remembered before. */
export async function rememberRuns(
  workshop: Pick<Workshop, 'config' | 'tried'>,
  commit: ObjectId,
  runs: readonly DiagnosticRun[],
): Promise<readonly Failing[]> {
  const failing = failedDiagnostics(runs).map(({ command, exit_code, timed_out, output }) => ({
    command,
    exit_code,
    timed_out,
    output: endOf(output),
  }));
  // A registry that can't be reached now may be in a moment.
  if (!failing.some((run) => isSetup(workshop, run)))
    await workshop.tried.write(keyOf(workshop, commit), JSON.stringify(failing));
  return failing;
}

/** Marks what failed on a commit and fails on its base as well: the change is not to blame for it alone. */
export async function besideBase(
  workshop: Workshop,
  runs: readonly DiagnosticRun[],
  base: ObjectId,
): Promise<readonly DiagnosticRun[]> {
  if (failedDiagnostics(runs).length === 0) return runs;
  const below = new Set((await failingOn(workshop, base)).map(({ command }) => command));
  return runs.map((run) =>
    run.exit_code !== 0 && below.has(run.command) ? { ...run, on_base: true as const } : run,
  );
}

/** End of the output: a failed preparation is named in the first line, and its reason stands at the end. */
function endOf(output: string): string {
  if (output.length <= longestKept) return output;
  const [first = ''] = output.split('\n', 1);
  return `${first.slice(0, longestKept)}\n${output.slice(-longestKept)}`;
}

const longestKept = 2_000;

/** Everything the outcome of the diagnostics depends on. */
export function keyOf({ config }: Pick<Workshop, 'config'>, commit: ObjectId): string {
  const { commands, timeout } = config.validation.validator_diagnostics;
  const { setup, copy, link } = config.project;
  const { egress } = config.sandbox;
  return JSON.stringify({ commit, commands, timeout, setup, copy, link, egress });
}
