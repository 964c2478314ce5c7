import { blockingGroup } from '../../core/changesets/blocking-group.ts';
import { doubtsOf } from '../../core/changesets/compare-evidence.ts';
import { withStates } from '../../core/changesets/with-states.ts';
import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { requeueTask } from '../../core/task/task-state.ts';
import { withdraw } from '../../core/task/withdraw.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { noChangeset } from '../../domain/not-found.ts';
import type { BlockedCalls, ChangesetDecision } from '../../domain/ports/gates.ts';
import { type Changeset, isRed } from '../../domain/state/changeset.ts';
import { landsOn, type Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { saysSomething } from '../../util/says-something.ts';
import { withGate } from '../agents/ask-for-budget.ts';
import { enterWave } from '../enter-wave.ts';
import { type Recording, record, type SessionView, taskOf, viewSession } from '../record.ts';
import { onTopOf } from '../stack/on-top.ts';
import { baseTip } from '../start-point.ts';
import { needsOverride } from '../validate/run-diagnostics.ts';
import { timestamp, type Workshop } from '../workshop.ts';
import { landApproved } from './land-approved.ts';
import { placeComments, strayComment, tellStrayComments } from './place-comments.ts';

interface ReviewOutcome {
  readonly landed: number;
  /** Changesets whose landing was refused: the base moved, or they don't fit any more. */
  readonly refused: number;
}

/**
 * Wave 4, second half: each changeset is shown in dependency order and decided by a person; what was approved
 * lands in that order. Each decision is recorded before the next is asked.
 */
export async function reviewWave(
  workshop: Workshop,
  id: SessionId,
  only: string | null = null,
): Promise<ReviewOutcome> {
  const view = await enterWave(workshop, id, 'review');
  const voided = await voidMoved(workshop, view);
  if (voided > 0) return { landed: 0, refused: voided };
  const current = changesetsOfCycle(view.session);
  const waiting = current.filter(({ state }) => state === 'waiting');
  const isMeant = ({ id, group }: Changeset): boolean => only === null || group === only || id === only;
  const shown = waiting.filter(isMeant);
  // One that was approved before a stop is still to land.
  const isApproved = current.some((changeset) => changeset.state === 'approved' && isMeant(changeset));
  if (only !== null && shown.length === 0 && !isApproved) throw nothingToDecide(only, current);
  for (const [index, changeset] of shown.entries()) {
    await decideOne(workshop, id, changeset.id, { position: index + 1, total: shown.length });
  }
  return landApproved(workshop, id);
}

/** There is none of this name to decide; null: none at all. */
export function nothingToDecide(name: string | null, current: readonly Changeset[]): FlameError {
  const named = current.findLast(({ id, group }) => name !== null && (id === name || group === name));
  if (named?.state === 'skipped')
    return noChangeset(`Changeset ${named.group} was skipped; the next cycle shows it again.`, [
      'git flame run',
      `git flame show ${named.group} --diff`,
    ]);
  const waiting = current.filter(({ state }) => state === 'waiting');
  const hints = waiting.map(({ group }) => `git flame review --changeset ${group}`);
  return noChangeset(
    `No changeset${name === null ? '' : ` ${name}`} waits for a decision.`,
    hints.length === 0 ? ['git flame status'] : hints,
  );
}

/**
 * Changesets and approvals name the base they're about: when another process moved it, they are void and
 * built again.
 */
async function voidMoved(workshop: Workshop, { session }: SessionView): Promise<number> {
  const tip = await baseTip(workshop, session);
  if (tip === session.base_commit) return 0;
  const moved = changesetsOfCycle(session).filter(({ state }) => state === 'waiting' || state === 'approved');
  const why = `${landsOn(session)} moved from ${session.base_commit.slice(0, 12)} to ${tip.slice(0, 12)} since it was built`;
  await record(workshop, session.id, ({ session: now }) => ({
    session: {
      next: withStates(
        now,
        moved.map((changeset) => changeset.id),
        'void',
        why,
      ),
      subject: `changesets void: ${why}`,
    },
  }));
  for (const changeset of moved)
    workshop.events.emit({ event: 'landing-refused', changeset: changeset.id, why });
  return moved.length;
}

async function decideOne(
  workshop: Workshop,
  session: SessionId,
  changesetId: string,
  place: { readonly position: number; readonly total: number },
): Promise<void> {
  const view = await viewSession(workshop, session);
  const changeset = view.session.changesets.find(({ id }) => id === changesetId);
  if (changeset === undefined || changeset.state !== 'waiting') return;
  const blocker = blockingGroup(changesetsOfCycle(view.session), changeset);
  if (blocker !== null && blocker.state !== 'waiting') {
    const reason = `it depends on ${blocker.group}, which was not approved`;
    await decided(workshop, session, changeset, { kind: 'deferred', reason });
    return;
  }
  const tasks = changeset.tasks.map((id) => taskOf(view, id));
  const verdicts = tasks.flatMap(({ commit }) =>
    commit === null ? [] : view.snapshot.verdictsOn(commit).slice(-1),
  );
  const doubts = doubtsOf(view.snapshot, tasks);
  for (const doubt of doubts)
    workshop.events.emit({ event: 'manual-review', changeset: changeset.id, ...doubt });
  const blocked = await blockedCalls(workshop, view.session, tasks);
  const showDiff = (): Promise<string> => workshop.git.diffText(changeset.parent, changeset.commit);
  const decision = await workshop.gates.changeset({
    changeset,
    ...place,
    tasks,
    verdicts,
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(blocked.length === 0 ? {} : { blocked }),
    session: view.session,
    showDiff,
    strayComment: (comment) => strayComment(workshop, changeset, comment),
    decideOther: (id, other) => decideNow(workshop, session, id, other),
    onTop: async (id) => {
      const now = await viewSession(workshop, session);
      const meant = changesetsOfCycle(now.session).find((one) => one.id === id);
      return meant?.state === 'waiting' ? onTopOf(workshop, now, meant) : [];
    },
  });
  if (blocker !== null && decision.kind === 'approve') throw needsFirst(changeset, blocker);
  await decided(workshop, session, changeset, decision);
}

/** What the watcher refused to whoever worked on, judged or joined these tasks. */
async function blockedCalls(
  workshop: Pick<Workshop, 'agents'>,
  { agents }: Session,
  tasks: readonly Task[],
): Promise<readonly BlockedCalls[]> {
  const runs = agents.filter(({ task_id }) => tasks.some(({ id }) => id === task_id)).map(({ id }) => id);
  const workers = tasks.flatMap(({ agent_id, history }) => [
    ...history.map((attempt) => attempt.agent_id),
    agent_id,
  ]);
  const ids = new Set([...workers, ...runs].filter((id) => id !== null));
  const audits = await Promise.all(
    [...ids].map(async (agent) => ({ agent, ...(await workshop.agents.auditOf(agent)) })),
  );
  return audits.flatMap(({ agent, blocked, top }) => (blocked === 0 ? [] : [{ agent, blocked, top }]));
}

/** Out of turn: what comes before it stays undecided. */
async function decideNow(
  workshop: Workshop,
  session: SessionId,
  id: string,
  decision: ChangesetDecision,
): Promise<void> {
  const view = await viewSession(workshop, session);
  const changeset = changesetsOfCycle(view.session).find((candidate) => candidate.id === id);
  if (changeset === undefined || changeset.state !== 'waiting') throw decidedAlready(id, changeset);
  const blocker = blockingGroup(changesetsOfCycle(view.session), changeset);
  if (blocker !== null && decision.kind === 'approve') throw needsFirst(changeset, blocker);
  // Whoever was not asked about it says which commit they saw.
  if (decision.kind === 'approve') requireCommit(changeset, decision.commit ?? null);
  if (!(await decided(workshop, session, changeset, decision))) throw decidedAlready(id, changeset);
}

function decidedAlready(id: string, changeset: Changeset | undefined): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'decided-already',
    message:
      changeset === undefined
        ? `There is no changeset ${id} in this review.`
        : `Changeset ${id} was decided already.`,
    hints: ['git flame status'],
  });
}

