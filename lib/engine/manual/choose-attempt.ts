import { selectAttempt } from '../../core/task/several-attempts.ts';
import { judgeTask } from '../../core/task/task-outcome.ts';
import { branchMoved, changedConcurrently, sessionShared } from '../../domain/concurrency-errors.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type SessionId, taskBranch } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import { type Recorder, record, taskOf, viewSession } from '../record.ts';
import { keepFormerTip } from '../retention/rescue-refs.ts';
import { type RunContext, timestamp } from '../run-context.ts';

/**
 * Makes another of several attempts a done task's work, by a person's word: its branch moves to that, what was found
 * about it counts again, and a changeset that holds the former is void. `attempt` counts from 1. Throws FlameErrors
 * `no-attempt`, `already-chosen`, `attempt-not-here`.
 */
export async function chooseAttempt(
  context: Recorder & Pick<RunContext, 'git'>,
  session: SessionId,
  { task: id, attempt }: { readonly task: string; readonly attempt: number },
): Promise<Task> {
  const task = taskOf(await viewSession(context, session), id);
  const by = context.gates.person;
  const choose = (now: Task) => selectAttempt(now, attempt - 1, { by, at: timestamp(context) });
  const { commit: tip } = choose(task).task;
  if (task.tries?.[attempt - 1]?.chosen === true) throw alreadyChosen(task, attempt);
  if ((await context.git.resolveCommit(tip)) === null) throw notHere(task, attempt);
  const ref = taskBranch(session, task.id);
  const old = await context.git.resolveCommit(ref);
  await keepFormerTip(context, { session, task: task.id }, { old, tip });
  const done = await record(context, session, (view) => {
    if (view.session.machines !== undefined && context.remoteSession === undefined)
      throw sessionShared(session);
    const now = taskOf(view, id);
    if (now.rev !== task.rev) return null;
    const step = choose(now);
    const verdict = view.snapshot.verdictsOn(tip).at(-1);
    const judged = verdict === undefined ? [] : [judgeTask(step.task, verdict)];
    return { steps: [step, ...judged], refs: [{ ref, old, new: tip }] };
  });
  if (done.kind === 'done') return taskOf(done.view, id);
  if (done.kind === 'nothing') throw changed(task);
  throw branchMoved(ref.slice(11), 'by another process at the same moment', [`git flame show ${id}`]);
}

function alreadyChosen({ id }: Task, attempt: number): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'already-chosen',
    message: `Attempt ${attempt} is the work of ${id} already.`,
    hints: [`git flame show ${id}`],
  });
}

/** Rescues are of the clone that made them. */
function notHere({ id, claimed_host: host }: Task, attempt: number): FlameError {
  const where = host === null ? 'another clone' : host;
  return new FlameError({
    kind: 'refused',
    code: 'attempt-not-here',
    message: `The work of attempt ${attempt} at ${id} is not in this clone: it was made on ${where}, and sync sends only the chosen attempt.`,
    hints: [`git flame show ${id}`],
  });
}

function changed({ id }: Task): FlameError {
  return changedConcurrently(`Another command changed ${id} at the same moment.`, [`git flame show ${id}`]);
}
