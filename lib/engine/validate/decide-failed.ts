import { readGround } from '../../core/task/needs-of.ts';
import { judgeTask } from '../../core/task/task-outcome.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { ValidationDecision } from '../../domain/ports/gates.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { saysSomething } from '../../util/says-something.ts';
import { chooseAttempt } from '../by-hand/choose-attempt.ts';
import { type Recorder, record, taskOf, viewSession } from '../record.ts';
import { timestamp, type Workshop } from '../workshop.ts';
import { needsOverride } from './run-diagnostics.ts';
import { applyValidation } from './settle-validation.ts';

/** To choose another attempt moves a branch. */
type Deciding = Recorder & Pick<Workshop, 'git'>;

/** A person decides about each task whose verdict is fail. */
export async function decideFailed(workshop: Deciding, session: SessionId): Promise<void> {
  const { tasks, snapshot } = await viewSession(workshop, session);
  for (const task of tasks) {
    const verdict = failingVerdict(snapshot, task);
    if (verdict === null) continue;
    // What was decided about those before it may have it wait: it is judged again then.
    const now = await viewSession(workshop, session);
    if (readGround(now.tasks).waits(task)) continue;
    const decision = await workshop.gates.validation({ task, verdict });
    await applyDecision(workshop, session, { task, verdict, decision });
  }
}

/**
 * Does what a person decided about one task whose verdict they know, and nothing else of the wave. Throws FlameErrors
 * `no-task`, and `not-failed` where nothing is to be decided about it.
 */
export async function decideFailedTask(
  workshop: Deciding,
  session: SessionId,
  { id, decision }: { readonly id: string; readonly decision: ValidationDecision },
): Promise<void> {
  const { tasks, snapshot } = await viewSession(workshop, session);
  const task = taskOf({ tasks }, id);
  const verdict = failingVerdict(snapshot, task);
  if (decision.kind === 'requeue' && !saysSomething(decision.notes)) throw needsNotes(id);
  if (verdict !== null) return applyDecision(workshop, session, { task, verdict, decision });
  throw notFailed(id);
}

/** The error of a decision about a task that is at no gate. */
export function notFailed(id: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'not-failed',
    message: `${id} has no failed validation that waits for a decision.`,
    hints: ['git flame status', `git flame show ${id}`],
  });
}

function needsNotes(id: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'needs-notes',
    message: `${id} is sent back only with notes that can be seen: what the next attempt is to do better.`,
    hints: [`git flame validate ${id} --requeue NOTES`],
  });
}

/** The last verdict on the commit of a done task, where that is that it fails; else null. */
function failingVerdict(snapshot: Snapshot, { status, commit, result }: Task): Verdict | null {
  if (status !== 'done' || commit === null || result.status !== 'fail') return null;
  return snapshot.verdictsOn(commit).at(-1) ?? null;
}

async function applyDecision(
  workshop: Deciding,
  session: SessionId,
  {
    task,
    verdict,
    decision,
  }: { readonly task: Task; readonly verdict: Verdict; readonly decision: ValidationDecision },
): Promise<void> {
  const passed = decision.kind === 'pass' ? passedAnyway(workshop, verdict, decision.override) : null;
  workshop.events.emit({ event: 'gate', gate: 'validation', decision: decision.kind });
  if (passed !== null) return recordVerdict(workshop, session, passed);
  if (decision.kind === 'choose')
    return void (await chooseAttempt(workshop, session, { ...decision, task: task.id }));
  if (decision.kind !== 'pass') await applyValidation(workshop, session, task.id, decision);
}

/** The verdict of a person over one that failed: what was found stays in it, with the reason why it may be. */
function passedAnyway(
  workshop: Pick<Workshop, 'gates' | 'now'>,
  verdict: Verdict,
  override: string,
): Verdict {
  const { task } = verdict;
  if (!saysSomething(override)) throw needsReason(`${task} failed its validation`, verdict);
  return {
    ...verdict,
    status: 'pass',
    notes: `Passed although it failed its validation: ${override.trim()}`,
    by: workshop.gates.person,
    at: timestamp(workshop),
    cost_usd: 0,
    tokens: 0,
    override: override.trim(),
  };
}

/** The error of a pass over what failed without a reason. */
export function needsReason(
  why: string,
  { task, diagnostics }: Pick<Verdict, 'task' | 'diagnostics'>,
): FlameError {
  const message = `${why}, so it is passed by hand only with a reason that can be seen.`;
  return needsOverride(message, diagnostics, [`git flame show ${task} --diff`, 'git flame validate']);
}

/** Records a verdict and what follows for its task. */
export async function recordVerdict(workshop: Recorder, session: SessionId, verdict: Verdict): Promise<void> {
  const done = await record(workshop, session, (view) => {
    const task = taskOf(view, verdict.task);
    // The branch moved while it was judged: the verdict is about nothing any more.
    if (task.status !== 'done' || task.commit !== verdict.commit) return null;
    return { steps: [judgeTask(task, verdict)], verdict, actor: verdict.by };
  });
  if (done.kind !== 'done') return;
  const { task, commit, status, notes, by } = verdict;
  workshop.events.emit({ event: 'verdict', task, commit, status, notes, by });
}
