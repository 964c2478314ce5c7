import type { StateLogEntry } from '../../domain/ports/store-port.ts';
import { type Wave, wavesOfCycle } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { BoardWave } from '../../domain/view-models/board-view.ts';

/**
 * Measures the waves of a session's current cycle by the commits of its changes, in any order. A wave that comes again in
 * a cycle, as work does after a merge, counts in one sum. Commits have whole seconds.
 */
export function measureWaves(
  session: Pick<Session, 'wave' | 'state' | 'created_at'>,
  log: readonly Pick<StateLogEntry, 'at' | 'subject'>[],
): readonly BoardWave[] {
  const steps = log
    .flatMap(({ at, subject }) => {
      const to = waveAfter(subject);
      return to === null ? [] : [{ at: Date.parse(at), to }];
    })
    .sort((a, b) => a.at - b.at);
  let [wave, since]: [Wave | null, number] = ['plan', Date.parse(session.created_at)];
  let took = new Map<Wave, number>();
  for (const { at, to } of steps) {
    if (to === wave) continue;
    if (wave !== null) took.set(wave, (took.get(wave) ?? 0) + Math.max(0, at - since));
    // A cycle begins with its plan, or with the work that was left.
    if (to === 'plan') took = new Map();
    else if (to === 'cycle') took = new Map(wave === 'plan' ? [['plan', took.get('plan') ?? 0]] : []);
    wave = to === 'cycle' ? 'work' : to === 'pause' ? null : to;
    since = at;
  }
  const isOver = session.wave === 'done';
  const isRunning = session.state === 'active' && !isOver;
  const reached = session.wave === 'done' ? -1 : wavesOfCycle.indexOf(session.wave);
  return wavesOfCycle.map((one, index) => ({
    wave: one,
    stands: isOver ? (took.has(one) ? 'done' : 'next') : index === reached ? 'now' : index < reached ? 'done' : 'next',
    took_ms: took.get(one) ?? 0,
    since: isRunning && one === session.wave ? (one === wave ? since : null) : null,
  }));
}

/** The wave that a change of the session brought it to, by the subject of its commit; null: it stayed. */
function waveAfter(subject: string): Wave | 'cycle' | 'pause' | null {
  const [, words = ''] = /^session: (.*)/.exec(subject) ?? [];
  const [, wave] = /^wave (\w+), cycle \d+$/.exec(words) ?? [];
  const named = wavesOfCycle.find((one) => one === wave);
  if (named !== undefined) return named;
  if (/^cycle \d+ begins$/.test(words)) return 'cycle';
  if (/^(?:sent back to the planner|a planner reviews cycle)/.test(words)) return 'plan';
  return /^(?:stopped|ended)\b/.test(words) ? 'pause' : null;
}
