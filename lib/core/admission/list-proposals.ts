import type { AdmittedSession, AdmittedSnapshot, Snapshot } from '../../domain/ports/store-port.ts';
import type { LoggedDecision } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Proposals } from '../../domain/view-models/status-view.ts';
import { listChangesetsOfCycle } from '../schedule/next-action.ts';
import { isMergedOrDropped } from './filter-untrusted.ts';
import {
  toApprovalDecision,
  toObjectiveDecision,
  toRaisedLimitDecision,
  toTaskPlanDecision,
  toVerdictDecision,
} from './make-decisions.ts';

/** Lists the decisions of another clone about a session that no person of this clone has decided about. */
export function listProposals(
  stored: Session,
  admitted: AdmittedSession,
  snapshot: Pick<Snapshot, 'tasksOf'>,
): Proposals {
  const judged = new Map(admitted.tasks.map((task) => [task.id, task.result.status]));
  const approved = new Set(
    listChangesetsOfCycle(admitted.session).flatMap(({ id, state }) => (state === 'approved' ? [id] : [])),
  );
  const isOpen = stored.state !== 'ended';
  return {
    session: isOpen && !admitted.isOurs,
    tasks: isOpen ? admitted.received.map(({ id }) => id) : [],
    approvals: listChangesetsOfCycle(stored)
      .filter(({ id, state }) => state === 'approved' && !approved.has(id))
      .map(({ id }) => id),
    raised_limit: stored.raised_limit === admitted.session.raised_limit ? null : stored.raised_limit,
    verdicts: snapshot
      .tasksOf(stored.id)
      .filter(({ id, result }) => judged.has(id) && judged.get(id) !== result.status)
      .map(({ id }) => id),
  };
}

/** True if no proposal waits for a decision. */
function isEmpty({ session, tasks, approvals, raised_limit, verdicts }: Proposals): boolean {
  return !session && raised_limit === null && tasks.length + approvals.length + verdicts.length === 0;
}

/** The proposals of all sessions that are open. */
export function listProposalsBySession(snapshot: AdmittedSnapshot): ReadonlyMap<string, Proposals> {
  const listed = snapshot.sessions
    .filter(({ state, archived_at }) => state !== 'ended' && archived_at === undefined)
    .map((one) => [one.id, listProposals(one, snapshot.admitted(one.id), snapshot)] as const);
  return new Map(listed.filter(([, proposals]) => !isEmpty(proposals)));
}

/** Lists the proposals that were not there before. */
export function listNewProposals(
  before: ReadonlyMap<string, Proposals>,
  after: ReadonlyMap<string, Proposals>,
): ReadonlyMap<string, Proposals> {
  const fresh = [...after].map(([id, now]): [string, Proposals] => {
    const then = before.get(id);
    if (then === undefined) return [id, now];
    const added = (list: readonly string[], known: readonly string[]): readonly string[] =>
      list.filter((one) => !known.includes(one));
    return [
      id,
      {
        session: now.session && !then.session,
        tasks: added(now.tasks, then.tasks),
        approvals: added(now.approvals, then.approvals),
        raised_limit: now.raised_limit === then.raised_limit ? null : now.raised_limit,
        verdicts: added(now.verdicts, then.verdicts),
      },
    ];
  });
  return new Map(fresh.filter(([, proposals]) => !isEmpty(proposals)));
}

/** The parts of a session that count here because a named signer signed them, by signer. */
export function listPartsBySigner(
  session: Session,
  snapshot: Pick<Snapshot, 'tasksOf' | 'verdictsOn'>,
  signedBy: (decision: LoggedDecision) => string | null,
): ReadonlyMap<string, Proposals> {
  const open = snapshot.tasksOf(session.id).filter((task) => !isMergedOrDropped(task));
  const found = {
    session: signedBy(toObjectiveDecision(session)),
    tasks: open.map((task) => ({ id: task.id, by: signedBy(toTaskPlanDecision(task)) })),
    approvals: listChangesetsOfCycle(session)
      .filter(({ state }) => state === 'approved')
      .map((changeset) => ({ id: changeset.id, by: signedBy(toApprovalDecision(session, changeset)) })),
    limit: session.raised_limit === null ? null : signedBy(toRaisedLimitDecision(session, session.raised_limit)),
    verdicts: open.map((task) => ({ id: task.id, by: judgeOf(task, snapshot, signedBy) })),
  };
  const lists = [found.tasks, found.approvals, found.verdicts].flat().map(({ by }) => by);
  const people = [...new Set([found.session, found.limit, ...lists])].filter((by) => by !== null);
  return new Map(
    people.map((person): [string, Proposals] => {
      const idsIn = (list: readonly { readonly id: string; readonly by: string | null }[]): readonly string[] =>
        list.filter(({ by }) => by === person).map(({ id }) => id);
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
  signedBy: (decision: LoggedDecision) => string | null,
): string | null {
  if (commit === null || result.status === null) return null;
  const verdict = snapshot
    .verdictsOn(commit)
    .findLast((one) => one.session === session && one.task === id && one.status === result.status);
  return verdict === undefined ? null : signedBy(toVerdictDecision(verdict));
}
