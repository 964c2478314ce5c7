import {
  listOwnDecisions,
  listSupersededDecisions,
  restoreFiltered,
  type SessionBefore,
  type WrittenNotes,
} from '../../core/admission/list-own-decisions.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { AdmittedSnapshot, Snapshot, StateChange, Transaction } from '../../domain/ports/store-port.ts';
import type { DecisionLog, LoggedDecision } from '../../domain/state/decision-log.ts';
import type { Task } from '../../domain/state/task-schema.ts';

/** A transaction whose decisions are recorded, with what was filtered out of its sessions in it again. */
interface Recorded {
  readonly transaction: Transaction;
  /** Records what the transaction used up or took back; to be called once it is done. */
  readonly supersede: () => void;
}

interface Sides {
  readonly seen: AdmittedSnapshot;
  readonly raw: Snapshot;
}

/** Records what is decided by a transaction, before its refs move. Throws what DecisionLog.record throws. */
export function recordTransactionDecisions(transaction: Transaction, sides: Sides, decided: DecisionLog): Recorded {
  const { changes, accepted = [], ...rest } = transaction;
  const ids = new Set(changes.map(sessionOf).filter((id) => id !== null));
  const made = [...ids].flatMap((id) => {
    const own = changes.filter((change) => sessionOf(change) === id);
    const before = stateBefore(id, own, sides.seen);
    const about = accepted.filter(({ session }) => session === id);
    return before === null ? [] : [{ before, made: madeBy(own, before, about) }];
  });
  decided.record([...accepted, ...made.flatMap((one) => listOwnDecisions(one.before, one.made))]);
  return {
    transaction: {
      ...rest,
      changes: changes.map((change) => restored(change, sides)),
      isOwn: made.length === ids.size,
    },
    supersede: () => decided.supersede(made.flatMap((one) => listSupersededDecisions(one.before, one.made))),
  };
}

/** The session that a change decides about; null: it decides nothing. */
function sessionOf({ tasks = [], session, verdict, page }: StateChange): SessionId | null {
  return tasks[0]?.session ?? session?.id ?? verdict?.session ?? page?.session ?? null;
}

/** null: there is no such session, and none is begun. */
function stateBefore(id: SessionId, changes: readonly StateChange[], seen: AdmittedSnapshot): SessionBefore | null {
  if (seen.sessions.some((session) => session.id === id)) return seen.admitted(id);
  const session = changes.find((change) => change.session !== undefined)?.session;
  const nothing = { tasks: [], received: [], elsewhere: new Set<string>(), pages: () => [] };
  return session === undefined ? null : { session, isOurs: true, ...nothing };
}

function madeBy(
  changes: readonly StateChange[],
  { tasks, received }: SessionBefore,
  accepted: readonly LoggedDecision[],
): WrittenNotes {
  const known = new Set<string>([...tasks, ...received].map(({ id }) => id));
  const written = changes.flatMap((change) => change.tasks ?? []);
  const first = new Map([...written].reverse().map((task) => [task.id, task]));
  const isNew = (task: Task): boolean => !known.has(task.id) && first.get(task.id) === task;
  return {
    session: changes.findLast(({ session }) => session !== undefined)?.session ?? null,
    added: written.filter(isNew),
    changed: written.filter((task) => !isNew(task)),
    verdicts: changes.flatMap(({ verdict }) => verdict ?? []),
    pages: changes.flatMap(({ page }) => page ?? []),
    accepted,
  };
}

function restored(change: StateChange, { seen, raw }: Sides): StateChange {
  const { session } = change;
  const [verified, stored] = [seen, raw].map(({ sessions }) => sessions.find(({ id }) => id === session?.id));
  if (session === undefined || verified === undefined || stored === undefined) return change;
  const admitted = seen.admitted(session.id);
  const sides = { raw: stored, verified, stored: admitted.stored, admitted: admitted.session };
  return { ...change, session: restoreFiltered(session, sides) };
}
