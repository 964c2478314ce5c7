import type { Decision } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import {
  approvalDecision,
  builtDecision,
  checkoutDecision,
  courseDecision,
  landedDecision,
  limitDecision,
  pauseDecision,
  replanDecision,
  sessionDecision,
  standingDecision,
  taskDecision,
  verdictDecision,
} from './decisions.ts';
import { type HeededSession, isSettled } from './filter-untrusted.ts';

/** What a transaction writes, as far as anything is decided by it. */
export interface Made {
  readonly session: Session | null;
  /** Tasks of a plan, or added. */
  readonly added: readonly Task[];
  readonly changed: readonly Task[];
  readonly verdict: Verdict | null;
  /** What the person said about what was received. */
  readonly vouched: readonly Decision[];
}

/**
 * What this clone decides by a change. It only ever acts on what counts here, so whatever is new in it is its own; a
 * task that was only received stays that, whatever happens to it.
 */
export function decisionsMade(before: HeededSession, made: Made): readonly Decision[] {
  const ours = new Set<string>(before.tasks.map(({ id }) => id));
  const taken = new Set<string>(made.vouched.filter(({ kind }) => kind === 'task').map(({ about }) => about));
  const changed = made.changed.filter(({ id }) => ours.has(id) || taken.has(id));
  const planned = changed.filter((task) => !isSettled(task));
  // What another clone wrote about it stays with it: a person is asked before an agent sees it. No agent is shown an end.
  const standing = [
    ...[...made.added, ...planned].filter(({ id }) => taken.has(id) || !before.elsewhere.has(id)),
    ...made.changed.filter(isSettled),
  ];
  return [
    ...made.vouched,
    ...[...made.added, ...planned].map(taskDecision),
    ...standing.map(standingDecision),
    ...(made.verdict === null ? [] : [verdictDecision(made.verdict)]),
    ...(made.session === null ? [] : sessionDecisions(before, made.session)),
  ];
}

/**
 * What a change used up or took back: approvals that landed, were voided or rejected, landings, what was asked of tasks
 * that landed, were dropped or are asked otherwise now, how tasks stood and where the session was. An earlier
 * state that is put back later is then a proposal.
 */
export function decisionsSettled(before: HeededSession, made: Made): readonly Decision[] {
  const { session: next } = made;
  const states = new Map(next?.changesets.map(({ id, commit, state }) => [`${id} ${commit}`, state]));
  const approvals = before.session.changesets
    .filter(({ state }) => next !== null && state === 'approved')
    .filter(({ id, commit }) => states.get(`${id} ${commit}`) !== 'approved')
    .map((changeset) => approvalDecision(before.session, changeset));
  const landings = before.session.changesets
    .filter(({ state }) => next !== null && state === 'landed')
    .filter(({ id, commit }) => states.get(`${id} ${commit}`) !== 'landed')
    .map((changeset) => landedDecision(before.session, changeset));
  const known = new Map([...before.tasks, ...before.received].map((task) => [task.id, task]));
  const last = new Map(made.changed.map((task) => [task.id, task]));
  const tasks = [...last.values()].flatMap((task) => {
    const was = known.get(task.id);
    if (was === undefined) return [];
    const steps = made.changed.filter((step) => step.id === task.id && step !== task);
    const stood = [was, ...steps].map(standingDecision);
    const asked = isSettled(task)
      ? [taskDecision(was), taskDecision(task)]
      : replaced([taskDecision(was)], taskDecision(task));
    return [...asked, ...replaced(stood, standingDecision(task))];
  });
  const course = next === null ? [] : replaced([courseDecision(before.session)], courseDecision(next));
  return [...approvals, ...landings, ...tasks, ...course];
}

/** The decisions that the one which holds now took the place of. */
function replaced(earlier: readonly Decision[], now: Decision): readonly Decision[] {
  const others = earlier.filter((decision) => !hasSameFacts(decision, now));
  if (others.length === 0) return [];
  const digest = canonicalDigest(now);
  return others.filter((decision) => canonicalDigest(decision) !== digest);
}

/** Whether nothing was even made anew: what a step leaves alone it hands on as it is. false doesn't say that they differ. */
function hasSameFacts({ facts: one }: Decision, { facts: other }: Decision): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => name in other && one[name] === other[name])
  );
}

function sessionDecisions({ session: seen, isOurs }: HeededSession, next: Session): readonly Decision[] {
  const { raised_limit: raised, checkout } = next;
  const told = isToldAlike(next, seen) ? null : replanDecision(next);
  const changed = next.changesets.filter((changeset) => !seen.changesets.includes(changeset));
  return [
    ...(isOurs ? [sessionDecision(next), courseDecision(next)] : []),
    ...(raised === null || raised === seen.raised_limit ? [] : [limitDecision(next, raised)]),
    ...(told === null ? [] : [told]),
    ...(checkout === null || checkout === seen.checkout ? [] : [checkoutDecision(next, checkout)]),
    ...next.pauses.filter((pause) => !seen.pauses.includes(pause)).map((pause) => pauseDecision(next, pause)),
    ...changed.flatMap((changeset) => [
      builtDecision(next, changeset),
      ...(changeset.state === 'approved' ? [approvalDecision(next, changeset)] : []),
      ...(changeset.state === 'landed' ? [landedDecision(next, changeset)] : []),
    ]),
  ];
}

/** A next session with what was taken out of the one that was seen put back, where nothing was decided about it. */
export function restoreUnheeded(
  next: Session,
  { seen, stored }: { readonly seen: Session; readonly stored: Session },
): Session {
  const { landing, sent_back, ...rest } = next;
  const lands = landing === seen.landing ? stored.landing : landing;
  const told = isToldAlike(next, seen) ? stored : next;
  const original = new Map(seen.changesets.map((changeset, index) => [changeset, stored.changesets[index]]));
  return {
    ...rest,
    ...(lands === undefined ? {} : { landing: lands }),
    ...(told.sent_back === undefined ? {} : { sent_back: told.sent_back }),
    replan_notes: told.replan_notes,
    wave: next.wave === seen.wave ? stored.wave : next.wave,
    raised_limit: next.raised_limit === seen.raised_limit ? stored.raised_limit : next.raised_limit,
    checkout: next.checkout === seen.checkout ? stored.checkout : next.checkout,
    pauses: next.pauses === seen.pauses ? stored.pauses : next.pauses,
    changesets: next.changesets.map((changeset) => original.get(changeset) ?? changeset),
  };
}

function isToldAlike(next: Session, seen: Session): boolean {
  return next.replan_notes === seen.replan_notes && next.sent_back === seen.sent_back;
}
