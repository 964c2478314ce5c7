import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { isCoverageReport } from '../../core/reading/coverage-reports.ts';
import { type Coverage, createCoverage } from '../../core/reading/measure-coverage.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CommandPurpose } from '../../domain/ports/agent-port.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { interruptedError } from '../graceful-stop.ts';
import {
  listSparsePatternsForLocks,
  listSparsePatternsOfWork,
  type PrepareWorktreePorts,
  prepareWorktree,
  runReportedCheck,
  runTeardownCommands,
} from '../prepare-worktree.ts';
import { agentWorktreePath, type RunContext, type TrackedFiles } from '../run-context.ts';

/** Parts of a workshop that a diagnostic needs: no session, no store, no person to ask. */
export type DiagnosticPorts = PrepareWorktreePorts & Pick<RunContext, 'signal'>;

/** Whether any diagnostic is to run. */
export function hasDiagnostics(context: Pick<RunContext, 'config'>): boolean {
  const { enabled, commands } = context.config.validation.validator_diagnostics;
  return enabled && commands.length > 0;
}

/**
 * Runs every configured diagnostic in a prepared worktree, one after another, each with its time limit. `basedOn`: the
 * person's own commit from which agents went on; null: they wrote nothing of it. `since`: the last run holds what
 * coverage reports measure of the lines added since that commit.
 */
export async function runDiagnostics(
  context: DiagnosticPorts,
  cell: CellWorktree,
  basedOn: ObjectId | null,
  { about, since }: { readonly about?: CommandPurpose; readonly since?: ObjectId | undefined } = {},
): Promise<readonly DiagnosticRun[]> {
  const { enabled, commands, timeout } = context.config.validation.validator_diagnostics;
  const prepared = await prepareWorktree(context, cell, {
    about: about?.words ?? 'the base',
    ...(basedOn === null ? {} : { basedOn }),
  });
  // A run that was cut short proves nothing about the commit.
  if (context.signal.aborted) throw interruptedError();
  if (prepared.failure !== null) {
    return [
      {
        command: 'setup',
        exit_code: 1,
        timed_out: false,
        duration_ms: 0,
        output: [prepared.failure.message, ...prepared.failure.details].join('\n'),
      },
    ];
  }
  const runs: DiagnosticRun[] = [];
  // Reports that are part of the commit, or were copied with it, say nothing about the checks.
  const reports =
    since === undefined ? null : await context.machine.trackFiles({ worktree: cell.path, matches: isCoverageReport });
  let coverage: Coverage | null = null;
  for (const command of enabled ? commands : []) {
    const run = await runReportedCheck(
      context.events,
      { command, commit: cell.start, about: about?.words ?? null },
      () =>
        context.agents.runCommand({
          command,
          phase: 'diagnostics',
          worktree: cell,
          timeoutMs: timeout,
          label: 'check',
          ...(about === undefined ? {} : { about: { ...about, before: [...runs] } }),
          signal: context.signal,
        }),
    );
    if (context.signal.aborted) throw interruptedError();
    if (since !== undefined && reports !== null)
      coverage = await addReports(context, coverage, { cell, since, reports: reports.readNew() });
    runs.push({
      command,
      exit_code: run.exitCode,
      timed_out: run.timedOut,
      duration_ms: run.duration_ms,
      output: run.output,
      ...(run.output_hash === undefined ? {} : { output_hash: run.output_hash }),
    });
  }
  await runTeardownCommands(context, cell, about?.words ?? 'the base');
  const files = coverage?.list() ?? [];
  return files.length === 0
    ? runs
    : runs.map((run, at) => (at < runs.length - 1 ? run : { ...run, coverage: [...files] }));
}

interface CheckRun {
  readonly cell: CellWorktree;
  readonly since: ObjectId;
  readonly reports: ReturnType<TrackedFiles['readNew']>;
}

/** Reads the coverage reports that a command wrote, one at a time. */
async function addReports(
  { git }: DiagnosticPorts,
  coverage: Coverage | null,
  { cell, since, reports }: CheckRun,
): Promise<Coverage | null> {
  let read = coverage;
  for await (const report of reports) {
    read ??= createCoverage(
      await git.readPatch(since, cell.start),
      await git.listFiles(cell.start, mostFiles),
      cell.path,
    );
    for (const _ of read.add(report)) await turn();
  }
  return read;
}

const mostFiles = 100_000;

/**
 * Runs the diagnostics on a commit in a throw-away worktree; none configured: none run. `basedOn`, `since`: see
 * runDiagnostics.
 */
