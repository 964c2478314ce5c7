import { listValidatorsWithoutVerdict, maxValidatorsWithoutVerdict } from '../../core/task/attempt-records.ts';
import { refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { ValidatorFailedDecision } from '../../domain/ports/gates.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { AgentRunRecord } from '../../domain/state/session-schema.ts';
import type { DoneTask, Task } from '../../domain/state/task-schema.ts';
import type { DiagnosticRun, Verdict } from '../../domain/state/verdict.ts';
import { isNonBlank } from '../../util/error-text.ts';
import { viewSession } from '../record-changes.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { runLifecycleScript } from '../run-script.ts';
import { failUnvalidatedTask, passNeedsReasonError, recordVerdict } from './record-verdict.ts';
import { diagnoseCommit, filterFailedDiagnostics, markDiagnosticsFailingOnBase } from './run-diagnostics.ts';
import { makeVerdictOfOpinion, type ValidationOutcome, validateTask } from './validate-task.ts';

/**
 * Judges one task, again if its commit has a verdict: a validator without a verdict is retried once, then the person
 * decides, in this run or in a later one: validators paid in earlier runs count.
 */
export async function validateUntilVerdict(context: RunContext, session: SessionId, task: DoneTask): Promise<void> {
  const view = await viewSession(context, session);
  const last = view.snapshot.verdictsOn(task.commit).at(-1)?.at ?? '';
  const before = listValidatorsWithoutVerdict(view.session, task).filter(({ started_at: at }) => at > last);
  let unjudged = before.length < maxValidatorsWithoutVerdict ? null : await recallUnjudged(context, task, before);
  for (let tries = before.length; !context.signal.aborted; ) {
    if (unjudged === null) {
      const failed = await validateOnce(context, session, task);
      if (failed === null) return;
      tries += 1;
      if (tries >= maxValidatorsWithoutVerdict) unjudged = failed;
    } else if (await decideUnjudged(context, { session, task, ...unjudged })) return;
    else unjudged = null;
  }
}

/** Has a task judged once, and records the verdict; where there is none, the person sees why, and it resolves to that. */
export async function validateOnce(context: RunContext, session: SessionId, task: DoneTask): Promise<NoVerdict | null> {
  const judgement = await validateTask(context, session, task);
  if (judgement.kind === 'no-verdict') {
    const message = `${task.id}: no verdict: ${judgement.reason}`;
    context.events.emit({ event: 'notice', level: 'warning', message, until: `judged ${task.id}` });
    return judgement;
  }
  await recordVerdict(context, session, judgement.verdict);
  return null;
}

type NoVerdict = Pick<Extract<ValidationOutcome, { readonly kind: 'no-verdict' }>, 'reason' | 'diagnostics'>;

/** Finds what a person decides by where validators of an earlier run failed: no other one is paid for that. */
async function recallUnjudged(
  context: RunContext,
  { commit, session: id, id: task }: DoneTask,
  runs: readonly AgentRunRecord[],
): Promise<NoVerdict> {
  const { session } = await viewSession(context, id);
  const named = runs.map(({ id, outcome }) => (outcome === 'ended' ? id : `${id}: ${outcome}`)).join(', ');
  const about = { session: id, words: task };
  const checks = await diagnoseCommit(context, commit, session.base_commit, about);
  return {
    reason: `${runs.length} validators gave no verdict (${named})`,
    diagnostics: await markDiagnosticsFailingOnBase(context, checks, session.base_commit),
  };
}

/** Does what the person decides; false: another validator may be tried. */
async function decideUnjudged(
  context: RunContext,
  { session, task, reason, diagnostics }: NoVerdict & { readonly session: SessionId; readonly task: DoneTask },
): Promise<boolean> {
  const { start_commit: base, commit } = task;
  const decision = await context.gates.validatorFailed({
    task,
    reason,
    diagnostics,
    showDiff: () => context.git.diffText(base, commit),
  });
  context.events.emit({ event: 'gate', gate: 'validator_failed', decision: decision.kind });
  if (decision.kind === 'retry') return false;
  if (decision.kind === 'skip') {
    await failUnvalidatedTask(context, session, task.id, reason);
    return true;
  }
  if (decision.status === 'pass') requireOverride(task, diagnostics, decision.override);
  const verdict = await personsVerdict(context, { session, task, judgement: decision, diagnostics });
  await recordVerdict(context, session, verdict);
  return true;
}

/** A failing diagnostic becomes no pass in passing: the person has seen it, and says why it may be. */
function requireOverride(task: DoneTask, diagnostics: readonly DiagnosticRun[], override: string | undefined): void {
  const failing = filterFailedDiagnostics(diagnostics);
  if (failing.length === 0 || isNonBlank(override ?? '')) return;
  throw passNeedsReasonError(`${task.id} fails its diagnostics`, {
    task: task.id,
    diagnostics: [...diagnostics],
  });
}

interface PersonsJudgement {
  readonly session: SessionId;
  readonly task: DoneTask;
  readonly judgement: Extract<ValidatorFailedDecision, { readonly kind: 'manual' }>;
  readonly diagnostics: readonly DiagnosticRun[];
}

async function personsVerdict(
  context: Pick<RunContext, 'gates' | 'now'> & WithGit<GitCommits & GitDiffs>,
  { session, task, judgement, diagnostics }: PersonsJudgement,
): Promise<Verdict> {
  const { status, notes, override } = judgement;
  const opinion = {
    status,
    notes: override === undefined ? notes : `Passed although diagnostics fail: ${override}`,
    issues: [],
    by: context.gates.person,
    cost_usd: 0,
    tokens: 0,
  };
  const verdict = await makeVerdictOfOpinion(context, session, task, opinion, diagnostics);
  return override === undefined ? verdict : { ...verdict, override };
}

/** Runs the person's own script before tasks are judged. Throws FlameError `pre-validation-failed`. */
export async function runPreValidationScript(
  context: RunContext,
  session: SessionId,
  tasks: readonly Task[],
): Promise<void> {
  if (tasks.length === 0) return;
  if (await runLifecycleScript(context, 'pre_validation', { session, tasks: tasks.map(({ id }) => id) })) return;
  throw refusedError('pre-validation-failed', 'hooks.pre_validation failed, so no task was validated.', [
    'git flame validate',
  ]);
}
