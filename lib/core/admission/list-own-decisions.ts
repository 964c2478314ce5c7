import type { AdmittedSessionView } from '../../domain/ports/store-port.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { LoggedDecision } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { isMergedOrDropped } from './filter-untrusted.ts';
import {
  listDecisionsInSession,
  toApprovalDecision,
  toLandedDecision,
  toLeftNoteDecision,
  toSessionStateDecision,
  toTaskPlanDecision,
  toTaskStateDecision,
  toVerdictDecision,
} from './make-decisions.ts';

/** The notes of a session that a transaction writes, as far as they hold decisions. */
export interface WrittenNotes {
  readonly session: Session | null;
  /** Tasks of a plan, or added. */
  readonly added: readonly Task[];
  /** Each step of a task, in order. */
  readonly changed: readonly Task[];
  readonly verdicts: readonly Verdict[];
  readonly pages: readonly BlackboardPage[];
  /** Received parts that the person accepted. */
  readonly accepted: readonly LoggedDecision[];
}

/** A session before a change. */
export type SessionBefore = Omit<AdmittedSessionView, 'snapshot' | 'unverified' | 'stored'>;

/**
 * Lists what this clone decides by a change. It acts on trusted state alone, so all that is new in it is its own; a
 * task that was only received stays a proposal.
 */
export function listOwnDecisions(before: SessionBefore, made: WrittenNotes): readonly LoggedDecision[] {
  const ours = new Set<string>(before.tasks.map(({ id }) => id));
  const taken = new Set<string>(made.accepted.filter(({ kind }) => kind === 'task').map(({ about }) => about));
  const changed = made.changed.filter(({ id }) => ours.has(id) || taken.has(id));
  const planned = changed.filter((task) => !isMergedOrDropped(task));
  // What another clone wrote about it stays with it: a person is asked before an agent sees it. No agent is shown an end.
  const standing = [
    ...[...made.added, ...planned].filter(({ id }) => taken.has(id) || !before.elsewhere.has(id)),
    ...made.changed.filter(isMergedOrDropped),
  ];
  return [
    ...[...made.added, ...planned].map(toTaskPlanDecision),
    ...standing.map(toTaskStateDecision),
    ...made.verdicts.map(toVerdictDecision),
    ...made.pages.flatMap((page) => notesBeyond(page, before.pages())),
    ...(made.session === null ? [] : freshDecisions(before, made.session)),
  ];
}

/**
 * Lists the decisions that a change supersedes: approvals that landed, were voided or rejected, landings, plans of
 * tasks that landed, were dropped or changed, and former states of tasks and of the session. An earlier state that is
 * put back later is then a proposal.
 */
export function listSupersededDecisions(before: SessionBefore, made: WrittenNotes): readonly LoggedDecision[] {
  const { session: next } = made;
  const states = new Map(next?.changesets.map(({ id, commit, state }) => [`${id} ${commit}`, state]));
  const changed = next === null ? [] : before.session.changesets;
  const left = changed.filter(({ id, commit, state }) => states.get(`${id} ${commit}`) !== state);
  const decisions = left.flatMap((changeset) => {
    if (changeset.state === 'approved') return [toApprovalDecision(before.session, changeset)];
    return changeset.state === 'landed' ? [toLandedDecision(before.session, changeset)] : [];
  });
  const known = new Map([...before.tasks, ...before.received].map((task) => [task.id, task]));
  const last = new Map(made.changed.map((task) => [task.id, task]));
  const tasks = [...last.values()].flatMap((task) => {
    const was = known.get(task.id);
    if (was === undefined) return [];
    const steps = made.changed.filter((step) => step.id === task.id && step !== task);
    const stood = [was, ...steps].map(toTaskStateDecision);
    const asked = isMergedOrDropped(task)
      ? [toTaskPlanDecision(was), toTaskPlanDecision(task)]
      : differing([toTaskPlanDecision(was)], [toTaskPlanDecision(task)]);
    return [...asked, ...differing(stood, [toTaskStateDecision(task)])];
  });
  const course =
    next === null ? [] : differing([toSessionStateDecision(before.session)], [toSessionStateDecision(next)]);
  const notes = before
    .pages()
    .filter(({ task }) => made.pages.some((page) => page.task === task))
    .flatMap((page) => notesBeyond(page, made.pages));
  return [...decisions, ...tasks, ...course, ...notes];
}