export async function diagnoseCommit(
  context: DiagnosticPorts,
  commit: ObjectId,
  basedOn: ObjectId | null,
  about: CommandPurpose,
  since?: ObjectId,
): Promise<readonly DiagnosticRun[]> {
  if (!hasDiagnostics(context)) return [];
  const sparse = await listSparsePatternsOfWork(context, basedOn, commit);
  return workInScratchWorktree(context, commit, (cell) => runDiagnostics(context, cell, basedOn, { about, since }), {
    sparse,
  });
}

/** Works in a worktree of a commit that is removed afterwards in every case. `sparse`: by default as the person's. */
export async function workInScratchWorktree<T>(
  context: DiagnosticPorts,
  commit: ObjectId,
  work: (cell: CellWorktree) => Promise<T>,
  { name, sparse }: { readonly name?: string; readonly sparse?: readonly string[] | null } = {},
): Promise<T> {
  const path = agentWorktreePath(context, name ?? `check-${randomUUID().slice(0, 8)}`);
  const held = sparse === undefined ? await listSparsePatternsForLocks(context, []) : sparse;
  const cell = await context.git.addScratchWorktree(path, commit, held);
  try {
    return await work(cell);
  } finally {
    await context.git.discardCell(cell);
  }
}

/** The diagnostics that did not end well. */
export function filterFailedDiagnostics(runs: readonly DiagnosticRun[]): readonly DiagnosticRun[] {
  return runs.filter(({ exit_code: exitCode }) => exitCode !== 0);
}

/** Refuses to let by, without a reason, what did not end well. */
export function needsOverrideError(
  message: string,
  runs: readonly DiagnosticRun[],
  hints: readonly string[],
): FlameError {
  const details = filterFailedDiagnostics(runs).map(({ command }) => command);
  return new FlameError({ kind: 'refused', code: 'needs-override', message, details, hints });
}

export type FailingDiagnostic = Pick<DiagnosticRun, 'command' | 'exit_code' | 'timed_out'> & {
  readonly output: string;
};

/** The diagnostics that fail on a commit; tried once, then remembered. */
export async function findDiagnosticsFailingOnBase(
  context: RunContext,
  commit: ObjectId,
): Promise<readonly FailingDiagnostic[]> {
  const key = makeDiagnosticsCacheKey(context, commit);
  const known = await context.trialCache.read(key);
  if (known !== null) return JSON.parse(known) as readonly FailingDiagnostic[];
  return cacheBaseDiagnostics(
    context,
    commit,
    await diagnoseCommit(context, commit, null, { session: null, words: 'the base' }),
  );
}

/** Whether it is no diagnostic, but what prepares a worktree for them. */
export function isSetupCommand(
  { config }: Pick<RunContext, 'config'>,
  { command }: Pick<DiagnosticRun, 'command'>,
): boolean {
  return !config.validation.validator_diagnostics.commands.includes(command);
}

/** Stores the results of a base's diagnostics, instead of those remembered before. */
export async function cacheBaseDiagnostics(
  context: Pick<RunContext, 'config' | 'trialCache'>,
  commit: ObjectId,
  runs: readonly DiagnosticRun[],
): Promise<readonly FailingDiagnostic[]> {
  const failing = filterFailedDiagnostics(runs).map(({ command, exit_code, timed_out, output }) => ({
    command,
    exit_code,
    timed_out,
    output: endOf(output),
  }));
  // A registry that can't be reached now may be in a moment.
  if (!failing.some((run) => isSetupCommand(context, run)))
    await context.trialCache.write(makeDiagnosticsCacheKey(context, commit), JSON.stringify(failing));
  return failing;
}

/** Marks what failed on a commit and fails on its base as well: the change is not to blame for it alone. */
export async function markDiagnosticsFailingOnBase(
  context: RunContext,
  runs: readonly DiagnosticRun[],
  base: ObjectId,
): Promise<readonly DiagnosticRun[]> {
  if (filterFailedDiagnostics(runs).length === 0) return runs;
  const below = new Set((await findDiagnosticsFailingOnBase(context, base)).map(({ command }) => command));
  return runs.map((run) => (run.exit_code !== 0 && below.has(run.command) ? { ...run, on_base: true as const } : run));
}

/** End of the output: a failed preparation is named in the first line, and its reason stands at the end. */
function endOf(output: string): string {
  if (output.length <= longestKept) return output;
  const [first = ''] = output.split('\n', 1);
  return `${first.slice(0, longestKept)}\n${output.slice(-longestKept)}`;
}

const longestKept = 2_000;

/** Everything the outcome of the diagnostics depends on. */
export function makeDiagnosticsCacheKey({ config }: Pick<RunContext, 'config'>, commit: ObjectId): string {
  const { commands, timeout } = config.validation.validator_diagnostics;
  const { setup, copy, link } = config.project;
  const { egress } = config.sandbox;
  return JSON.stringify({ commit, commands, timeout, setup, copy, link, egress });
}
