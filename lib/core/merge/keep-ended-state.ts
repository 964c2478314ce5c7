import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { describeTaskHead, pickTaskHead } from './merge-task-notes.ts';
import { isDeepEqual, type MergedNote } from './merge-values.ts';

/*
 * Corrects changes that no step of the state machines can have made. Each rule gives back what was taken away, rests on
 * the two versions alone and leaves its own result alone: so clones that merge each other's merges agree in the end.
 */

/**
 * Keeps the end of a task: a landed one stays landed, a dropped one stays dropped or is found to have landed. A clone
 * may take back an end that is known to be false. Landings taken back are counted, so that no older version of either
 * side ends the task again.
 */
export function keepTaskEnd(
  before: Task,
  after: Task,
  hasEnded: (task: Task) => boolean = () => true,
): MergedNote<Task> {
  const [undoneBefore, undoneAfter] = [before.undone ?? 0, after.undone ?? 0];
  const isReopened =
    (before.status === 'merged' && after.status !== 'merged') ||
    (before.status === 'dropped' && after.status !== 'dropped' && after.status !== 'merged');
  const isTaken = isReopened && undoneAfter <= undoneBefore && hasEnded(before);
  if (!isTaken && undoneAfter >= undoneBefore) return { value: after, lost: [] };
  const [kept, lost] = [pickTaskHead(before), pickTaskHead(after)];
  return {
    value: { ...after, ...kept },
    lost: [{ what: 'status', kept: describeTaskHead(kept), lost: describeTaskHead(lost) }],
  };
}

/**
 * A session whose spending and decisions at gates are kept: they only grow. What is archived is merged by a rule of
 * its own.
 */
export function keepSpendingAndDecisions(before: Session, after: Session): MergedNote<Session> {
  const unchanged = { value: after, lost: [] };
  if (after.archived_at !== undefined || before.archived_at !== undefined) return unchanged;
  const roles = Object.keys({ ...before.spend, ...after.spend });
  const kept = {
    ...larger(before, after),
    spend: Object.fromEntries(roles.map((role) => [role, largerSpend(before.spend[role], after.spend[role])])),
  };
  const { cost_usd, tokens, spend } = after;
  const gone = before.gates.filter((gate) => !after.gates.some((one) => isDeepEqual(one, gate)));
  const isSpent = isDeepEqual(kept, { cost_usd, tokens, spend });
  if (isSpent && gone.length === 0) return unchanged;
  return {
    value: { ...after, ...kept, gates: [...gone, ...after.gates] },
    lost: [
      ...(isSpent ? [] : [{ what: 'spent', kept: describeSums(kept), lost: describeSums(after) }]),
      ...(gone.length === 0
        ? []
        : [{ what: 'decided at gates', kept: `${gone.length} more`, lost: `${after.gates.length}` }]),
    ],
  };
}

function describeSums({ cost_usd: cost, tokens }: Sums): string {
  return `$${cost} and ${tokens} tokens`;
}

type Sums = Pick<Session, 'cost_usd' | 'tokens'>;
type Spend = Session['spend'][string];

function larger(a: Sums, b: Sums): Sums {
  return { cost_usd: Math.max(a.cost_usd, b.cost_usd), tokens: Math.max(a.tokens, b.tokens) };
}

function largerSpend(a: Spend = nothing, b: Spend = nothing): Spend {
  return { runs: Math.max(a.runs, b.runs), ...larger(a, b) };
}

const nothing: Spend = { runs: 0, cost_usd: 0, tokens: 0 };

/*
 * The archive never replaces other content: a session is archived only with all that is known of it here, and as it was
 * here. Progress that other clones made with it before is not compared.
 */

/** Whether the archive's session is the one that is here. */
export function isArchivedSessionSame(here: Session, archived: Session): boolean {
  const identity = ({ objective, base_branch, created_at, created_by }: Session): unknown => [
    objective,
    base_branch,
    created_at,
    created_by,
  ];
  return isDeepEqual(identity(here), identity(archived));
}

/** Whether the archive's task asks what the one here does; its title and what became of it may be newer on either side. */
export function isArchivedTaskSame(here: Task, archived: Task): boolean {
  const asked = ({ description, file_locks: locks }: Task): unknown => [description, locks];
  return isDeepEqual(asked(here), asked(archived));
}

/** Keeps an archived session as it was where one clone alone changed it. */
export function keepArchivedSession(before: Session, after: Session): MergedNote<Session> {
  return admitSame(before, after, isArchivedSessionSame(before, after));
}

/** Keeps a task of an archived session as it was. */
export function keepArchivedTask(before: Task, after: Task): MergedNote<Task> {
  return admitSame(before, after, isArchivedTaskSame(before, after));
}

function admitSame<T extends { readonly rev: number }>(before: T, after: T, isSameThing: boolean): MergedNote<T> {
  if (isSameThing) return { value: after, lost: [] };
  return {
    value: before,
    lost: [{ what: 'archived', kept: `revision ${before.rev}`, lost: `revision ${after.rev}` }],
  };
}
