import { readStackState } from '../../core/task/stack-state.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { DecisionWithPlace, ValidationDecision } from '../../domain/ports/gates.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { hasAcceptedWork, type Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { isNonBlank } from '../../util/error-text.ts';
import { addGateDecision } from '../agents/ask-person.ts';
import { requireUsableTaskAdapters } from '../agents/require-usable-adapters.ts';
import { interruptedError } from '../graceful-stop.ts';
import { chooseOtherAttemptByHand } from '../manual/choose-attempt.ts';
import { decideAndRecord, requireTaskInView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import { runPreValidationScript, validateUntilVerdict } from './obtain-verdict.ts';
import {
  applyFailedTaskDecision,
  listRequeueEditProblems,
  passNeedsReasonError,
  recordVerdict,
} from './record-verdict.ts';

/** A person decides about each task whose verdict is fail. */
export async function askAboutFailedVerdicts(context: RunContext, session: SessionId): Promise<void> {
  const { tasks, snapshot } = await viewSession(context, session);
  const failed = tasks.filter((task) => failingVerdict(snapshot, task) !== null);
  for (const { id } of failed) while (await decideFailedResult(context, session, id)) requireOn(context);
}

/** true: its checks ran again, and what they found now may be for the person once more. */
async function decideFailedResult(context: RunContext, session: SessionId, id: string): Promise<boolean> {
  const { tasks, snapshot } = await viewSession(context, session);
  const task = requireTaskInView({ tasks }, id);
  const verdict = failingVerdict(snapshot, task);
  // Decisions about tasks before it may make it wait: it is judged again then.
  if (verdict === null || readStackState(tasks).waits(task)) return false;
  const decision = await context.gates.validation({
    task,
    verdict,
    editProblems: (edit) => listRequeueEditProblems(context, session, id, edit),
    showDiff: async () => (hasAcceptedWork(task) ? context.git.diffText(task.start_commit, task.commit) : ''),
  });
  await applyDecision(context, session, { task, verdict, decision });
  return decision.kind === 'recheck';
}

function requireOn({ signal }: Pick<RunContext, 'signal'>): void {
  if (signal.aborted) throw interruptedError();
}

/**
 * Performs a person's decision about one task whose verdict they know, and nothing else of the wave. Throws FlameErrors
 * `no-task`, and `not-failed` where no decision about it is due.
 */
export async function performFailedTaskDecision(
  context: RunContext,
  session: SessionId,
  { id, decision }: { readonly id: string; readonly decision: DecisionWithPlace<ValidationDecision> },
): Promise<void> {
  const { tasks, snapshot } = await viewSession(context, session);
  const task = requireTaskInView({ tasks }, id);
  const verdict = failingVerdict(snapshot, task);
  if (decision.kind === 'requeue' && !isNonBlank(decision.notes)) throw needsNotes(id);
  if (verdict === null) throw notFailedError(id);
  await applyDecision(context, session, { task, verdict, decision });
  requireOn(context);
}

/** The error of a decision about a task that is at no gate. */
export function notFailedError(id: string): FlameError {
  return refusedError('not-failed', `${id} has no failed validation that waits for a decision.`, [
    'git flame status',
    `git flame show ${id}`,
  ]);
}

function needsNotes(id: string): FlameError {
  return refusedError('needs-notes', `To send ${id} back, write notes: what the next attempt must do better.`, [
    `git flame validate ${id} --requeue NOTES`,
  ]);
}

/** The last verdict on the commit of a done task, where that is that it fails; else null. */
function failingVerdict(snapshot: Snapshot, { status, commit, result }: Task): Verdict | null {
  if (status !== 'done' || commit === null || result.status !== 'fail') return null;
  return snapshot.verdictsOn(commit).at(-1) ?? null;
}

async function applyDecision(
  context: RunContext,
  session: SessionId,
  {
    task,
    verdict,
    decision,
  }: {
    readonly task: Task;
    readonly verdict: Verdict;
    readonly decision: DecisionWithPlace<ValidationDecision>;
  },
): Promise<void> {
  const passed = decision.kind === 'pass' ? passedAnyway(context, verdict, decision.override) : null;
  context.events.emit({ event: 'gate', gate: 'validation', decision: decision.kind });
  if (passed !== null) return recordVerdict(context, session, passed);
  if (decision.kind === 'choose')
    return void (await chooseOtherAttemptByHand(context, session, { ...decision, task: task.id }));
  if (decision.kind === 'recheck') return recheck(context, session, task, decision);
  if (decision.kind !== 'pass') await applyFailedTaskDecision(context, session, task.id, decision);
}

/**
 * Judges the very commit again, after the person mended what its checks lacked. Until there is another verdict, the
 * one that is known stays.
 */
async function recheck(
  context: RunContext,
  session: SessionId,
  task: Task,
  from: DecisionWithPlace<unknown>,
): Promise<void> {
  if (task.status !== 'done') return;
  await decideAndRecord(context, session, (view) => {
    const next = addGateDecision(view.session, { gate: `validation ${task.id}`, decision: 'recheck' }, from, context);
    return { session: { next, subject: `session: ${task.id} is checked again` } };
  });
  await requireUsableTaskAdapters(context, 'validator', [task]);
  await runPreValidationScript(context, session, [task]);
  await validateUntilVerdict(context, session, task);
}

/** The verdict of a person over one that failed: what was found stays in it, with the reason why it may be. */
function passedAnyway(context: Pick<RunContext, 'gates' | 'now'>, verdict: Verdict, override: string): Verdict {
  const { task } = verdict;
  if (!isNonBlank(override)) throw passNeedsReasonError(`${task} failed its validation`, verdict);
  return {
    ...verdict,
    status: 'pass',
    notes: `Passed although it failed its validation: ${override.trim()}`,
    by: context.gates.person,
    at: timestamp(context),
    cost_usd: 0,
    tokens: 0,
    override: override.trim(),
  };
}