/** A person named one changeset, and what it builds upon was not decided yet. */
function needsFirst({ group }: Changeset, blocker: Changeset): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'depends-on-undecided',
    message: `Changeset ${group} depends on ${blocker.group}, which is not decided yet.`,
    hints: [`git flame review --changeset ${blocker.group} --approve`, 'git flame review'],
  });
}

type Outcome = ChangesetDecision | { readonly kind: 'deferred'; readonly reason: string };
const stateOf = { approve: 'approved', reject: 'rejected', skip: 'skipped', deferred: 'deferred' } as const;

/** Records what became of a changeset; false: something else had become of it meanwhile, and that holds. */
async function decided(
  workshop: Workshop,
  id: SessionId,
  changeset: Changeset,
  outcome: Outcome,
): Promise<boolean> {
  const reason = reasonOf(outcome);
  const comments = outcome.kind === 'reject' ? (outcome.comments ?? []) : [];
  const tasks = await tasksOf(workshop, id, changeset);
  const placed = await placeComments(workshop, changeset, tasks, comments);
  const result = await record(workshop, id, (view): Recording | null => {
    const known = findWaiting(view.session, changeset);
    if (known === undefined) return null;
    if (outcome.kind === 'reject') requireWhy(known, outcome.reason);
    if (outcome.kind === 'approve') {
      requireCommit(known, outcome.commit);
      requireReason(known, outcome.override);
    }
    const state = stateOf[outcome.kind];
    const noted = withGate(view.session, `changeset ${changeset.id}`, outcome.kind, workshop);
    const next = withStates(noted, [changeset.id], state, reason, workshop.gates.person);
    const session = { next, subject: `changeset ${changeset.id}: ${state} by ${workshop.gates.person}` };
    if (outcome.kind !== 'reject') return { session, ...(reason === null ? {} : { body: reason }) };
    const at = timestamp(workshop);
    const steps = changeset.tasks.map((task) =>
      requeueTask(taskOf(view, task), {
        kind: 'rejected',
        notes: outcome.reason,
        at,
        comments: placed.get(task) ?? [],
        keep: outcome.keep === true,
      }),
    );
    return { session, steps: withdraw(view.tasks, steps, at), body: outcome.reason };
  });
  if (result.kind !== 'done') return false;
  await tellStrayComments(workshop, changeset, comments);
  const decision = stateOf[outcome.kind];
  workshop.events.emit({ event: 'changeset-decided', changeset: changeset.id, decision, reason });
  return true;
}

