import { addPause, findServicePause } from '../../core/schedule/pauses-and-limits.ts';
import { computeBackoffMs } from '../../core/task/retry-after-failure.ts';
import type { Failure } from '../../domain/failure.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { ServicePause, Session } from '../../domain/state/session-schema.ts';
import { decideAndRecord, type RecordContext, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';

/**
 * Notes that an adapter's service refuses for now: nothing asks it before it says that ends, else before a backoff
 * is over. It's in the session's note, so that a new start waits too.
 */
export async function recordServicePause(
  context: RecordContext & Pick<RunContext, 'random' | 'run'>,
  id: SessionId,
  limited: { readonly adapter: string; readonly failure: Failure; readonly tries: number },
): Promise<void> {
  const now = context.now().getTime();
  const backoff = new Date(now + computeBackoffMs(limited.tries, context.random())).toISOString();
  const { adapter, failure } = limited;
  const pause: ServicePause = { adapter, until: failure.until ?? backoff, why: failure.message };
  await decideAndRecord(context, id, ({ session }) => {
    const next = addPause(session, pause, now);
    if (findServicePause(session, adapter, now)?.until === findServicePause(next, adapter, now)?.until) return null;
    return { session: { next, subject: `session: ${adapter} pauses until ${pause.until}` } };
  });
  reportServicePauses(context, (await viewSession(context, id)).session);
}

/**
 * Waits until an adapter's service can be asked, or the person stops the program. Resolves to what it last waited for,
 * null where it didn't. Throws FlameError `service-paused` where that takes longer than `limits.wait_for_service`.
 */
export async function waitForService(context: RunContext, id: SessionId, adapter: string): Promise<string | null> {
  let why: string | null = null;
  while (!context.signal.aborted) {
    const { session } = await viewSession(context, id);
    reportServicePauses(context, session);
    const now = context.now().getTime();
    const pause = findServicePause(session, adapter, now);
    if (pause === null) return why;
    why = pause.why;
    requireShortServicePause(context, session, Date.parse(pause.until) - now);
    await context.machine.sleep(Date.parse(pause.until) - now, context.signal);
  }
  return why;
}

// A moment's limit is waited for in any case.
const shortWaitMs = 60_000;
// Between looking at the clock twice.
const secondMs = 1_000;

/**
 * Throws FlameError `service-paused` where no work is possible for `waitMs` because of a pause of the session that ends
 * by then and lasts longer than `limits.wait_for_service` lets a run wait.
 */
export function requireShortServicePause(
  { config, now }: Pick<RunContext, 'config' | 'now'>,
  { id, pauses }: Pick<Session, 'id' | 'pauses'>,
  waitMs: number,
): void {
  const { wait_for_service: most } = config.limits;
  const longest = most === 'never' ? shortWaitMs : most;
  if (longest === 'always' || waitMs <= longest) return;
  const left = (pause: ServicePause): number => Date.parse(pause.until) - now().getTime();
  const pause = pauses.find((one) => left(one) > longest && left(one) <= waitMs + secondMs);
  if (pause === undefined) return;
  throw new FlameError({
    kind: 'refused',
    code: 'service-paused',
    message: `${pause.why} That ends at ${pause.until}, later than limits.wait_for_service allows a run to wait. All work so far is kept.`,
    hints: [`After that: git flame run --session ${id}`],
    data: { adapter: pause.adapter, until: pause.until },
  });
}

/** Reason why one of the session's services can't be asked now; null: all can. */
export function findPauseReason(context: Pick<RunContext, 'now'>, { pauses }: Session): string | null {
  const now = context.now().getTime();
  return pauses.find(({ until }) => Date.parse(until) > now)?.why ?? null;
}

/** Reports pauses that have begun or are over since the last time. */
export function reportServicePauses(context: Pick<RunContext, 'events' | 'now' | 'run'>, session: Session): void {
  const known = context.run.pauses;
  const now = context.now().getTime();
  for (const { adapter, until, why } of session.pauses) {
    if (Date.parse(until) <= now || known.get(adapter) === until) continue;
    known.set(adapter, until);
    context.events.emit({ event: 'paused', adapter, until, why });
  }
  for (const [adapter] of known) {
    if (findServicePause(session, adapter, now) !== null) continue;
    known.delete(adapter);
    context.events.emit({ event: 'resumed', adapter });
  }
}
