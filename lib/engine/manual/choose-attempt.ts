import { setChosenAttemptOfTask } from '../../core/task/attempt-records.ts';
import { applyVerdictToTask } from '../../core/task/task-outcome.ts';
import { branchMovedError, changedConcurrentlyError, sessionIsSharedError } from '../../domain/concurrency-errors.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import { type SessionId, taskBranch } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { decideAndRecord, type RecordContext, requireTaskInView, viewSession } from '../record-changes.ts';
import { rescueFormerBranchTip } from '../retention/rescue-refs.ts';
import { type RunContext, timestamp } from '../run-context.ts';

/**
 * Makes another of several attempts a done task's work, by a person's word: its branch moves to that, what was found
 * about it counts again, and a changeset that holds the former is void. `attempt` counts from 1. Throws FlameErrors
 * `no-attempt`, `already-chosen`, `attempt-not-here`.
 */
export async function chooseOtherAttemptByHand(
  context: RecordContext & Pick<RunContext, 'git'>,
  session: SessionId,
  { task: id, attempt }: { readonly task: string; readonly attempt: number },
): Promise<Task> {
  const task = requireTaskInView(await viewSession(context, session), id);
  const by = context.gates.person;
  const choose = (now: Task) => setChosenAttemptOfTask(now, attempt - 1, { by, at: timestamp(context) });
  const { commit: tip } = choose(task).task;
  if (task.tries?.[attempt - 1]?.chosen === true) throw alreadyChosen(task, attempt);
  if ((await context.git.resolveCommit(tip)) === null) throw notHere(task, attempt);
  const ref = taskBranch(session, task.id);
  const old = await context.git.resolveCommit(ref);
  await rescueFormerBranchTip(context, { session, task: task.id }, { old, tip });
  const done = await decideAndRecord(context, session, (view) => {
    if (view.session.machines !== undefined && context.remoteSession === undefined) throw sessionIsSharedError(session);
    const now = requireTaskInView(view, id);
    if (now.rev !== task.rev) return null;
    const step = choose(now);
    const verdict = view.snapshot.verdictsOn(tip).at(-1);
    const judged = verdict === undefined ? [] : [applyVerdictToTask(step.task, verdict)];
    return { steps: [step, ...judged], refs: [{ ref, old, new: tip }] };
  });
  if (done.kind === 'done') return requireTaskInView(done.view, id);
  if (done.kind === 'nothing') throw changed(task);
  throw branchMovedError(ref.slice(11), 'by another process at the same moment', [`git flame show ${id}`]);
}

function alreadyChosen({ id }: Task, attempt: number): FlameError {
  return refusedError('already-chosen', `Attempt ${attempt} is the work of ${id} already.`, [`git flame show ${id}`]);
}

/** Rescues are of the clone that made them. */
function notHere({ id, claimed_host: host }: Task, attempt: number): FlameError {
  const where = host === null ? 'another clone' : host;
  return refusedError(
    'attempt-not-here',
    `The work of attempt ${attempt} at ${id} is not in this clone: it was made on ${where}, and sync sends only the chosen attempt.`,
    [`git flame show ${id}`],
  );
}

function changed({ id }: Task): FlameError {
  return changedConcurrentlyError(`Another command changed ${id} at the same moment.`, [`git flame show ${id}`]);
}
