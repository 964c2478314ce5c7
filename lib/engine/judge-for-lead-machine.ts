import { renderVerdictToSign } from '../core/machines/machine-statement.ts';
import { findTaskHolder, releaseValidation } from '../core/machines/task-holder.ts';
import { readStackState } from '../core/task/stack-state.ts';
import { applyVerdictToTask } from '../core/task/task-outcome.ts';
import type { SessionId } from '../domain/ids.ts';
import type { DoneTask, Task } from '../domain/state/task-schema.ts';
import type { Verdict } from '../domain/state/verdict.ts';
import { recordValidationClaim, recordValidationRelease } from './machines/validation-claims.ts';
import { decideAndRecord, reportVerdict, type SessionView } from './record-changes.ts';
import { type RunContext, warn } from './run-context.ts';
import { validateTask } from './validate/validate-task.ts';
import type { RunningAttempts } from './work/running-attempts.ts';

/**
 * Begins to judge finished work for the machine that leads, if this one offers that and its lead trusts it, as far as
 * there is room. It judges no work of its own.
 */
export function judgeForLeadMachine(context: RunContext, view: SessionView, running: RunningAttempts): void {
  if (!mayJudge(context, view)) return;
  const { config, place } = context;
  const stackState = readStackState(view.tasks);
  const isOpen = (task: Task): task is DoneTask =>
    task.status === 'done' &&
    task.result.status === null &&
    !stackState.waits(task) &&
    task.claimed_host !== place &&
    findTaskHolder(task) === null &&
    !context.run.warned.has(noVerdict(task));
  for (const task of view.tasks.filter(isOpen)) {
    const judged = running.names.filter((name) => name.startsWith(prefix));
    if (judged.length >= config.concurrency.validation) return;
    if (!running.has(prefix + task.id)) running.begin(prefix + task.id, () => judge(context, view.session.id, task));
  }
}

function mayJudge({ remoteSession, place }: RunContext, { stored: { machines } }: SessionView): boolean {
  if (remoteSession?.isCutOff() !== false) return false;
  return remoteSession.roles.includes('validate') && machines?.validators?.includes(place) === true;
}

const prefix = 'judge ';

/** Key of a commit that no validator of this machine could judge: the lead does. */
function noVerdict({ id, commit }: DoneTask): string {
  return `no verdict ${id} ${commit}`;
}

async function judge(context: RunContext, session: SessionId, task: DoneTask): Promise<void> {
  const claim = await recordValidationClaim(context, session, task);
  if (claim === null) return;
  const judgement = await validateTask(context, session, task).catch(async (error: unknown) => {
    await recordValidationRelease(context, session, task.id).catch(() => undefined);
    throw error;
  });
  if (judgement.kind === 'verdict') return sendVerdict(context, session, judgement.verdict, claim);
  context.run.warned.add(noVerdict(task));
  await recordValidationRelease(context, session, task.id);
  warn(context, `${task.id}: no verdict: ${judgement.reason}. The lead machine judges it.`);
}

/**
 * Records a verdict where its claim still holds, signed by this machine: the lead accepts no other. With it the task is
 * free: a verdict that doesn't count there is the lead's to find.
 */
async function sendVerdict(context: RunContext, session: SessionId, verdict: Verdict, claim: number): Promise<void> {
  const { remoteSession, place: name } = context;
  if (remoteSession === undefined) return;
  const { key, signature } = remoteSession.sign(renderVerdictToSign(verdict, { name, claim }));
  const signed: Verdict = { ...verdict, machine: { name, claim, key, signature } };
  const done = await decideAndRecord(context, session, ({ tasks }) => {
    const task = tasks.find((one) => one.id === verdict.task);
    if (task?.status !== 'done' || task.commit !== verdict.commit) return null;
    if (findTaskHolder(task) !== name || task.judging?.claim !== claim) return null;
    const judged = applyVerdictToTask(releaseValidation(task, 'judged').task, signed);
    return { steps: [judged], verdict: signed, actor: verdict.by };
  });
  if (done.kind === 'done') return reportVerdict(context, verdict);
  const { task, by } = verdict;
  const message = `${task}: the verdict by ${by} does not count, because its claim to judge the task was released.`;
  warn(context, message);
}
