import { listTasksInEvidenceDoubt } from '../../core/changesets/build-evidence.ts';
import { listUndoableDecisions } from '../../core/changesets/changeset-decision.ts';
import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { BlockedCalls, ChangesetQuestion, ConflictingChangeset } from '../../domain/ports/changeset-question.ts';
import type { GitCommits, GitTrials } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { findBlockingChangeset, isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { shortId } from '../../util/short-names.ts';
import type { ConflictWatch } from '../conflict-detection/watch-conflicts.ts';
import { whyMessageInvalid } from '../merge/changeset-message.ts';
import { requireTaskInView, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, type WithGit, warn } from '../run-context.ts';
import { previewRejection } from '../stacking/rebase-stacked.ts';
import { readLinesOfCommit } from './apply-suggestions.ts';
import { whyCommentMayBeMisplaced } from './assign-comments.ts';
import { tryComputeChangesSinceSeen } from './changes-since-seen.ts';
import { decideChangesetOutOfTurn, performChangesetDecision } from './perform-changeset-decision.ts';
import { readGuidedDiff, tryReadReadingGuide } from './read-guide.ts';
import { recordChangesetOutcome } from './record-changeset-decision.ts';
import { undoChangesetDecision, undoDecisionOrWarn } from './undo-changeset-decision.ts';

/** Position of a changeset among those that are asked about, and the watch for conflicts meanwhile. */
export interface PositionInReview {
  readonly position: number;
  readonly total: number;
  readonly radar: ConflictWatch;
}

/** Shows one changeset and records what the person decides; one that is decided already is left alone. */
export async function askAboutChangeset(
  context: RunContext,
  session: SessionId,
  changesetId: string,
  { radar, ...place }: PositionInReview,
): Promise<void> {
  const view = await viewSession(context, session);
  // While the person reads.
  radar.look(view);
  const changeset = view.session.changesets.find(({ id }) => id === changesetId);
  if (changeset === undefined || changeset.state !== 'waiting') return;
  const blocker = findBlockingChangeset(listChangesetsOfCycle(view.session), changeset);
  if (blocker !== null && blocker.state !== 'waiting') {
    const reason = `it depends on ${blocker.group}, which was not approved`;
    await recordChangesetOutcome(context, session, changeset, { kind: 'deferred', reason });
    return;
  }
  const decision = await context.gates.changeset({
    ...(await shownOf(context, view, changeset)),
    ...place,
    ...asking(context, session),
  });
  if (decision.kind === 'undo') return undoDecisionOrWarn(context, session, decision.changeset, decision);
  await performChangesetDecision(context, session, changeset, decision);
}

/** Facts about a changeset that the person is shown. */
async function shownOf(
  context: RunContext,
  view: SessionView,
  changeset: Changeset,
): Promise<Omit<ChangesetQuestion, 'position' | 'total' | 'decideOther'>> {
  const tasks = changeset.tasks.map((id) => requireTaskInView(view, id));
  const verdicts = tasks.flatMap(({ commit }) => (commit === null ? [] : view.snapshot.verdictsOn(commit).slice(-1)));
  const doubts = listTasksInEvidenceDoubt(view.snapshot, tasks);
  for (const doubt of doubts) context.events.emit({ event: 'manual-review', changeset: changeset.id, ...doubt });
  await warnOfAmendedBranches(context, tasks);
  const blocked = await blockedCalls(context, view.session, tasks);
  const since = await tryComputeChangesSinceSeen(context, view.session, { changeset, tasks });
  // Only where a person reads it.
  let guided: ReturnType<typeof tryReadReadingGuide> | undefined;
  const readOnce = (): ReturnType<typeof tryReadReadingGuide> =>
    (guided ??= tryReadReadingGuide(context, { changeset, tasks }));
  return {
    changeset,
    tasks,
    verdicts,
    readGuide: async () => (await readOnce())?.guide ?? null,
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(blocked.length === 0 ? {} : { blocked }),
    ...(since === null ? {} : { since, showInterdiff: () => context.git.diffText(since.from, since.to) }),
    session: view.session,
    ...(context.config.project.landing_style === 'rebase'
      ? {}
      : { showMessage: async () => (await context.git.readCommit(changeset.commit)).message }),
    showDiff: async () => readGuidedDiff(context, changeset, await readOnce()),
    strayComment: (comment) => whyCommentMayBeMisplaced(context, changeset, comment),
    linesOf: (path, range) => readLinesOfCommit(context, changeset.commit, path, range),
  };
}

/** Questions and decisions for any changeset of the review. */
function asking(
  context: RunContext,
  session: SessionId,
): Pick<
  ChangesetQuestion,
  'decideOther' | 'undoable' | 'takeBack' | 'onTop' | 'messageOf' | 'checkMessage' | 'excluding'
> {
  const waiting = async (id: string): Promise<{ view: SessionView; changeset: Changeset } | null> => {
    const view = await viewSession(context, session);
    const changeset = listChangesetsOfCycle(view.session).find((one) => one.id === id);
    return changeset?.state === 'waiting' ? { view, changeset } : null;
  };
  return {
    decideOther: (id, other) => decideChangesetOutOfTurn(context, session, id, other),
    undoable: async () => listUndoableDecisions((await viewSession(context, session)).session),
    takeBack: async (id, where) => {
      await undoChangesetDecision(context, session, id, { where });
    },
    onTop: async (id, tasks) => {
      const now = await waiting(id);
      if (now === null) return [];
      const selected = now.changeset.tasks.filter((task) => tasks?.includes(task) ?? true);
      return previewRejection(context, now.view, { tasks: selected });
    },
    messageOf: async (id) => {
      const now = await waiting(id);
      const isTheirs = context.config.project.landing_style === 'rebase';
      return now === null || isTheirs ? null : (await context.git.readCommit(now.changeset.commit)).message;
    },
    checkMessage: async (id, message) => {
      const now = await waiting(id);
      return now === null ? null : whyMessageInvalid(context.config, now.view.session, { ...now, message });
    },
    excluding: async (id) => {
      const now = await waiting(id);
      return now === null ? [] : findConflictingChangesets(context, now.view.session, now.changeset);
    },
  };
}

/** Calls that the watcher refused to agents that worked on, judged or joined these tasks. */
async function blockedCalls(
  context: Pick<RunContext, 'agents'>,
  { agents }: Session,
  tasks: readonly Task[],
): Promise<readonly BlockedCalls[]> {
  const runs = agents.filter(({ task_id }) => tasks.some(({ id }) => id === task_id)).map(({ id }) => id);
  const workers = tasks.flatMap(({ agent_id, history }) => [...history.map((attempt) => attempt.agent_id), agent_id]);
  const ids = new Set([...workers, ...runs].filter((id) => id !== null));
  const audits = await Promise.all(
    [...ids].map(async (agent) => ({ agent, ...(await context.agents.auditOf(agent)) })),
  );
  return audits.flatMap(({ agent, blocked, top }) => (blocked === 0 ? [] : [{ agent, blocked, top }]));
}

/** Says of which tasks a person moved the branch since the work was accepted: what was judged lands, not what they made. */
async function warnOfAmendedBranches(
  { git, events }: Pick<RunContext, 'events'> & WithGit<Pick<GitCommits, 'resolveCommit'>>,
  tasks: readonly Task[],
): Promise<void> {
  await Promise.all(
    tasks.map(async ({ id, branch, commit }) => {
      if (branch === null || commit === null) return;
      const tip = await git.resolveCommit(`refs/heads/${branch}`);
      if (tip === null || tip === commit) return;
      const message = `The branch of ${id} moved to ${shortId(tip)} after its work was accepted. Only ${shortId(commit)} was judged, so that is what you see and what lands.`;
      warn({ events }, message, [
        `To see the difference: git diff ${shortId(commit)} ${shortId(tip)}`,
        `To have ${shortId(tip)} judged: reject the changeset, git flame task claim ${id}, git flame task submit ${id} --commit ${shortId(tip)}`,
      ]);
    }),
  );
}

/** A person waits for the answer, and each is a start of git. */
const mostTried = 40;

/**
 * The other changesets of this review that can't land together with one as they are now: those that wait or are
 * approved and conflict with it, found by merging without recording anything. What can't be tried is left out.
 */
async function findConflictingChangesets(
  { git, signal }: WithGit<Pick<GitTrials, 'tryMerge'>> & Pick<RunContext, 'signal'>,
  session: Session,
  changeset: Changeset,
): Promise<readonly ConflictingChangeset[]> {
  const others = listChangesetsOfCycle(session)
    .filter((one) => one.id !== changeset.id && isChangesetOpen(one))
    .slice(0, mostTried);
  const found: ConflictingChangeset[] = [];
  for (const { group, state, commit } of others) {
    const paths = await conflictOf({ git, signal }, changeset, commit);
    if (paths.length > 0) found.push({ group, isApproved: state === 'approved', paths });
  }
  return found;
}

async function conflictOf(
  { git, signal }: Parameters<typeof findConflictingChangesets>[0],
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
