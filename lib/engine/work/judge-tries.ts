import { foundIn, judgeTry } from '../../core/task/task-tries.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Task, WorkedTask } from '../../domain/state/task.ts';
import type { Try } from '../../domain/state/tries.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { inLanes } from '../../util/pacing.ts';
import { isJoined } from '../machines/await-others.ts';
import { record, taskOf, viewSession } from '../record.ts';
import { prepareValidation } from '../validate/prepare-validation.ts';
import { diagnoseCommit, failedDiagnostics } from '../validate/run-diagnostics.ts';
import { validateTask } from '../validate/validate-task.ts';
import type { Workshop } from '../workshop.ts';

/**
 * Finds out about the work of several attempts what decides between them: the diagnostics, then a verdict, each recorded
 * as it is found. One alone is judged like any work, later. A machine that joined runs the diagnostics alone: its own
 * work is not its to judge.
 */
export async function judgeTries(workshop: Workshop, session: SessionId, id: Task['id']): Promise<void> {
  const task = taskOf(await viewSession(workshop, session), id);
  const made = (task.tries ?? []).filter(({ work }) => work !== undefined);
  if (made.length < 2) return;
  const open = made.filter(({ failing, verdict }) => failing === undefined && verdict === undefined);
  await prepareValidation(workshop, session, open.length === 0 ? [] : [task]);
  await inLanes(open, workshop.config.concurrency.validation, async (one) => {
    if (workshop.signal.aborted) return;
    await (isJoined(workshop) ? check(workshop, task, one) : judge(workshop, task, one));
  });
}

async function check(workshop: Workshop, task: Task, one: Try): Promise<void> {
  if (one.work === undefined) return;
  const { session } = await viewSession(workshop, task.session);
  const runs = await diagnoseCommit(workshop, one.work.commit, session.base_commit, {
    session: session.id,
    words: task.id,
  });
  await note(workshop, task, one, { failing: failedDiagnostics(runs).map(({ command }) => command) });
}

/** A validator that gives no verdict decides nothing; where its work is taken all the same, it is judged again. */
async function judge(workshop: Workshop, task: Task, one: Try): Promise<void> {
  const worked = workedBy(task, one);
  if (worked === null) return;
  // A kill may have come between the verdict and what is noted of it: both move together, so there is none then.
  const judgement = await validateTask(workshop, task.session, worked);
  if (judgement.kind === 'verdict')
    return note(workshop, task, one, foundIn(judgement.verdict), judgement.verdict);
  const failing = failedDiagnostics(judgement.diagnostics).map(({ command }) => command);
  const message = `${task.id}: no verdict on the attempt by ${one.agent_id}: ${judgement.reason}`;
  workshop.events.emit({ event: 'notice', level: 'warning', message });
  await note(workshop, task, one, { failing });
}

/** The task as it were if this attempt's work were its own. */
export function workedBy(task: Task, { agent_id, work, notes }: Try): WorkedTask | null {
  if (work === undefined) return null;
  const { commit, start } = work;
  const entry = {
    attempt: 0,
    agent_id,
    timestamp: task.updated_at,
    result: 'done',
    notes,
    rejection_reason: null,
    cost_usd: 0,
    tokens_used: 0,
  };
  return {
    ...task,
    status: 'done',
    agent_id,
    commit,
    start_commit: start,
    branch: '',
    kept: work.from === undefined ? undefined : { commit: work.from, start },
    history: [...task.history, entry],
  };
}

async function note(
  workshop: Workshop,
  task: Task,
  { agent_id: agent }: Try,
  found: Pick<Try, 'failing' | 'verdict'>,
  verdict?: Verdict,
): Promise<void> {
  const recorded = await record(workshop, task.session, (view) => {
    const now = taskOf(view, task.id);
    if (now.status !== 'claimed' || now.agent_id !== task.agent_id) return null;
    return {
      steps: [judgeTry(now, agent, found)],
      ...(verdict === undefined ? {} : { verdict, actor: verdict.by }),
    };
  });
  if (recorded.kind !== 'done' || verdict === undefined) return;
  const { commit, status, notes, by } = verdict;
  workshop.events.emit({ event: 'verdict', task: task.id, commit, status, notes, by });
}
