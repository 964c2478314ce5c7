import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Proposals } from '../../domain/shown/status.ts';
import type { Decision } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { changesetsOfCycle } from '../schedule/next-action.ts';
import {
  approvalDecision,
  limitDecision,
  sessionDecision,
  taskDecision,
  verdictDecision,
} from './decisions.ts';
import { isSettled } from './filter-untrusted.ts';

/** The parts of a session that count here because a named signer signed them, by signer. */
export function listSigned(
  session: Session,
  snapshot: Pick<Snapshot, 'tasksOf' | 'verdictsOn'>,
  signedBy: (decision: Decision) => string | null,
): ReadonlyMap<string, Proposals> {
  const open = snapshot.tasksOf(session.id).filter((task) => !isSettled(task));
  const found = {
    session: signedBy(sessionDecision(session)),
    tasks: open.map((task) => ({ id: task.id, by: signedBy(taskDecision(task)) })),
    approvals: changesetsOfCycle(session)
      .filter(({ state }) => state === 'approved')
      .map((changeset) => ({ id: changeset.id, by: signedBy(approvalDecision(session, changeset)) })),
    limit: session.raised_limit === null ? null : signedBy(limitDecision(session, session.raised_limit)),
    verdicts: open.map((task) => ({ id: task.id, by: judgeOf(task, snapshot, signedBy) })),
  };
  const lists = [found.tasks, found.approvals, found.verdicts].flat().map(({ by }) => by);
  const people = [...new Set([found.session, found.limit, ...lists])].filter((by) => by !== null);
  return new Map(
    people.map((person): [string, Proposals] => {
      const idsIn = (
        list: readonly { readonly id: string; readonly by: string | null }[],
      ): readonly string[] => list.filter(({ by }) => by === person).map(({ id }) => id);
      return [
        person,
        {
          session: found.session === person,
          tasks: idsIn(found.tasks),
          approvals: idsIn(found.approvals),
          raised_limit: found.limit === person ? session.raised_limit : null,
          verdicts: idsIn(found.verdicts),
        },
      ];
    }),
  );
}

/** Signer of the verdict that a task's result rests on. */
function judgeOf(
  { session, id, commit, result }: Task,
  snapshot: Pick<Snapshot, 'verdictsOn'>,
  signedBy: (decision: Decision) => string | null,
): string | null {
  if (commit === null || result.status === null) return null;
  const verdict = snapshot
    .verdictsOn(commit)
    .findLast((one) => one.session === session && one.task === id && one.status === result.status);
  return verdict === undefined ? null : signedBy(verdictDecision(verdict));
}
