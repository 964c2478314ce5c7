import { addRun } from '../../core/schedule/add-run.ts';
import type { Store } from '../../domain/ports/store-port.ts';
import type { AgentRun } from '../../domain/state/session.ts';

/**
 * Books the spending of an agent that ended when the tool was killed, so that killing and starting again
 * saves nothing and the session's budget stays right. What is booked already, or cost nothing, is skipped.
 */
export async function bookKilled(
  store: Store,
  actor: string,
  { session: id, run }: { readonly session: string; readonly run: AgentRun },
): Promise<void> {
  if (run.cost_usd === 0 && run.tokens === 0) return;
  await store.transact(({ sessions }) => {
    const session = sessions.find((known) => known.id === id);
    if (session === undefined || session.agents.some((known) => known.id === run.id)) return null;
    const subject = `session: ${run.id} was killed, ${run.cost_usd.toFixed(4)} USD`;
    return { changes: [{ subject, session: addRun(session, run) }], actor };
  });
}
