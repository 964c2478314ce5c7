import { backoffMs } from '../../core/task/after-failure.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AgentOutcome } from '../../domain/ports/agent-port.ts';
import type { Workshop } from '../workshop.ts';

/** How long a model API may be out of reach before a run ends. */
const longestOutageMs = 10 * 60_000;
// Whoever is back on the network does not want to wait for minutes.
const longestWaitMs = 60_000;

/**
 * How an agent ended, with when to try again where it could not reach its service: nothing it did failed, so no retry is
 * used up. Throws FlameError `model-unreachable` once that has lasted ten minutes.
 */
export function withReach<Outcome extends AgentOutcome>(
  workshop: Pick<Workshop, 'now' | 'random' | 'run'>,
  adapter: string,
  outcome: Outcome,
): Outcome {
  const known = workshop.run.outages;
  const { failure } = outcome;
  if (failure?.kind !== 'unreachable') {
    // A person's stop says nothing of the network.
    if (failure?.kind !== 'agent-stopped') known.delete(adapter);
    return outcome;
  }
  const now = workshop.now().getTime();
  const { began, tries } = known.get(adapter) ?? { began: now, tries: 0 };
  const end = began + longestOutageMs;
  if (now >= end) {
    known.delete(adapter);
    throw unreachable(failure.message);
  }
  known.set(adapter, { began, tries: tries + 1 });
  const until = Math.min(now + Math.min(backoffMs(tries, workshop.random()), longestWaitMs), end);
  const message = `${failure.message} It is tried again, for ${longestOutageMs / 60_000} minutes in all.`;
  return { ...outcome, failure: { ...failure, message, until: new Date(until).toISOString() } };
}

function unreachable(why: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'model-unreachable',
    message: `${why} It was tried for ${longestOutageMs / 60_000} minutes; everything done so far is kept.`,
    hints: ['Look after the network, then: git flame run'],
  });
}
