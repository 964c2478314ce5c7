import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { listProposals } from '../../core/admission/list-proposals.ts';
import { isOpen } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/state/plan.ts';
import type { Session } from '../../domain/state/session.ts';
import { requestsOf } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { statusOf } from '../../domain/view-models/status.ts';
import type { OpenLeadTools } from '../../engine/lead-agent/run-lead-agent.ts';
import { type SessionView, viewSession } from '../../engine/record.ts';
import { runSession } from '../../engine/run-session.ts';
import { renderStatus } from '../../ui/render/render-status.ts';
import { renderProposals, renderUnverified } from '../../ui/render/render-unverified.ts';
import { isBesideCurrent, nameSession } from '../context/session-lock.ts';
import { askForNews, takeUpAll } from '../forge/pr.ts';
import type { Opened } from '../run-context/open-workshop.ts';
import { nextCommand } from './next-command.ts';
import { preparePullRequest } from './pull-request.ts';

/** The session to work on, and its plan where one was given. */
export interface Start {
  readonly session: SessionId;
  readonly plan: Plan | null;
}

/**
 * Runs a session from where it is to its end, or to where a person is needed; resolves to the exit code. The caller
 * holds the session's lock.
 */
export async function goOn(
  opened: Opened,
  io: Io,
  { session, plan }: Start,
  leadTools: OpenLeadTools | null = null,
): Promise<number> {
  const { workshop, config } = opened;
  let requested = 0;
  await tellNoRequest(opened, session);
  const { session: now, tasks } = await reportingEnd(
    opened,
    session,
    async () => {
      if (plan === null) await hearPullRequest(opened, io, session);
      await runSession(workshop, session, { plan, wantsTalk: config.planning.interactive }, leadTools);
      requested = await preparePullRequest(opened, io, session);
    },
    (view) =>
      view.session.state === 'stopped'
        ? 'git flame run'
        : nextCommand(view, workshop.gates.person, workshop.place),
  );
  // The limit of cycles can end a session whose work isn't done.
  return now.state === 'ended' && tasks.some(isOpen) ? 1 : exitCodeOf(tasks) || requested;
}

/** Before anything is planned or paid: --pr opens nothing where work lands on the base branch itself. */
async function tellNoRequest({ workshop, config, wishes }: Opened, id: SessionId): Promise<void> {
  if (!wishes.wantsPullRequest || config.project.landing === 'branch') return;
  const { session } = await viewSession(workshop, id);
  if (session.landing !== undefined) return;
  const message = `--pr opens no pull request: what is approved lands on ${session.base_branch} itself (project.landing: base). For one, set project.landing: branch.`;
  workshop.events.emit({ event: 'notice', level: 'warning', message });
}

/** With --pr a run begins with remarks on the pull request; where they can't be read it warns and goes on. */
async function hearPullRequest(opened: Opened, io: Io, id: SessionId): Promise<void> {
  const { workshop, wishes } = opened;
  const { session } = await viewSession(workshop, id);
  if (!wishes.wantsPullRequest || requestsOf(session).length === 0) return;
  try {
    const { all } = await askForNews(opened, io, session);
    await takeUpAll(opened, id, { all, isAllowedMore: false });
  } catch (error) {
    if (!(error instanceof FlameError) || error.kind === 'interrupted') throw error;
    const message = `What was said of the pull request is not taken up: ${error.message}`;
    workshop.events.emit({ event: 'notice', level: 'warning', message, details: [...error.lines] });
  }
}

/** Shows where a session stands when a command ends, and what to type next: with --json as the last event. */
export async function reportEnd(
  { workshop, git, store, shown, output }: Opened,
  id: SessionId,
  comesNext?: (view: SessionView) => string | null,
): Promise<{ readonly session: Session; readonly tasks: readonly Task[] }> {
  const view = await viewSession(workshop, id);
  const { session, snapshot, stored, unverified } = view;
  const tasks = snapshot.tasksOf(id);
  const proposals = listProposals(stored, view, snapshot);
  const agents = readLiveAgents(git.repository.commonDir, id);
  const status = statusOf(session, tasks, agents, { proposals, doubts: unverified });
  if (output.isJson) workshop.events.emit({ event: 'session-ended', ...status });
  else {
    const next =
      comesNext === undefined ? nextCommand(view, workshop.gates.person, workshop.place) : comesNext(view);
    const named = next !== null && (await isBesideCurrent(store, id)) ? nameSession(next, id) : next;
    const more = [...renderProposals(proposals), ...renderUnverified(unverified, output.style)];
    output.result(renderStatus(status, output.style, { now: new Date(), next: named, more }));
  }
  shown.note(id, status.changesets);
  return { session, tasks };
}

/**
 * Does the work, then reports; with --json also when it was stopped half-way, so that the last event shows
 * where.
 */
async function reportingEnd(
  opened: Opened,
  id: SessionId,
  work: () => Promise<void>,
  comesNext?: (view: SessionView) => string | null,
): ReturnType<typeof reportEnd> {
  try {
    await work();
  } catch (error) {
    if (opened.output.isJson) await reportEnd(opened, id);
    throw error;
  }
  return reportEnd(opened, id, comesNext);
}

/** 1 when something failed for good, else 0. */
export function exitCodeOf(tasks: readonly Task[]): number {
  return tasks.some(({ status }) => status === 'failed' || status === 'blocked') ? 1 : 0;
}
