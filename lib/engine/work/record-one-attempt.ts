import { toAcceptedCommitsDecision } from '../../core/admission/make-decisions.ts';
import {
  type AttemptResult,
  listRunningAgentsOfTask,
  recordAttemptResult,
  toStoredFailure,
} from '../../core/task/attempt-records.ts';
import { doesFailureUseUpAttempt } from '../../core/task/retry-after-failure.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { decideAndRecord, requireTaskInView } from '../record-changes.ts';
import { keepCommitAsRescue } from '../retention/rescue-refs.ts';
import type { RunContext } from '../run-context.ts';
import {
  type Attempt,
  type AttemptEnding,
  leaveWorktreeToPerson,
  rescueSupersededAttempt,
} from './record-attempt-ending.ts';

/**
 * Records the result of one of several attempts, after its work is kept as a rescue: so it is never made again. Returns
 * the failure of one that must be made again, since the failure was not its doing; else null.
 */
export async function recordOneOfSeveralAttempts(
  context: RunContext,
  attempt: Attempt,
  ending: AttemptEnding,
): Promise<Failure | null> {
  const { failure } = ending;
  if (failure?.retryable === true && !doesFailureUseUpAttempt(failure)) return failure;
  const { session, task, agent } = attempt;
  if (ending.work !== null) await keepCommitAsRescue(context, { session, task: task.id }, ending.work.tip);
  const size = await sizeOf(context, ending);
  const recorded = await decideAndRecord(context, session, (view) => {
    const now = requireTaskInView(view, task.id);
    if (!listRunningAgentsOfTask(now).includes(agent)) return null;
    const end = endOf(now, ending, size);
    const step = recordAttemptResult(now, agent, end);
    const accepted =
      end.work === undefined
        ? []
        : [
            toAcceptedCommitsDecision(
              { ...now, commit: end.work.commit, start_commit: end.work.start },
              context.configDigest,
            ),
          ];
    return { steps: [step], actor: agent, accepted };
  });
  if (recorded.kind !== 'done') {
    await rescueSupersededAttempt(context, attempt, ending.work?.tip ?? null);
    return null;
  }
  reportAttempt(context, requireTaskInView(recorded.view, task.id), attempt);
  // Its rescue holds it now. Files that were not accepted stay in it.
  if (ending.work === null) return null;
  if (ending.work.leftBehind.length === 0) await context.git.discardCell(ending.work.cell);
  else await leaveWorktreeToPerson(context, ending.work.cell);
  return null;
}

interface Size {
  readonly files: number;
  readonly lines: number;
}

async function sizeOf({ git }: Pick<RunContext, 'git'>, { work }: AttemptEnding): Promise<Size> {
  if (work === null) return { files: 0, lines: 0 };
  const files = await git.fileStats(work.cell.base, work.tip);
  return {
    files: files.length,
    lines: files.reduce((sum, { insertions, deletions }) => sum + insertions + deletions, 0),
  };
}

function endOf(
  task: Task,
  { failure, work, notes, leftNotes, reasons, outcome }: AttemptEnding,
  size: Size,
): AttemptResult {
  const spent = { cost_usd: outcome.cost_usd, tokens: outcome.tokens };
  if (work === null)
    return {
      ended: 'failed',
      notes: '',
      left: [],
      ...spent,
      ...(failure === null ? {} : { failure: toStoredFailure(failure) }),
    };
  const { start, base } = work.cell;
  return {
    ended: 'handed-in',
    notes,
    left: [...leftNotes.notes],
    ...(reasons.length === 0 ? {} : { reasons: [...reasons] }),
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

function reportAttempt({ events }: Pick<RunContext, 'events'>, { id, tries = [] }: Task, { agent }: Attempt): void {
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
