import { blockingGroup } from '../../core/changesets/blocking-group.ts';
import { doubtsOf } from '../../core/changesets/compare-evidence.ts';
import { withStates } from '../../core/changesets/with-states.ts';
import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { noChangeset } from '../../domain/not-found.ts';
import type { BlockedCalls } from '../../domain/ports/gates.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { landsOn, type Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { shortId } from '../../util/short-id.ts';
import { enterWave } from '../enter-wave.ts';
import { isDecidedElsewhere } from '../machines/review-word.ts';
import { tendMachines } from '../machines/tend-machines.ts';
import { type AheadWatch, lookingAhead } from '../radar/watch-ahead.ts';
import { type Recorder, record, type SessionView, taskOf, viewSession } from '../record.ts';
import { onTopOf } from '../stack/on-top.ts';
import { baseTip } from '../start-point.ts';
import type { Workshop } from '../workshop.ts';
import { excludingOf } from './excluding.ts';
import { landApproved } from './land-approved.ts';
import { strayComment } from './place-comments.ts';
import { decideNow, needsFirst, recordDecision } from './record-decision.ts';
import { comparedToSeen } from './since-seen.ts';

interface ReviewOutcome {
  readonly landed: number;
  /** Changesets whose landing was refused: the base moved, or they don't fit any more. */
  readonly refused: number;
}

/**
 * Wave 4, second half: each changeset is shown in dependency order and decided by a person; what was approved
 * lands in that order. Each decision is recorded before the next is asked.
 */
export function reviewWave(
  workshop: Workshop,
  id: SessionId,
  only: string | null = null,
): Promise<ReviewOutcome> {
  return lookingAhead(workshop, (radar) => decideAll(workshop, id, { only, radar }));
}

async function decideAll(
  workshop: Workshop,
  id: SessionId,
  { only, radar }: { readonly only: string | null; readonly radar: AheadWatch },
): Promise<ReviewOutcome> {
  await tendMachines(workshop, id);
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
    await decideOrAwait(workshop, id, changeset.id, { position: index + 1, total: shown.length, radar });
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
async function voidMoved(
  workshop: Recorder & Pick<Workshop, 'git'>,
  { session }: SessionView,
): Promise<number> {
  const tip = await baseTip(workshop, session);
  if (tip === session.base_commit) return 0;
  const moved = changesetsOfCycle(session).filter(({ state }) => state === 'waiting' || state === 'approved');
  const why = `${landsOn(session)} moved from ${shortId(session.base_commit)} to ${shortId(tip)} since it was built`;
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

interface Turn {
  readonly position: number;
  readonly total: number;
  readonly radar: AheadWatch;
}

/** Where no person can be asked here, and a machine is there whose person's decisions count, that one is waited for. */
async function decideOrAwait(
  workshop: Workshop,
  session: SessionId,
  changeset: string,
  turn: Turn,
): Promise<void> {
  try {
    await decideOne(workshop, session, changeset, turn);
  } catch (error) {
    const isWaiting = error instanceof FlameError && error.kind === 'waiting';
    if (!isWaiting || !(await isDecidedElsewhere(workshop, session, changeset))) throw error;
  }
}

/** Shows one changeset and records what the person decides; one that is decided already is left alone. */
export async function decideOne(
  workshop: Workshop,
  session: SessionId,
  changesetId: string,
  { radar, ...place }: Turn,
): Promise<void> {
  const view = await viewSession(workshop, session);
  // While the person reads.
  radar.look(view);
  const changeset = view.session.changesets.find(({ id }) => id === changesetId);
  if (changeset === undefined || changeset.state !== 'waiting') return;
  const blocker = blockingGroup(changesetsOfCycle(view.session), changeset);
  if (blocker !== null && blocker.state !== 'waiting') {
    const reason = `it depends on ${blocker.group}, which was not approved`;
    await recordDecision(workshop, session, changeset, { kind: 'deferred', reason });
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
  const since = await comparedToSeen(workshop, view.session, { changeset, tasks });
  const decision = await workshop.gates.changeset({
    changeset,
    ...place,
    tasks,
    verdicts,
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(blocked.length === 0 ? {} : { blocked }),
    ...(since === null ? {} : { since, showInterdiff: () => workshop.git.diffText(since.from, since.to) }),
    session: view.session,
    ...(workshop.config.project.landing_style === 'rebase'
      ? {}
      : { showMessage: async () => (await workshop.git.readCommit(changeset.commit)).message }),
    showDiff,
    strayComment: (comment) => strayComment(workshop, changeset, comment),
    decideOther: (id, other) => decideNow(workshop, session, id, other),
    onTop: async (id) => {
      const now = await viewSession(workshop, session);
      const meant = changesetsOfCycle(now.session).find((one) => one.id === id);
      return meant?.state === 'waiting' ? onTopOf(workshop, now, meant) : [];
    },
    excluding: async (id) => {
      const { session: now } = await viewSession(workshop, session);
      const meant = changesetsOfCycle(now).find((one) => one.id === id);
      return meant?.state === 'waiting' ? excludingOf(workshop, now, meant) : [];
    },
  });
  if (blocker !== null && decision.kind === 'approve') throw needsFirst(changeset, blocker);
  await recordDecision(workshop, session, changeset, decision);
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
