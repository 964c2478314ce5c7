import { buildEvidence } from '../../core/changesets/build-evidence.ts';
import { listChangedCellPaths } from '../../core/task/cell-changes-and-renames.ts';
import { parseValidatorAnswer } from '../../domain/config/agent-answers.ts';
import { findRoleAdapter, type TaskAgentSettings } from '../../domain/config/role-adapter-and-model.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { TaskWithAcceptedWork } from '../../domain/state/task-schema.ts';
import type { DiagnosticRun, Evidence, Verdict } from '../../domain/state/verdict.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import { joinFirstItems } from '../../policy/policy-rules.ts';
import { pickFailureLines } from '../../util/error-text.ts';
import { formatCount } from '../../util/format-figures.ts';
import { runAgent } from '../agents/run-agent.ts';
import { listNotesLeftByWorker, selectSecretFreeNotes } from '../blackboard/worker-notes.ts';
import { listSparsePatternsOfWork } from '../prepare-worktree.ts';
import { viewSession } from '../record-changes.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';
import {
  diagnoseCommit,
  filterFailedDiagnostics,
  hasDiagnostics,
  markDiagnosticsFailingOnBase,
  workInScratchWorktree,
} from './run-diagnostics.ts';

export type ValidationOutcome =
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | {
      readonly kind: 'no-verdict';
      readonly reason: string;
      readonly diagnostics: readonly DiagnosticRun[];
    };

interface Opinion extends Pick<Verdict, 'status' | 'notes' | 'by' | 'cost_usd' | 'tokens'> {
  readonly issues: readonly string[];
}

/** Bytes of diff a validator is shown; the rest is cut with a mark, and it can read the files itself. */
const maxDiffBytes = 200_000;

/**
 * Judges the exact commit of a done task: the diagnostics first, then a validator agent where one is configured, in
 * a worktree and a cell in which nothing of the commit was ever run. Where a diagnostic fails, that is the verdict, and
 * no agent is paid for another one.
 */
export async function validateTask(
  context: RunContext,
  session: SessionId,
  task: TaskWithAcceptedWork,
): Promise<ValidationOutcome> {
  if (!doesValidationRunAnything(context, task)) return passUnjudged(context, session, task);
  const adapter = findRoleAdapter(context.config, 'validator', task);
  const { session: now } = await viewSession(context, session);
  const about = { session, words: task.id };
  const runs = await diagnoseCommit(context, task.commit, now.base_commit, about, task.start_commit);
  const diagnostics = await markDiagnosticsFailingOnBase(context, runs, now.base_commit);
  const opinion =
    adapter === 'none' || filterFailedDiagnostics(diagnostics).length > 0
      ? fromDiagnostics(diagnostics)
      : await askValidator(context, { session, task, adapter, diagnostics });
  if ('reason' in opinion) return { kind: 'no-verdict', reason: opinion.reason, diagnostics };
  return {
    kind: 'verdict',
    verdict: await makeVerdictOfOpinion(context, session, task, opinion, diagnostics),
  };
}

async function passUnjudged(
  context: Pick<RunContext, 'now'> & WithGit<GitCommits & GitDiffs>,
  session: SessionId,
  task: TaskWithAcceptedWork,
): Promise<ValidationOutcome> {
  const opinion = {
    status: 'pass',
    notes: 'No diagnostics and no validator are configured.',
    issues: [],
    by: 'diagnostics',
    cost_usd: 0,
    tokens: 0,
  } as const;
  return { kind: 'verdict', verdict: await makeVerdictOfOpinion(context, session, task, opinion, []) };
}

/** Whether judging a task means running something. */
export function doesValidationRunAnything(context: Pick<RunContext, 'config'>, task: TaskAgentSettings): boolean {
  return hasDiagnostics(context) || findRoleAdapter(context.config, 'validator', task) !== 'none';
}

function fromDiagnostics(diagnostics: readonly DiagnosticRun[]): Opinion {
  const bad = filterFailedDiagnostics(diagnostics);
  const notes =
    bad.length === 0
      ? `${formatCount(diagnostics.length, 'diagnostic')} passed.`
      : `${bad.length} of ${formatCount(diagnostics.length, 'diagnostic')} failed.`;
  return {
    status: bad.length === 0 ? 'pass' : 'fail',
    notes,
    issues: bad.map(describeRun),
    by: 'diagnostics',
    cost_usd: 0,
    tokens: 0,
  };
}

interface ValidatorJob {
  readonly session: SessionId;
  readonly task: TaskWithAcceptedWork;
  readonly adapter: string;
  readonly diagnostics: readonly DiagnosticRun[];
}

type Unjudged = { readonly reason: string };

