import { undoable } from '../../core/changesets/changeset-decision.ts';
import { doubtsOf } from '../../core/changesets/evidence.ts';
import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { BlockedCalls, ChangesetQuestion, Excluding } from '../../domain/ports/changeset-question.ts';
import type { GitCommits, GitTrials } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { blockingGroup } from '../../domain/state/changeset-facts.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { shortId } from '../../util/short-names.ts';
import type { AheadWatch } from '../conflict-detection/watch-conflicts.ts';
import { messageProblem } from '../merge/changeset-message.ts';
import { type SessionView, taskOf, viewSession } from '../record.ts';
import type { WithGit, Workshop } from '../run-context.ts';
import { onTopOf } from '../stacking/rebase-stacked.ts';
import { linesOf } from './apply-suggestions.ts';
import { comparedToSeen } from './changes-since-seen.ts';
import { decideNow, performDecision } from './perform-decision.ts';
import { strayComment } from './place-comments.ts';
import { recordDecision } from './record-decision.ts';
import { undoDecision, undoIfStill } from './undo-decision.ts';

/** Position of a changeset among those that are asked about, and the watch for conflicts meanwhile. */
export interface Turn {
  readonly position: number;
  readonly total: number;
  readonly radar: AheadWatch;
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
  const decision = await workshop.gates.changeset({
    ...(await shownOf(workshop, view, changeset)),
    ...place,
    ...asking(workshop, session),
  });
  if (decision.kind === 'undo') return undoIfStill(workshop, session, decision.changeset, decision);
  await performDecision(workshop, session, changeset, decision);
}

/** Facts about a changeset that the person is shown. */
async function shownOf(
  workshop: Workshop,
  view: SessionView,
  changeset: Changeset,
): Promise<Omit<ChangesetQuestion, 'position' | 'total' | 'decideOther'>> {
  const tasks = changeset.tasks.map((id) => taskOf(view, id));
  const verdicts = tasks.flatMap(({ commit }) =>
    commit === null ? [] : view.snapshot.verdictsOn(commit).slice(-1),
  );
  const doubts = doubtsOf(view.snapshot, tasks);
  for (const doubt of doubts)
    workshop.events.emit({ event: 'manual-review', changeset: changeset.id, ...doubt });
  await tellAmended(workshop, tasks);
  const blocked = await blockedCalls(workshop, view.session, tasks);
  const since = await comparedToSeen(workshop, view.session, { changeset, tasks });
  return {
    changeset,
    tasks,
    verdicts,
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(blocked.length === 0 ? {} : { blocked }),
    ...(since === null ? {} : { since, showInterdiff: () => workshop.git.diffText(since.from, since.to) }),
    session: view.session,
    ...(workshop.config.project.landing_style === 'rebase'
      ? {}
      : { showMessage: async () => (await workshop.git.readCommit(changeset.commit)).message }),
    showDiff: () => workshop.git.diffText(changeset.parent, changeset.commit),
    strayComment: (comment) => strayComment(workshop, changeset, comment),
    linesOf: (path, range) => linesOf(workshop, changeset.commit, path, range),
  };
}

/** Questions and decisions for any changeset of the review. */
function asking(
  workshop: Workshop,
  session: SessionId,
): Pick<
  ChangesetQuestion,
  'decideOther' | 'undoable' | 'takeBack' | 'onTop' | 'messageOf' | 'checkMessage' | 'excluding'
> {
  const waiting = async (id: string): Promise<{ view: SessionView; changeset: Changeset } | null> => {
    const view = await viewSession(workshop, session);
    const changeset = changesetsOfCycle(view.session).find((one) => one.id === id);
    return changeset?.state === 'waiting' ? { view, changeset } : null;
  };
  return {
    decideOther: (id, other) => decideNow(workshop, session, id, other),
    undoable: async () => undoable((await viewSession(workshop, session)).session),
    takeBack: async (id, where) => {
      await undoDecision(workshop, session, id, { where });
    },
    onTop: async (id, tasks) => {
      const now = await waiting(id);
      if (now === null) return [];
      const meant = now.changeset.tasks.filter((task) => tasks?.includes(task) ?? true);
      return onTopOf(workshop, now.view, { tasks: meant });
    },
    messageOf: async (id) => {
      const now = await waiting(id);
      const isTheirs = workshop.config.project.landing_style === 'rebase';
      return now === null || isTheirs ? null : (await workshop.git.readCommit(now.changeset.commit)).message;
    },
    checkMessage: async (id, message) => {
      const now = await waiting(id);
      return now === null ? null : messageProblem(workshop.config, now.view.session, { ...now, message });
    },
    excluding: async (id) => {
      const now = await waiting(id);
      return now === null ? [] : excludingOf(workshop, now.view.session, now.changeset);
    },
  };
}

/** Calls that the watcher refused to agents that worked on, judged or joined these tasks. */
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

/** Says of which tasks a person moved the branch since the work was accepted: what was judged lands, not what they made. */
async function tellAmended(
  { git, events }: Pick<Workshop, 'events'> & WithGit<Pick<GitCommits, 'resolveCommit'>>,
  tasks: readonly Task[],
): Promise<void> {
  await Promise.all(
    tasks.map(async ({ id, branch, commit }) => {
      if (branch === null || commit === null) return;
      const tip = await git.resolveCommit(`refs/heads/${branch}`);
      if (tip === null || tip === commit) return;
      events.emit({
        event: 'notice',
        level: 'warning',
        message: `The branch of ${id} was moved to ${shortId(tip)} since its work was accepted: ${shortId(commit)} is what was judged, is shown and lands.`,
        details: [
          `What differs: git diff ${shortId(commit)} ${shortId(tip)}`,
          `To have the other judged: reject it, git flame task claim ${id}, git flame task submit ${id} --commit ${shortId(tip)}`,
        ],
      });
    }),
  );
}

/** A person waits for the answer, and each is a start of git. */
const mostTried = 40;

/**
 * The other changesets of this review that can't land together with one as they are now: those that wait or are
 * approved and conflict with it, found by merging without recording anything. What can't be tried is left out.
 */
async function excludingOf(
  { git, signal }: WithGit<Pick<GitTrials, 'tryMerge'>> & Pick<Workshop, 'signal'>,
  session: Session,
  changeset: Changeset,
): Promise<readonly Excluding[]> {
  const others = changesetsOfCycle(session)
    .filter(({ id, state }) => id !== changeset.id && (state === 'waiting' || state === 'approved'))
    .slice(0, mostTried);
  const found: Excluding[] = [];
  for (const { group, state, commit } of others) {
    const paths = await conflictOf({ git, signal }, changeset, commit);
    if (paths.length > 0) found.push({ group, isApproved: state === 'approved', paths });
  }
  return found;
}

async function conflictOf(
  { git, signal }: Parameters<typeof excludingOf>[0],
  { commit: own }: Changeset,
  commit: Changeset['commit'],
): Promise<readonly string[]> {
  try {
    const trial = await git.tryMerge({ commit: own, quarantine: null }, { commit, quarantine: null }, signal);
    return trial.kind === 'conflict' ? trial.paths : [];
  } catch (error) {
    if (error instanceof FlameError && !signal.aborted) return [];
    throw error;
  }
}
