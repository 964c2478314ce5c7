import { claimTask } from '../../core/task/task-attempt.ts';
import type { Failure } from '../../domain/failure.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Try } from '../../domain/state/tries.ts';
import { outOfReach } from '../agents/out-of-reach.ts';
import { keepLocks } from '../keep-locks.ts';
import { type Recorder, record, type SessionView, viewSession } from '../record.ts';
import { groundOf, holdApart } from '../stack/held-apart.ts';
import { type StartPoint, startPoint } from '../start-point.ts';
import { timestamp, type Workshop } from '../workshop.ts';

/** A claimed task: the session after the claim, and where the work starts. */
export interface Begun {
  readonly view: SessionView;
  readonly start: StartPoint;
  /** Failure that keeps any agent from doing it there, see outOfReach: looked for while the claim is written. */
  readonly refusal: Promise<Failure | null>;
}

interface Claim {
  readonly session: SessionId;
  readonly task: Task;
  readonly agent: AgentId;
  /** Path of its worktree. */
  readonly path: string;
  /** Attempts, where several are made at once; none by default. */
  readonly tries?: readonly Try[];
}

/**
 * Claims a task for an agent, on the ground its work starts from. null: a conflict blocks it, another process claimed
 * or changed it or its start at this moment, or its locks followed a rename.
 */
export async function beginAttempt(workshop: Workshop, claim: Claim): Promise<Begun | null> {
  const { session, task } = claim;
  const { session: now, tasks } = await viewSession(workshop, session);
  const start = await startPoint(workshop, now, task, tasks);
  const ground = groundOf(workshop, task, tasks);
  if (start.kind === 'conflict' && !start.isDependency) {
    await holdApart(workshop, { task, ground }, start);
    return null;
  }
  if (start.kind === 'start' && (await keepLocks(workshop, { session: now }, task, start.commit)))
    return null;
  const refusal = start.kind === 'start' ? outOfReach(workshop, task, start.commit) : Promise.resolve(null);
  // Heard by who performs the attempt, which gives the claim back.
  refusal.catch(() => undefined);
  const view = await claimOn(workshop, claim, { start, ground });
  return view === null ? null : { view, start, refusal };
}

async function claimOn(
  workshop: Recorder & Pick<Workshop, 'place'>,
  { session, task, agent, path, tries }: Claim,
  { start, ground }: { readonly start: StartPoint; readonly ground: string },
): Promise<SessionView | null> {
  const claimed = await record(workshop, session, (view) => {
    // Changed by another clone in this moment, it is only received.
    const now = view.tasks.find(({ id }) => id === task.id);
    if (now === undefined) return null;
    if (now.status !== 'pending' || now.rev !== task.rev) return null;
    if (groundOf(workshop, now, view.tasks) !== ground) return null;
    return {
      steps: [
        claimTask(now, {
          agentId: agent,
          worktree: path,
          at: timestamp(workshop),
          claimedBy: workshop.gates.person,
          host: workshop.place,
          ...(start.kind === 'start' ? { builtOn: start.builtOn } : {}),
          ...(tries === undefined ? {} : { tries }),
        }),
      ],
    };
  });
  return claimed.kind === 'done' ? claimed.view : null;
}
