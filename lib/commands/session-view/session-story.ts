import { buildTaskSpans, type StatusSpan } from '../../core/stats/task-times.ts';
import { measureWaves } from '../../core/stats/wave-times.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { StateLogEntry, Store } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { BoardAgentTime, BoardLogLine, BoardState, BoardTaskTime } from '../../domain/view-models/board-view.ts';
import { removeRepeatedEntries } from '../../ui/render/render-log.ts';
import { dropMailAddresses } from '../../ui/text/printable-text.ts';

/** The most entries read: all there are of a session of some hundred tasks. */
const mostEntries = 3_000;
const mostLogLines = 150;

/** Reads a session's log, the newest first: of one that was read before only what is new. */
export function openSessionLog(store: Pick<Store, 'log'>): (session: SessionId) => Promise<readonly StateLogEntry[]> {
  const known = new Map<SessionId, readonly StateLogEntry[]>();
  return async (session) => {
    const before = known.get(session) ?? [];
    const keyOf = ({ ref, commit }: StateLogEntry): string => `${ref} ${commit}`;
    const seen = new Set(before.map(keyOf));
    const latest = before.length === 0 ? [] : await store.log({ session, limit: mostLogLines });
    const added = latest.filter((entry) => !seen.has(keyOf(entry)));
    const merged = [...added, ...before];
    // Where all of the latest are new, more may be; where they differ from what was known, the past was repaired.
    const isWhole =
      added.length < latest.length &&
      latest.every((entry, at) => {
        const same = merged[at];
        return same !== undefined && keyOf(entry) === keyOf(same);
      });
    const log = isWhole ? merged.slice(0, mostEntries) : await store.log({ session, limit: mostEntries });
    known.set(session, log);
    return log;
  };
}

/** What a session has been through, as the board shows it. */
interface SessionStory extends Pick<BoardState, 'waves' | 'log' | 'runs'> {
  /** By task. */
  readonly times: ReadonlyMap<string, readonly BoardTaskTime[]>;
}

/** Tells a session's story from the commits of its changes and the agents that it booked. */
export function tellSessionStory(
  session: Session,
  tasks: readonly Task[],
  log: readonly StateLogEntry[],
): SessionStory {
  const spans = buildTaskSpans(tasks, log);
  return {
    waves: measureWaves(session, log),
    times: new Map(
      spans.map(({ task, spans: lived, judged }) => [task.id, lived.flatMap((span) => toTimes(span, judged))]),
    ),
    runs: session.agents.map(({ id, role, task_id: task, started_at, ended_at, outcome, cost_usd }): BoardAgentTime => {
      return { id, role, task, from: Date.parse(started_at), to: Date.parse(ended_at), outcome, cost_usd };
    }),
    log: removeRepeatedEntries(log.slice(0, 2 * mostLogLines))
      .slice(0, mostLogLines)
      .map(toLogLine),
  };
}

/** A second may pass between two times of one change. */
function toTimes({ status, from, to }: StatusSpan, judged: readonly number[]): readonly BoardTaskTime[] {
  if (status !== 'done') return [{ kind: kinds[status], from, to }];
  const verdict = judged.find((at) => at >= Math.floor(from / 1_000) * 1_000 && (to === null || at <= to));
  if (verdict === undefined) return [{ kind: 'checks', from, to }];
  const cut = Math.max(from, verdict);
  return [
    { kind: 'checks', from, to: cut },
    { kind: 'decides', from: cut, to },
  ];
}

const kinds = {
  pending: 'waits',
  requeued: 'waits',
  claimed: 'works',
  blocked: 'blocked',
  failed: 'failed',
  merged: 'landed',
  dropped: 'dropped',
} as const;

/** `task-001: pending -> claimed by worker-1` as its parts: the task, and `claimed by worker-1`. */
function toLogLine({ at, author, subject, trailers }: StateLogEntry): BoardLogLine {
  const who = dropMailAddresses(author);
  const { Task: named = '' } = trailers;
  const task = subject.startsWith(`${named}: `) ? named : null;
  const said = dropMailAddresses(task === null ? subject.replace(/^session: /, '') : subject.slice(named.length + 2));
  const text = said.replace(/^\w+ -> (\w+)(?:, (?=judged))?(?<rest>.*)$/, (_, to: string, rest: string) =>
    rest.startsWith('judged') ? rest : `${words.get(to) ?? to}${rest}`,
  );
  return { at, task, text, who: text.includes(who) ? '' : who };
}

/** States as a person reads them. */
const words: ReadonlyMap<string, string> = new Map([
  ['pending', 'waits again'],
  ['merged', 'landed'],
  ['requeued', 'sent back'],
]);
