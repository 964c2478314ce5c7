import { validationOrder } from '../../core/changesets/validation-order.ts';
import { readGround } from '../../core/task/needs-of.ts';
import { judgeTask } from '../../core/task/task-outcome.ts';
import { triesBeforeAsking, unjudgedTries } from '../../core/task/unjudged-tries.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { ValidatorFailedDecision } from '../../domain/ports/gates.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { AgentRun } from '../../domain/state/session.ts';
import type { DoneTask, Task } from '../../domain/state/task.ts';
import type { DiagnosticRun, Verdict } from '../../domain/state/verdict.ts';
import { inLanes } from '../../util/in-lanes.ts';
import { saysSomething } from '../../util/says-something.ts';
import { requireChosen } from '../agents/require-chosen.ts';
import { enterWave } from '../enter-wave.ts';
import { interruptedError } from '../interrupted.ts';
import { tendMachines } from '../machines/tend-machines.ts';
import { claimVerdict, giveBackVerdict, isJudgedElsewhere } from '../machines/verdict-claims.ts';
import { type AheadWatch, lookingAhead } from '../radar/watch-ahead.ts';
import { type Recorder, record, type SessionView, viewSession } from '../record.ts';
import { runScript } from '../run-script.ts';
import { replayUprooted } from '../stack/replay-uprooted.ts';
import { timestamp, type WithGit, type Workshop } from '../workshop.ts';
import { decideFailed, needsReason, recordVerdict } from './decide-failed.ts';
import { diagnoseCommit, failedDiagnostics } from './run-diagnostics.ts';
import { failUnvalidated } from './settle-validation.ts';
import { type Judgement, judgesInCells, taskEvidence, validateTask } from './validate-task.ts';

const lookAgainMs = 1_000;

/**
 * Wave 3: a verdict for the exact commit of each done task, several at once; then a person decides about what
 * failed. Verdicts are recorded before anybody is asked, so a gate that waits costs nothing twice.
 */
export function validateWave(workshop: Workshop, session: SessionId): Promise<void> {
  return lookingAhead(workshop, (radar) => validateAll(workshop, session, radar));
}

async function validateAll(workshop: Workshop, session: SessionId, radar: AheadWatch): Promise<void> {
  await enterWave(workshop, session, 'validate');
  await replayUprooted(workshop, session);
  const opening = await viewSession(workshop, session);
  radar.look(opening);
  await prepareValidation(workshop, session, unjudged(opening));
  workshop.run.isPrepared = true;
  for (let waiting = unjudged(opening); waiting.length > 0 && !workshop.signal.aborted; ) {
    const own = waiting.filter((task) => !isJudgedElsewhere(workshop, task));
    await requireChosen(workshop, 'validator', own);
    await inLanes(own, lanesFor(workshop, own), (task) => judgeHere(workshop, session, task));
    if (workshop.sharing === undefined) break;
    // Others judge the rest, or what they left.
    await tendMachines(workshop, session);
    if (own.length === 0) await workshop.machine.sleep(lookAgainMs, workshop.signal);
    waiting = unjudged(await viewSession(workshop, session));
  }
  workshop.run.isPrepared = false;
  if (workshop.signal.aborted) throw interruptedError();
  await adoptVerdicts(workshop, session);
  await decideFailed(workshop, session);
  const after = await viewSession(workshop, session);
  const passed = after.tasks.filter(
    ({ status, result }) => status === 'done' && result.status === 'pass',
  ).length;
  workshop.events.emit({
    event: 'wave-ended',
    wave: 'validate',
    cycle: after.session.cycle,
    summary: `${passed} passed`,
  });
}

/** Finished work in the order it is judged in, on whose commit there is no verdict that counts here. */
function unjudged({ snapshot, tasks }: SessionView): readonly DoneTask[] {
  const ground = readGround(tasks);
  return validationOrder(tasks)
    .filter(isDone)
    .filter((task) => !ground.waits(task))
    .filter((task) => snapshot.verdictsOn(task.commit).length === 0);
}

/** Where machines share the session, one of them at a time judges a commit. */
async function judgeHere(workshop: Workshop, session: SessionId, task: DoneTask): Promise<void> {
  if ((await claimVerdict(workshop, session, task)) === null) return;
  await judge(workshop, session, task);
  await giveBackVerdict(workshop, session, task.id);
}

/** Runs the person's own script before tasks are judged. Throws FlameError `pre-validation-failed`. */
export async function prepareValidation(
  workshop: Workshop,
  session: SessionId,
  tasks: readonly Task[],
): Promise<void> {
  if (tasks.length === 0) return;
  if (await runScript(workshop, 'pre_validation', { session, tasks: tasks.map(({ id }) => id) })) return;
  throw new FlameError({
    kind: 'refused',
    code: 'pre-validation-failed',
    message: 'hooks.pre_validation failed, so nothing was validated.',
    hints: ['git flame validate'],
  });
}

/** What starts nothing needs no turns: its verdicts are then recorded together. */
function lanesFor(workshop: Pick<Workshop, 'config'>, tasks: readonly Task[]): number {
  const isRun = tasks.some((task) => judgesInCells(workshop, task));
  return isRun ? workshop.config.concurrency.validation : tasks.length;
}

