import { restartTask } from '../core/task/task-return.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Placed } from '../domain/ports/gates.ts';
import { withGate } from './agents/ask-for-budget.ts';
import { type Recorder, record } from './record.ts';

/** Begins the next cycle: what was sent back is pending again, and with `retry` what failed too. */
export async function startCycle(
  workshop: Recorder,
  id: SessionId,
  decision: Placed<{ readonly kind: 'continue' | 'retry' }>,
): Promise<void> {
  const again = decision.kind === 'retry' ? ['requeued', 'failed'] : ['requeued'];
  await record(workshop, id, ({ session, tasks }) => {
    const steps = tasks.filter(({ status }) => again.includes(status)).map((task) => restartTask(task));
    const gated = withGate(session, { gate: 'session', decision: decision.kind }, decision, workshop);
    const next = { ...gated, cycle: session.cycle + 1, wave: 'work' as const };
    return { steps, session: { next, subject: `session: cycle ${next.cycle} begins` } };
  });
}
