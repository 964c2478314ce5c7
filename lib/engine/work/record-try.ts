import { workDecision } from '../../core/admission/decisions.ts';
import { isCounted } from '../../core/task/after-failure.ts';
import { agentsOf, endTry, keptFailure, type TryEnd } from '../../core/task/task-tries.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Task } from '../../domain/state/task.ts';
import { keepCommit } from '../keep/rescue-refs.ts';
import { record, taskOf } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { leaveCell } from './leave-cell.ts';
import { type Attempt, type Ending, superseded } from './settle-attempt.ts';

/**
 * Records the result of one of several attempts, after its work is kept as a rescue: so it is never made again. Returns
 * the failure of one that must be made again, since the failure was not its doing; else null.
 */
export async function recordTry(
  workshop: Workshop,
  attempt: Attempt,
  ending: Ending,
): Promise<Failure | null> {
  const { failure } = ending;
  if (failure?.retryable === true && !isCounted(failure)) return failure;
  const { session, task, agent } = attempt;
  if (ending.work !== null) await keepCommit(workshop, { session, task: task.id }, ending.work.tip);
  const size = await sizeOf(workshop, ending);
  const recorded = await record(workshop, session, (view) => {
    const now = taskOf(view, task.id);
    if (!agentsOf(now).includes(agent)) return null;
    const end = endOf(now, ending, size);
    const step = endTry(now, agent, end);
    const accepted =
      end.work === undefined
        ? []
        : [
            workDecision(
              { ...now, commit: end.work.commit, start_commit: end.work.start },
              workshop.configDigest,
            ),
          ];
    return { steps: [step], actor: agent, accepted };
  });
  if (recorded.kind !== 'done') {
    await superseded(workshop, attempt, ending.work?.tip ?? null);
    return null;
  }
  tell(workshop, taskOf(recorded.view, task.id), attempt);
  // Its rescue holds it now. Files that were not accepted stay in it.
  if (ending.work === null) return null;
  if (ending.work.leftBehind.length === 0) await workshop.git.discardCell(ending.work.cell);
  else await leaveCell(workshop, ending.work.cell);
  return null;
}

interface Size {
  readonly files: number;
  readonly lines: number;
}

async function sizeOf({ git }: Pick<Workshop, 'git'>, { work }: Ending): Promise<Size> {
  if (work === null) return { files: 0, lines: 0 };
  const files = await git.fileStats(work.cell.base, work.tip);
  return {
    files: files.length,
    lines: files.reduce((sum, { insertions, deletions }) => sum + insertions + deletions, 0),
  };
}

function endOf(task: Task, { failure, work, notes, told, outcome }: Ending, size: Size): TryEnd {
  const spent = { cost_usd: outcome.cost_usd, tokens: outcome.tokens };
  if (work === null)
    return {
      ended: 'failed',
      notes: '',
      left: [],
      ...spent,
      ...(failure === null ? {} : { failure: keptFailure(failure) }),
    };
  const { start, base } = work.cell;
  return {
    ended: 'handed-in',
    notes,
    left: [...told.notes],
    ...spent,
    work: {
      commit: work.tip,
      start: base,
      ...(start === base ? {} : { from: start }),
      ...(task.built_on === undefined ? {} : { built_on: task.built_on }),
      ...size,
    },
  };
}

function tell({ events }: Pick<Workshop, 'events'>, { id, tries = [] }: Task, { agent }: Attempt): void {
  const at = tries.findIndex(({ agent_id }) => agent_id === agent);
  const one = tries[at];
  if (one === undefined || one.ended === null) return;
  events.emit({
    event: 'attempt-ended',
    task: id,
    agent,
    attempt: at + 1,
    of: tries.length,
    outcome: one.ended,
    lines: one.work?.lines ?? null,
    why: one.failure?.message ?? null,
  });
}