/** The notes of a page that its other versions don't have. */
function notesBeyond(page: BlackboardPage, others: readonly BlackboardPage[]): readonly LoggedDecision[] {
  const decisionsOf = (one: BlackboardPage): readonly LoggedDecision[] =>
    one.notes.map((note) => toLeftNoteDecision(one, note));
  const known = others.filter(({ task }) => task === page.task).flatMap(decisionsOf);
  return differing(decisionsOf(page), known);
}

/** The decisions that none of the others repeats. */
function differing(decisions: readonly LoggedDecision[], others: readonly LoggedDecision[]): readonly LoggedDecision[] {
  const known = new Set(others.map((decision) => canonicalDigest(decision)));
  return decisions.filter((decision) => !known.has(canonicalDigest(decision)));
}

/** Lists the decisions new in a session; those of its former version and of its changesets are not repeated. */
function freshDecisions({ session: seen, isOurs }: SessionBefore, next: Session): readonly LoggedDecision[] {
  const changesets = next.changesets.filter((changeset) => !seen.changesets.includes(changeset));
  const isMade = ({ kind }: LoggedDecision): boolean => isOurs || (kind !== 'session' && kind !== 'course');
  return listDecisionsInSession({ ...next, changesets }).filter(isMade);
}

/** A session as it is stored, without unverified completions, and without proposals too. */
export interface FilterStages {
  readonly raw: Session;
  readonly verified: Session;
  /** The verified one with changesets of withdrawn work void. */
  readonly stored: Session;
  readonly admitted: Session;
}

/** Re-adds to a next session what was filtered out of the one it was made of: nothing was decided about that. */
export function restoreFiltered(next: Session, { raw, verified, stored, admitted }: FilterStages): Session {
  return withUnverified(withProposals(next, admitted, stored), verified, raw);
}

function withProposals(next: Session, seen: Session, stored: Session): Session {
  const isPlannedAlike = next.replan_notes === seen.replan_notes && next.sent_back === seen.sent_back;
  const { landing, sent_back, ...rest } = next;
  const lands = landing === seen.landing ? stored.landing : landing;
  const back = isPlannedAlike ? stored.sent_back : sent_back;
  return {
    ...rest,
    ...(lands === undefined ? {} : { landing: lands }),
    ...(back === undefined ? {} : { sent_back: back }),
    replan_notes: isPlannedAlike ? stored.replan_notes : next.replan_notes,
    ...unlessChanged(['wave', 'raised_limit', 'checkout', 'pauses'], { next, seen, before: stored }),
    changesets: withOriginals(next, seen, stored),
  };
}

/** A next session in another wave or cycle decides that it goes on: it is open again for all clones. */
function withUnverified(next: Session, seen: Session, raw: Session): Session {
  if (seen === raw) return next;
  const changesets = withOriginals(next, seen, raw);
  const keys = ['cycle', 'wave', 'state', 'replans', 'proposal'] as const;
  const isSame = keys.every((key) => next[key] === seen[key]);
  return { ...next, changesets, ...(isSame ? unlessChanged(keys, { next, seen, before: raw }) : {}) };
}

function unlessChanged<Key extends keyof Session>(
  keys: readonly Key[],
  { next, seen, before }: Readonly<Record<'next' | 'seen' | 'before', Session>>,
): Partial<Session> {
  return Object.fromEntries(keys.map((key) => [key, (next[key] === seen[key] ? before : next)[key]]));
}

function withOriginals(next: Session, seen: Session, before: Session): Session['changesets'] {
  const original = new Map(seen.changesets.map((changeset, at) => [changeset, before.changesets[at]]));
  return next.changesets.map((changeset) => original.get(changeset) ?? changeset);
}
