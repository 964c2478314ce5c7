import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { AgentOutcome, RunningAgent } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Task } from '../../domain/state/task.ts';
import { viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';

const lookMs = 1_000;
/** Between SIGTERM and SIGKILL, in milliseconds: others may begin with the task at any moment. */
const graceMs = 2_000;

interface Claim {
  readonly id: AgentId;
  readonly role: Role;
  readonly session: SessionId;
  readonly task: Pick<Task, 'id'> | null;
}

/** A watch over the claim an agent works on. */
export interface ClaimGuard {
  /** What the agent came to, with why it was ended where it was by the watch. */
  judge(outcome: AgentOutcome): AgentOutcome;
  end(): void;
}

/**
 * Ends an agent that works for a claim which isn't its machine's any more, or may not be at the next moment: another
 * machine has taken the task over, or the remote took no sign of life of this one for so long that others are about to.
 * What it wrote stays; settling the attempt finds whose the task is.
 */
export function guardClaim(workshop: Workshop, job: Claim, running: RunningAgent): ClaimGuard {
  const over = new AbortController();
  let why: string | null = null;
  const watch = async (): Promise<void> => {
    while (why === null) {
      await workshop.machine.sleep(lookMs, over.signal);
      if (over.signal.aborted) return;
      // Notes that can't be read at this moment say nothing.
      why = await whyNot(workshop, job).catch(() => null);
    }
    const message = `${job.id} is ended: ${why}`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
    void running.stop(graceMs);
  };
  // A worker alone holds a claim by which another machine could have its task.
  if (workshop.sharing !== undefined && job.role === 'worker') void watch();
  return {
    judge: (outcome) =>
      why === null || outcome.failure === null
        ? outcome
        : {
            ...outcome,
            failure: { kind: 'agent-stopped', message: why, details: [], retryable: true },
          },
    end: () => over.abort(),
  };
}

/** null: its claim is its own. */
async function whyNot(workshop: Workshop, { id, session, task }: Claim): Promise<string | null> {
  const { sharing } = workshop;
  if (sharing === undefined || task === null) return null;
  if (sharing.isCutOff())
    return `${sharing.remote} took no sign of life of this machine for almost its lease, so ${task.id} may pass on to another one.`;
  const now = (await viewSession(workshop, session)).snapshot
    .tasksOf(session)
    .find((one) => one.id === task.id);
  if (now === undefined || (now.status === 'claimed' && now.agent_id === id)) return null;
  const holder = now.claimed_host === null || now.status !== 'claimed' ? '' : `, ${now.claimed_host} has it`;
  return `${task.id} was given up for it${holder}.`;
}