/**
 * One task: a validator that gives no verdict is tried once more, then the person decides, in this run or in a later
 * one: what was paid in earlier ones counts.
 */
async function judge(workshop: Workshop, session: SessionId, task: DoneTask): Promise<void> {
  const before = unjudgedTries((await viewSession(workshop, session)).session, task);
  let unjudged = before.length < triesBeforeAsking ? null : await recallUnjudged(workshop, task, before);
  for (let tries = before.length; !workshop.signal.aborted; ) {
    if (unjudged === null) {
      const judgement = await validateTask(workshop, session, task);
      if (judgement.kind === 'verdict') return recordVerdict(workshop, session, judgement.verdict);
      const message = `${task.id}: no verdict: ${judgement.reason}`;
      workshop.events.emit({ event: 'notice', level: 'warning', message });
      tries += 1;
      if (tries >= triesBeforeAsking) unjudged = judgement;
    } else if (await decideUnjudged(workshop, { session, task, ...unjudged })) return;
    else unjudged = null;
  }
}

type NoVerdict = Pick<Extract<Judgement, { readonly kind: 'no-verdict' }>, 'reason' | 'diagnostics'>;

/** What a person decides by where the validators of an earlier run failed: no other one is paid for that. */
async function recallUnjudged(
  workshop: Workshop,
  { commit, session: id, id: task }: DoneTask,
  runs: readonly AgentRun[],
): Promise<NoVerdict> {
  const { session } = await viewSession(workshop, id);
  const named = runs.map(({ id, outcome }) => (outcome === 'ended' ? id : `${id}: ${outcome}`)).join(', ');
  return {
    reason: `${runs.length} validators gave no verdict (${named})`,
    diagnostics: await diagnoseCommit(workshop, commit, session.base_commit, { session: id, words: task }),
  };
}

/** Does what the person decides; false: another validator may be tried. */
async function decideUnjudged(
  workshop: Workshop,
  {
    session,
    task,
    reason,
    diagnostics,
  }: NoVerdict & { readonly session: SessionId; readonly task: DoneTask },
): Promise<boolean> {
  const { start_commit: base, commit } = task;
  const decision = await workshop.gates.validatorFailed({
    task,
    reason,
    diagnostics,
    showDiff: () => workshop.git.diffText(base, commit),
  });
  workshop.events.emit({ event: 'gate', gate: 'validator_failed', decision: decision.kind });
  if (decision.kind === 'retry') return false;
  if (decision.kind === 'skip') {
    await failUnvalidated(workshop, session, task.id, reason);
    return true;
  }
  if (decision.status === 'pass') requireOverride(task, diagnostics, decision.override);
  const verdict = await personsVerdict(workshop, { session, task, said: decision, diagnostics });
  await recordVerdict(workshop, session, verdict);
  return true;
}

/** A failing diagnostic becomes no pass in passing: the person has seen it, and says why it may be. */
function requireOverride(
  task: DoneTask,
  diagnostics: readonly DiagnosticRun[],
  override: string | undefined,
): void {
  const failing = failedDiagnostics(diagnostics);
  if (failing.length === 0 || saysSomething(override ?? '')) return;
  throw needsReason(`${task.id} fails its diagnostics`, { task: task.id, diagnostics: [...diagnostics] });
}

interface PersonsJudgement {
  readonly session: SessionId;
  readonly task: DoneTask;
  readonly said: Extract<ValidatorFailedDecision, { readonly kind: 'manual' }>;
  readonly diagnostics: readonly DiagnosticRun[];
}

async function personsVerdict(
  workshop: Pick<Workshop, 'gates' | 'now'> & WithGit<GitCommits & GitDiffs>,
  { session, task, said, diagnostics }: PersonsJudgement,
): Promise<Verdict> {
  const evidence = await taskEvidence(workshop, task, diagnostics);
  const { status, notes, override } = said;
  return {
    session,
    task: task.id,
    commit: task.commit,
    base: task.start_commit,
    tree: evidence.tree,
    status,
    notes: override === undefined ? notes : `Passed although diagnostics fail: ${override}`,
    issues: [],
    diagnostics: [...diagnostics],
    by: workshop.gates.person,
    at: timestamp(workshop),
    cost_usd: 0,
    tokens: 0,
    ...(override === undefined ? {} : { override }),
    evidence,
  };
}

/** A verdict on the exact commit counts, no matter which process recorded it: also one from before a stop. */
async function adoptVerdicts(workshop: Recorder, session: SessionId): Promise<void> {
  await record(workshop, session, ({ tasks, snapshot }) => {
    const steps = tasks.filter(isDone).flatMap((task) => {
      const verdict = snapshot.verdictsOn(task.commit).at(-1);
      return verdict !== undefined && task.result.status === null ? [judgeTask(task, verdict)] : [];
    });
    return steps.length === 0 ? null : { steps };
  });
}

function isDone(task: Task): task is DoneTask {
  return task.status === 'done';
}
