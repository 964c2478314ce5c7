import type { Decision } from '../domain/origins.ts';
import type { Session } from '../domain/session.ts';
import type { Task } from '../domain/task.ts';
import type { Verdict } from '../domain/verdict.ts';
import {
  approvalDecision,
  builtDecision,
  checkoutDecision,
  limitDecision,
  replanDecision,
  sessionDecision,
  taskDecision,
  verdictDecision,
} from './decisions.ts';
import type { HeededSession } from './heed-decisions.ts';

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
  const changed = made.changed.filter(({ id }) => ours.has(id));
  return [
    ...made.vouched,
    ...[...made.added, ...changed].map(taskDecision),
    ...(made.verdict === null ? [] : [verdictDecision(made.verdict)]),
    ...(made.session === null ? [] : sessionDecisions(before, made.session)),
  ];
}

function sessionDecisions({ session: seen, isOurs }: HeededSession, next: Session): readonly Decision[] {
  const { raised_limit: raised, checkout } = next;
  const told = isToldAlike(next, seen) ? null : replanDecision(next);
  const changed = next.changesets.filter((changeset) => !seen.changesets.includes(changeset));
  return [
    ...(isOurs ? [sessionDecision(next)] : []),
    ...(raised === null || raised === seen.raised_limit ? [] : [limitDecision(next, raised)]),
    ...(told === null ? [] : [told]),
    ...(checkout === null || checkout === seen.checkout ? [] : [checkoutDecision(next, checkout)]),
    ...changed.flatMap((changeset) => [
      builtDecision(next, changeset),
      ...(changeset.state === 'approved' ? [approvalDecision(next, changeset)] : []),
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
    raised_limit: next.raised_limit === seen.raised_limit ? stored.raised_limit : next.raised_limit,
    checkout: next.checkout === seen.checkout ? stored.checkout : next.checkout,
    changesets: next.changesets.map((changeset) => original.get(changeset) ?? changeset),
  };
}

function isToldAlike(next: Session, seen: Session): boolean {
  return next.replan_notes === seen.replan_notes && next.sent_back === seen.sent_back;
}
