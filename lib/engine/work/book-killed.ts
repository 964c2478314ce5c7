import { addRun } from '../../core/schedule/add-run.ts';
import type { Store } from '../../domain/ports/store-port.ts';
import type { AgentRun } from '../../domain/state/session.ts';

/**
 * Books what an agent had spent that ended with a killed tool: whoever kills and starts again and again pays all the
 * same, and the session's budget knows. What is booked already, or cost nothing, is passed over.
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
