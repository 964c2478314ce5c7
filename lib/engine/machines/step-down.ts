import { releaseJudging } from '../../core/machines/machine-word.ts';
import { withoutReservations } from '../../core/schedule/budget-state.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import type { SessionId } from '../../domain/ids.ts';
import { leadPassedOn } from '../../domain/meanwhile.ts';
import type { Task } from '../../domain/state/task.ts';
import { isInterrupted } from '../interrupted.ts';
import { rescueName } from '../keep/rescue-refs.ts';
import { putAway } from '../keep/rescue-worktree.ts';
import { leadElsewhere, recordOwn, viewSession } from '../record.ts';
import { timestamp, type Workshop } from '../workshop.ts';

/**
 * Handles the end of a run on a machine that leads. If another machine took over the lead, releases its claims, keeps
 * its agents' work as rescues and returns a lead-lost error; otherwise returns the original error.
 */
export async function stepDown(workshop: Workshop, id: SessionId, error: unknown): Promise<unknown> {
  if (workshop.sharing === undefined || isInterrupted(error)) return error;
  const view = await viewSession(workshop, id).catch(() => null);
  const lead = view === null ? null : leadElsewhere(workshop, view);
  if (view === null || lead === null) return error;
  // Separately: if the remote is out of reach, claims can't be released, but work is kept all the same.
  const given = await tried(giveUpAll(workshop, id, lead));
  const kept = await tried(keepAll(workshop, id, lead));
  const { term = 1 } = view.stored.machines ?? {};
  return leadPassedOn({
    lead,
    term,
    remote: workshop.sharing.remote,
    freed: given.done,
    kept: kept.done,
    missed: [
      ...(given.why === null
        ? []
        : [
            `What its agents held could not be given back (${given.why}): it is free once this machine has been silent for its lease.`,
          ]),
      ...(kept.why === null
        ? []
        : [`What was not finished here may still be in its worktrees (${kept.why}): git flame cleanup`]),
    ],
  });
}

async function tried(
  work: Promise<readonly string[]>,
): Promise<{ readonly done: readonly string[]; readonly why: string | null }> {
  try {
    return { done: await work, why: null };
  } catch (error) {
    return { done: [], why: (error instanceof Error ? error.message : String(error)).replace(/\.$/, '') };
  }
}

/** Frees what this machine's agents held, all of which have ended. Returns the tasks. */
async function giveUpAll(workshop: Workshop, id: SessionId, lead: string): Promise<readonly string[]> {
  const { place } = workshop;
  const live = new Set<string>((await workshop.agents.live()).map((agent) => agent.id));
  const reason = `${lead} leads now`;
  let freed: readonly string[] = [];
  await recordOwn(workshop, id, ({ session, tasks }) => {
    const at = timestamp(workshop);
    const isHeld = (task: Task): boolean =>
      task.status === 'claimed' && task.agent_id !== null && task.claimed_host === place;
    const held = tasks.filter(isHeld);
    freed = held.map((task) => task.id);
    const judged = tasks.flatMap((task): readonly TaskChange[] =>
      task.status === 'done' && task.judging?.machine === place ? [releaseJudging(task, reason)] : [],
    );
    const next = withoutReservations(session, ({ agent, machine }) => machine === place && !live.has(agent));
    const steps = [...held.map((task) => releaseTask(task, { reason, at })), ...judged];
    if (steps.length === 0 && next === session) return null;
    const subject = 'session: what was set aside is given back';
    return { steps, ...(next === session ? {} : { session: { next, subject } }) };
  });
  return freed;
}

/** Keeps what is in the worktrees of this process as rescues. One line for each that held something: where it is. */
async function keepAll(workshop: Workshop, id: SessionId, lead: string): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const cell of await workshop.git.cells()) {
    if (cell.owner !== 'own' || cell.subject?.session !== id) continue;
    const why = `${lead} took over the lead while its agent worked.`;
    const outcome = await putAway(workshop, cell, { why, isAsked: false });
    const { task } = cell.subject;
    if (outcome.kind === 'rescued') kept.push(`${task}: git flame rescue show ${rescueName(outcome.ref)}`);
    if (outcome.kind === 'kept') kept.push(`${task}: ${cell.path} (${outcome.reasons[0] ?? ''})`);
  }
  return kept.sort();
}