async function tasksOf(
  workshop: Pick<Workshop, 'config' | 'origins' | 'store'>,
  id: SessionId,
  changeset: Changeset,
): Promise<readonly Task[]> {
  const view = await viewSession(workshop, id);
  return changeset.tasks.map((task) => taskOf(view, task));
}

function findWaiting(session: Session, { id, commit }: Changeset): Changeset | undefined {
  return session.changesets.find(
    (known) => known.id === id && known.commit === commit && known.state === 'waiting',
  );
}

/** An approval is about one commit: what was built or received since is another. Throws FlameError `not-shown`. */
export function requireCommit(changeset: Changeset, meant: string | null | undefined): void {
  const { group, commit } = changeset;
  if (meant === undefined || (meant !== null && commit.startsWith(meant))) return;
  const now = `Changeset ${group} is at commit ${commit.slice(0, 12)}`;
  throw new FlameError({
    kind: 'refused',
    code: 'not-shown',
    message:
      meant === null
        ? `${now}, which was not shown to you here yet.`
        : `${now}, and what you saw or named is ${meant.slice(0, 12)}.`,
    hints: [
      `git flame show ${group} --diff`,
      `git flame review --changeset ${group} ${isRed(changeset) ? '--override REASON' : '--approve'} --commit ${commit.slice(0, 12)}`,
    ],
  });
}

/** However the decision came here: what is red is approved with a reason, or not at all. */
function requireReason(changeset: Changeset, override: string | undefined): void {
  if (!isRed(changeset) || saysSomething(override ?? '')) return;
  const message = `Changeset ${changeset.group} fails its diagnostics, so it is approved only with a reason.`;
  throw needsOverride(message, changeset.diagnostics, [
    `git flame show ${changeset.group}`,
    `git flame review --changeset ${changeset.group} --override REASON`,
    `git flame review --changeset ${changeset.group} --reject REASON`,
  ]);
}

/** What goes back to its agents says why. */
function requireWhy({ group }: Changeset, reason: string): void {
  if (saysSomething(reason)) return;
  throw new FlameError({
    kind: 'refused',
    code: 'needs-reason',
    message: `Changeset ${group} is rejected only with a reason, for its agents to read.`,
    hints: [`git flame review --changeset ${group} --reject REASON`],
  });
}

function reasonOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'approve':
      return outcome.override ?? null;
    case 'reject':
    case 'deferred':
      return outcome.reason;
    case 'skip':
      return null;
  }
}
