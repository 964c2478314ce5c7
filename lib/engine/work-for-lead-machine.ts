import { findValidatingMachine, renderVerdictToSign } from '../core/machines/machine-statement.ts';
import { readStackState } from '../core/task/stack-state.ts';
import { applyVerdictToTask } from '../core/task/task-outcome.ts';
import type { SessionId } from '../domain/ids.ts';
import type { DoneTask, Task } from '../domain/state/task-schema.ts';
import type { Verdict } from '../domain/state/verdict.ts';
import { findTaskAsLeadReports, recordValidationClaim, recordValidationRelease } from './machines/validation-claims.ts';
import { decideAndRecord, type SessionView } from './record-changes.ts';
import type { RunContext } from './run-context.ts';
import { validateTask } from './validate/validate-task.ts';
import type { RunningAttempts } from './work/running-attempts.ts';
import { runWorkWave } from './work/work-wave.ts';

/** Work of a machine that joined, until the session has ended: tasks, and verdicts if it offers them and its lead trusts it. */
export function workForLeadMachine(context: RunContext, id: SessionId): Promise<void> {
  return runWorkWave(context, id, {
    also: (view, running) => {
      if (view.session.state !== 'active' || context.remoteSession?.isCutOff() !== false) return;
      if (mayJudge(context, view)) startJudging(context, view, running);
    },
  });
}

function mayJudge({ remoteSession, place }: RunContext, { stored: { machines } }: SessionView): boolean {
  return remoteSession?.roles.includes('validate') === true && machines?.validators?.includes(place) === true;
}

/**
 * Begins to judge finished work for the machine that leads, as far as there is room and that one lets this machine. It
 * judges no work of its own.
 */
function startJudging(context: RunContext, view: SessionView, running: RunningAttempts): void {
  const { config, place } = context;
  const stackState = readStackState(view.tasks);
  const isOpen = (task: Task): task is DoneTask =>
    task.status === 'done' &&
    !stackState.waits(task) &&
    task.claimed_host !== place &&
    findValidatingMachine(task) === null &&
    !context.run.warned.has(noVerdict(task)) &&
    findTaskAsLeadReports(context, view, task.id)?.result.status === null;
  for (const task of view.tasks.filter(isOpen)) {
    const judged = running.names.filter((name) => name.startsWith(prefix));
    if (judged.length >= config.concurrency.validation) return;
    if (!running.has(prefix + task.id)) running.begin(prefix + task.id, () => judgeFor(context, view.session.id, task));
  }
}

const prefix = 'judge ';

/** Key of a commit that no validator of this machine could judge: the lead does. */
function noVerdict({ id, commit }: DoneTask): string {
  return `no verdict ${id} ${commit}`;
}

async function judgeFor(context: RunContext, session: SessionId, task: DoneTask): Promise<void> {
  const claim = await recordValidationClaim(context, session, task);
  if (claim === null) return;
  const judgement = await validateTask(context, session, task).catch(async (error: unknown) => {
    await recordValidationRelease(context, session, task.id).catch(() => undefined);
    throw error;
  });
  if (judgement.kind === 'verdict') return sendVerdict(context, session, judgement.verdict, claim);
  context.run.warned.add(noVerdict(task));
  await recordValidationRelease(context, session, task.id);
  const message = `${task.id}: no verdict: ${judgement.reason}. The lead machine judges it.`;
  context.events.emit({ event: 'notice', level: 'warning', message });
}

/** Records a verdict where its claim still holds, signed by this machine: the lead accepts no other. */
async function sendVerdict(context: RunContext, session: SessionId, verdict: Verdict, claim: number): Promise<void> {
  const { remoteSession, place } = context;
  if (remoteSession === undefined) return;
  const name = place;
  const { key, signature } = remoteSession.sign(renderVerdictToSign(verdict, { name, claim }));
  const signed: Verdict = { ...verdict, machine: { name, claim, key, signature } };
  const done = await decideAndRecord(context, session, ({ tasks }) => {
    const task = tasks.find((one) => one.id === verdict.task);
    if (task?.status !== 'done' || task.commit !== verdict.commit) return null;
    if (findValidatingMachine(task) !== place || task.judging?.claim !== claim) return null;
    const judged = applyVerdictToTask(task, signed);
    return { steps: [judged], verdict: signed, actor: verdict.by };
  });
  const { task, commit, status, notes, by } = verdict;
  if (done.kind === 'done') return context.events.emit({ event: 'verdict', task, commit, status, notes, by });
  const message = `${task}: the verdict by ${by} does not count, because its claim to judge the task was released.`;
  context.events.emit({ event: 'notice', level: 'warning', message });
}
