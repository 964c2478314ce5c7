import { changeChangesets, findLandedChangeset } from '../../core/changesets/changeset-decision.ts';
import { applyTaskChanges } from '../../core/task/block-dependents.ts';
import { markTaskMerged } from '../../core/task/task-outcome.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import { type ObjectId, parseRefName, type SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { findLandingBranch, findPendingCheckout } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { ReviewNote } from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-names.ts';
import { turnRemarksIntoNotes } from '../blackboard/leave-note.ts';
import { changesetRef } from '../merge/merge-wave.ts';
import {
  decideAndRecord,
  type RecordContext,
  requireTaskInView,
  type SessionView,
  viewSession,
} from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import {
  computeLandingUndo,
  findWorkStartedOnLanding,
  type LandingUndoChanges,
  type StartCommitsOnLanding,
} from './plan-landing-undo.ts';
import { type ChangesetToProve, isStillApproved } from './prove-landing.ts';
import { pickLandingEntry, withLandingBranch } from './shape-landing.ts';

/**
 * One transaction over the base, the tasks, the review and the session. `moved`: the base was elsewhere. `undecided`: what
 * was proven is not what is approved any more.
 */
export async function commitLandingTransaction(
  context: RecordContext & Pick<RunContext, 'git' | 'place'>,
  id: SessionId,
  { proven, tip, commit }: { readonly proven: ChangesetToProve; readonly tip: ObjectId; readonly commit: ObjectId },
): Promise<'landed' | 'moved' | 'undecided'> {
  const { changeset } = proven;
  const [parent] = (await context.git.readCommit(commit)).parents;
  const onto = parent === tip ? {} : { landed_onto: tip };
  const isWhole = context.config.project.landing_style === 'merge';
  const landedAs = isWhole ? {} : { as: commit };
  const keptRef = changesetRef(id, changeset.id);
  const kept = await context.git.resolveCommit(keptRef);
  const at = timestamp(context);
  const above = await aboveTakenBack(context, id, proven.tasks);
  const result = await decideAndRecord(context, id, (view) => {
    if (!isStillApproved(view, proven)) return null;
    const { session } = view;
    const tasks = changeset.tasks.map((task) => requireTaskInView(view, task));
    const { reason } = changeset;
    const landed = changeChangesets(session, [changeset.id], (known) => {
      return { ...known, state: 'landed', reason, landed_commit: commit, ...onto };
    });
    const from = findPendingCheckout(context, session)?.from ?? tip;
    const checkout = { from, to: commit, place: context.place };
    const destined = withLandingBranch(context, session);
    const branch = findLandingBranch(destined);
    const isNew = branch !== findLandingBranch(session);
    const merged = { ...landed, base_commit: commit, ...pickLandingEntry(destined), checkout };
    const notes = turnRemarksIntoNotes(view, changeset, { at, place: context.place });
    const back = takenBackBy(context, { ...view, session: merged }, { tasks, above });
    return {
      steps: [...tasks.map((task) => markTaskMerged(task, { into: branch, ...landedAs })), ...back.steps],
      session: {
        next: back.session,
        subject: `changeset ${changeset.id}: landed on ${branch} as ${shortId(commit)}`,
      },
      ...(notes === null ? {} : { notes }),
      reviews: [{ commit, note: reviewNote(context, view, changeset, { base: tip, at }) }, ...back.reviews],
      refs: [
        { ref: parseRefName(`refs/heads/${branch}`), old: isNew ? null : tip, new: commit },
        ...(kept === null ? [] : [{ ref: keptRef, old: kept, new: null }]),
      ],
    };
  });
  return result.kind === 'ref-moved' ? 'moved' : result.kind === 'nothing' ? 'undecided' : 'landed';
}

/** Finished work upon the landings that these tasks take back, by the landings. */
async function aboveTakenBack(
  context: RecordContext & Pick<RunContext, 'git'>,
  id: SessionId,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, StartCommitsOnLanding>> {
  const above = new Map<string, StartCommitsOnLanding>();
  if (!tasks.some(({ takes_back: back }) => back !== undefined)) return above;
  const view = await viewSession(context, id);
  const landing = new Set<string>(tasks.map(({ id }) => id));
  const others = { tasks: view.tasks.filter(({ id }) => !landing.has(id)) };
  for (const { takes_back: back } of tasks) {
    const changeset = back === undefined ? undefined : findLandedChangeset(view.session, back.changeset);
    if (changeset !== undefined) above.set(changeset.id, await findWorkStartedOnLanding(context, others, changeset));
  }
  return above;
}

/** Effects of a landing on tasks, and reviews, of the landings it takes back. */
function takenBackBy(
  context: Pick<RunContext, 'gates' | 'now'>,
  view: SessionView,
  { tasks, above }: { readonly tasks: readonly Task[]; readonly above: ReadonlyMap<string, StartCommitsOnLanding> },
): LandingUndoChanges {
  let { session, tasks: now } = view;
  const steps: TaskChange[] = [];
  const reviews: LandingUndoChanges['reviews'][number][] = [];
  for (const { takes_back: back } of tasks) {
    const changeset = back === undefined ? undefined : findLandedChangeset(session, back.changeset);
    if (back === undefined || changeset === undefined) continue;
    const undone = computeLandingUndo(
      context,
      { ...view, session, tasks: now },
      { changeset, wish: back, above: above.get(changeset.id) ?? new Map() },
    );
    session = undone.session;
    // A task that began upon two of them stands on both.
    now = applyTaskChanges(now, undone.steps);
    steps.push(...undone.steps);
    reviews.push(...undone.reviews);
  }
  return { session, steps, reviews };
}

function reviewNote(
  context: Pick<RunContext, 'gates'>,
  view: SessionView,
  changeset: Changeset,
  { base, at }: { readonly base: ObjectId; readonly at: string },
): ReviewNote {
  const tasks = changeset.tasks.map((id) => requireTaskInView(view, id));
  const spent = (pick: (entry: (typeof tasks)[number]['history'][number]) => number): number =>
    tasks.reduce((sum, task) => sum + task.history.reduce((total, entry) => total + pick(entry), 0), 0);
  return {
    v: 1,
    rev: 1,
    session: view.session.id,
    group: changeset.group,
    tasks: tasks.flatMap(({ id, title, commit, result }) =>
      commit === null ? [] : [{ id, title, commit, verdict: result.status, ...overrideOf(view, commit) }],
    ),
    decision: 'approved',
    by: changeset.decided_by ?? context.gates.person,
    at,
    base,
    approved_commit: changeset.commit,
    ...(changeset.remarks === undefined ? {} : { comments: changeset.remarks }),
    override: changeset.reason,
    cost_usd: spent(({ cost_usd: cost }) => cost),
    tokens: spent(({ tokens_used: tokens }) => tokens),
  };
}

function overrideOf({ snapshot }: SessionView, commit: ObjectId): { readonly override?: string } {
  const override = snapshot.verdictsOn(commit).at(-1)?.override;
  return override === undefined ? {} : { override };
}
