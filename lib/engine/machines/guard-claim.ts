import { agentsOf } from '../../core/task/task-tries.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { AgentOutcome, RunningAgent } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import type { Task } from '../../domain/state/task.ts';
import { leadElsewhere, viewSession } from '../record.ts';
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

/** Outcome of an agent, and whether the watch ended it because this machine was cut off. */
export type GuardedOutcome = AgentOutcome & { readonly isCutOff?: boolean };

/** A watch over the claim an agent works on, and over the share of the budget it spends. */
export interface ClaimGuard {
  /** Outcome of the agent, with the reason where the watch ended it. */
  judge(outcome: AgentOutcome): GuardedOutcome;
  end(): void;
}

interface Reason {
  readonly message: string;
  readonly isCutOff: boolean;
}

/**
 * Ends an agent of any role once the remote took no heartbeat of this machine for so long that others are about to take
 * over, and to release its reservations; a worker whose task another machine has; and all of a lead that another
 * machine replaced. Its work stays; settling the attempt finds whose the task is.
 */
export function guardClaim(workshop: Workshop, job: Claim, running: RunningAgent): ClaimGuard {
  const over = new AbortController();
  let why: Reason | null = null;
  const watch = async (): Promise<void> => {
    while (why === null) {
      await workshop.machine.sleep(lookMs, over.signal);
      if (over.signal.aborted) return;
      // Notes that can't be read at this moment say nothing.
      why = await whyNot(workshop, job).catch(() => null);
    }
    const message = `${job.id} is ended: ${why.message}`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
    void running.stop(graceMs);
  };
  if (workshop.sharing !== undefined) void watch();
  return {
    judge: (outcome) =>
      why === null || outcome.failure === null
        ? outcome
        : {
            ...outcome,
            failure: { kind: 'agent-stopped', message: why.message, details: [], retryable: true },
            isCutOff: why.isCutOff,
          },
    end: () => over.abort('over'),
  };
}

/** Resolves once the remote takes heartbeats of this machine again, or the person stops the program. */
export async function untilBack({ machine, sharing, signal }: Workshop): Promise<void> {
  while (sharing?.isCutOff() === true && !signal.aborted) await machine.sleep(lookMs, signal);
}

/** null: its claim is its own, and so is its share. */
async function whyNot(workshop: Workshop, { id, role, session, task }: Claim): Promise<Reason | null> {
  const { sharing } = workshop;
  if (sharing === undefined) return null;
  const view = await viewSession(workshop, session);
  const lead = leadElsewhere(workshop, view);
  if (lead !== null) return { message: `${lead} leads this session now.`, isCutOff: false };
  // A worker alone holds a claim by which another machine could have its task.
  const claimed = role === 'worker' ? task : null;
  if (sharing.isCutOff()) {
    const next = claimed === null ? 'another one may take over' : `${claimed.id} may pass on to another one`;
    const message = `${sharing.remote} took no sign of life of this machine for almost its lease, so ${next}.`;
    return { message, isCutOff: true };
  }
  if (claimed === null) return null;
  const now = view.snapshot.tasksOf(session).find((one) => one.id === claimed.id);
  if (now === undefined || agentsOf(now).includes(id)) return null;
  const holder = now.claimed_host === null || now.status !== 'claimed' ? '' : `, ${now.claimed_host} has it`;
  return { message: `${claimed.id} was given up for it${holder}.`, isCutOff: false };
}
