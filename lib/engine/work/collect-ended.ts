import { basename } from 'node:path';
import { addRun } from '../../core/schedule/budget-state.ts';
import { agentsOf } from '../../core/task/task-tries.ts';
import { roleAdapter } from '../../domain/config/role-settings.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { CellInfo, EndNote } from '../../domain/ports/git-cells.ts';
import type { Task } from '../../domain/state/task.ts';
import { isInterrupted } from '../interrupted.ts';
import { workerPolicy } from '../judge/worker-policy.ts';
import { preparedIn } from '../prepare-worktree.ts';
import { type Recorder, record, viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { discardUntouched, judgeWork } from './judge-work.ts';
import { recordTry } from './record-try.ts';
import { settleAttempt } from './settle-attempt.ts';

type EndedCell = CellInfo & { readonly ended: EndNote };

/**
 * Takes in what agents had finished when their process was killed: finished work is not paid for twice. It is
 * judged like any other, on its git objects and by the current configuration. `isOrphan` says whether a claim
 * has no live owner. Returns the tasks.
 */
export async function collectEnded(
  workshop: Workshop,
  id: SessionId,
  isOrphan: (task: Task) => boolean,
): Promise<readonly string[]> {
  const { tasks } = await viewSession(workshop, id);
  const cells = (await workshop.git.cells()).filter(
    (cell): cell is EndedCell => cell.owner === 'gone' && cell.ended !== null && cell.subject?.session === id,
  );
  const collected: string[] = [];
  for (const task of tasks.filter(isOrphan)) {
    for (const agent of agentsOf(task)) {
      const cell = cells.find(({ path, ended }) => basename(path) === agent && ended.run.id === agent);
      if (cell === undefined) continue;
      if (await collect(workshop, { task, agent }, cell)) collected.push(task.id);
    }
  }
  return [...new Set(collected)];
}

async function collect(
  workshop: Workshop,
  { task, agent }: { readonly task: Task; readonly agent: AgentId },
  cell: EndedCell,
): Promise<boolean> {
  const { run, text, notes } = cell.ended;
  const one = task.tries?.find(({ agent_id }) => agent_id === agent);
  const attempt = {
    session: task.session,
    task,
    agent,
    adapter: workshop.adapter(one?.adapter ?? roleAdapter(workshop.config, 'worker', task)),
    began: task.claimed_at === null ? null : Date.parse(task.claimed_at),
    path: cell.path,
  };
  const policy = await workerPolicy(workshop, {
    agentId: agent,
    worktree: cell.path,
    fileLocks: task.file_locks,
    start: cell.base,
    prepared: await preparedIn(workshop, cell),
  });
  await book(workshop, task.session, cell.ended);
  const { cost_usd, tokens } = run;
  const audit = await workshop.agents.auditOf(run.id);
  const outcome = { failure: null, text, notes, cost_usd, tokens, audit };
  try {
    const ending = await judgeWork(workshop, { attempt, cell, policy, outcome });
    if (ending.work === null) await discardUntouched(workshop, cell, task);
    // One of several is only recorded: those that are not over are made first.
    if (one === undefined) await settleAttempt(workshop, attempt, ending);
    else await recordTry(workshop, attempt, ending);
    return true;
  } catch (error) {
    // A broken worktree must not stop the session; the task is tried again.
    if (!(error instanceof FlameError) || isInterrupted(error)) throw error;
    const message = `What ${run.id} had finished for ${task.id} can't be taken in: ${error.message}`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
    return false;
  }
}

/** The kill may have come before its cost was booked. */
async function book(workshop: Recorder, id: SessionId, { run }: EndNote): Promise<void> {
  await record(workshop, id, ({ session }) => {
    const isFree = run.model === null && run.cost_usd === 0;
    const known = session.agents.find(({ id }) => id === run.id);
    // One that was noted as killed had spent a little more than was heard of it then.
    const rest = {
      ...run,
      cost_usd: Math.max(0, run.cost_usd - (known?.cost_usd ?? 0)),
      tokens: Math.max(0, run.tokens - (known?.tokens ?? 0)),
    };
    if (isFree || (known !== undefined && known.outcome !== 'killed')) return null;
    return { session: { next: addRun(session, rest), subject: `session: ${run.id} ${run.outcome}` } };
  });
}