async function askValidator(context: RunContext, job: ValidatorJob): Promise<Opinion | Unjudged> {
  const agent = context.newAgentId('validator');
  const { commit, start_commit: start } = job.task;
  const sparse = await listSparsePatternsOfWork(context, start, commit);
  return workInScratchWorktree(context, commit, (cell) => askIn(context, job, { cell, agent }), {
    name: agent,
    sparse,
  });
}

async function askIn(
  context: RunContext,
  { task, adapter, session, diagnostics }: ValidatorJob,
  { cell, agent }: { readonly cell: CellWorktree; readonly agent: AgentId },
): Promise<Opinion | Unjudged> {
  const policy = compilePolicy({
    config: context.config,
    role: 'validator',
    agentId: agent,
    worktree: cell.path,
    fileLocks: [],
    readsByShell: context.adapter(adapter).readsByShell,
  });
  const diff = await context.git.diffText(task.start_commit, task.commit, { maxBytes: maxDiffBytes });
  const audit = await context.agents.auditOf(task.agent_id ?? agent);
  const view = await viewSession(context, session);
  const notes = { left: selectSecretFreeNotes(task, view), claims: listNotesLeftByWorker(task, view) };
  const before = await context.git.snapshotCell(cell);
  const outcome = await runAgent(context, {
    id: agent,
    session,
    role: 'validator',
    adapter,
    task,
    cell,
    policy,
    recorded: diagnostics,
    isReadOnly: true,
    prompt: { role: 'validator', task, diff, audit, diagnostics, policy, ...notes },
  });
  if (outcome.failure !== null) return { reason: outcome.failure.message };
  // Where a cell can't be made read-only, too.
  const after = await context.git.snapshotCell(cell).catch(asTooMuch);
  if (after === null) return { reason: `${agent} left more files in its worktree than can be checked.` };
  const changed = listChangedCellPaths(before, after);
  if (changed.length > 0) return { reason: `${agent} changed the work it should judge: ${joinFirstItems(changed)}` };
  const answer = parseValidatorAnswer(outcome.answer);
  if (answer.kind === 'malformed') return { reason: `${agent} gave no valid verdict: ${answer.problems[0] ?? ''}` };
  const { cost_usd, tokens } = outcome;
  return { ...answer.value, by: agent, cost_usd, tokens };
}

function asTooMuch(error: unknown): null {
  if (error instanceof FlameError && error.code === 'cell-too-much') return null;
  throw error;
}

/** Makes a verdict of an opinion on a done task, with its evidence. */
export async function makeVerdictOfOpinion(
  context: Pick<RunContext, 'now'> & WithGit<GitCommits & GitDiffs>,
  session: SessionId,
  task: TaskWithAcceptedWork,
  opinion: Opinion,
  diagnostics: readonly DiagnosticRun[],
): Promise<Verdict> {
  const evidence = await collectTaskEvidence(context, task, diagnostics);
  return {
    session,
    task: task.id,
    commit: task.commit,
    base: task.start_commit,
    tree: evidence.tree,
    status: opinion.status,
    notes: opinion.notes,
    issues: [...opinion.issues],
    diagnostics: [...diagnostics],
    by: opinion.by,
    at: timestamp(context),
    cost_usd: opinion.cost_usd,
    tokens: opinion.tokens,
    evidence,
  };
}

/** Collects the evidence package for a verdict on a done task; `checks`: those that were run on its commit. */
export async function collectTaskEvidence(
  { git }: WithGit<GitCommits & GitDiffs>,
  task: TaskWithAcceptedWork,
  checks: readonly DiagnosticRun[],
): Promise<Evidence> {
  const { start_commit: base, commit } = task;
  // The history has the worker's own summary; the result is what was found since.
  const done = task.history.findLast(({ result }) => result !== 'summary')?.notes ?? '';
  const [{ tree }, files] = await Promise.all([git.readCommit(commit), git.treeChanges(base, commit)]);
  return buildEvidence({
    summary: (done === '' ? task.title : done).slice(0, longestSummary),
    tree,
    files,
    commands: checks.map(({ command, exit_code, output_hash = null }) => ({ command, exit_code, output_hash })),
  });
}

const longestSummary = 2_000;

// Lines of a failing diagnostic's output that the next attempt gets.
const mostLines = 10;

function describeRun({ command, exit_code: exitCode, timed_out: timedOut, output }: DiagnosticRun): string {
  const ended = timedOut ? 'ran out of time' : exitCode === null ? 'was killed' : `ended with ${exitCode}`;
  const tail = pickFailureLines(output, mostLines).join('\n');
  return `${command} ${ended}${tail === '' ? '' : `:\n${tail}`}`;
}
