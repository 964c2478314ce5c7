import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { listProposals } from '../../core/admission/list-proposals.ts';
import { isTaskOpen } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/state/plan-schema.ts';
import { listOpenPullRequests } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { buildStatusView } from '../../domain/view-models/status-view.ts';
import type { OpenLeadTools } from '../../engine/lead-agent/run-lead-agent.ts';
import { type SessionView, viewSession } from '../../engine/record-changes.ts';
import { runSession } from '../../engine/run-session.ts';
import { renderStatus } from '../../ui/render/render-status.ts';
import { renderProposals, renderUnverifiedCompletions } from '../../ui/render/render-unverified.ts';
import { addSessionToCommand, isNotCurrentSession } from '../context/session-lock.ts';
import { applyPullRequestNews, fetchPullRequestNews } from '../forge/pr.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';
import { chooseNextCommand } from './next-command.ts';
import { prepareSessionPullRequest } from './session-pull-request.ts';

/** The session to work on, and its plan where one was given. */
export interface SessionToContinue {
  readonly session: SessionId;
  readonly plan: Plan | null;
}

/**
 * Runs a session from where it is to its end, or to where a person is needed; resolves to the exit code. The caller
 * holds the session's lock.
 */
export async function continueSession(
  opened: CommandContext,
  io: Io,
  { session, plan }: SessionToContinue,
  leadTools: OpenLeadTools | null = null,
): Promise<number> {
  const { context, config } = opened;
  let requested = 0;
  await warnOfNoRequest(opened, session);
  const { session: now, tasks } = await reportingEnd(opened, session, async () => {
    if (plan === null) await hearPullRequest(opened, io, session);
    await runSession(context, session, { plan, wantsTalk: config.planning.interactive }, leadTools);
    requested = await prepareSessionPullRequest(opened, io, session);
  });
  // The limit of cycles can end a session whose work isn't done.
  return now.state === 'ended' && tasks.some(isTaskOpen) ? 1 : chooseExitCode(tasks) || requested;
}

/** Before anything is planned or paid: --pr opens nothing where work lands on the base branch itself. */
async function warnOfNoRequest({ context, config, commandLine }: CommandContext, id: SessionId): Promise<void> {
  if (!commandLine.wantsPullRequest || config.project.landing === 'branch') return;
  const { session } = await viewSession(context, id);
  if (session.landing !== undefined) return;
  const message = `--pr opens no pull request, because approved work lands on ${session.base_branch} itself (project.landing: base). To open one, set project.landing: branch.`;
  context.events.emit({ event: 'notice', level: 'warning', message });
}

/** With --pr a run begins with remarks on the pull request; where they can't be read it warns and goes on. */
async function hearPullRequest(opened: CommandContext, io: Io, id: SessionId): Promise<void> {
  const { context, commandLine } = opened;
  const { session } = await viewSession(context, id);
  if (!commandLine.wantsPullRequest || listOpenPullRequests(session).length === 0) return;
  try {
    const { all } = await fetchPullRequestNews(opened, io, session);
    await applyPullRequestNews(opened, id, { all, isAllowedMore: false });
  } catch (error) {
    if (!(error instanceof FlameError) || error.kind === 'interrupted') throw error;
    const message = `Comments and checks of the pull request could not be applied: ${error.message}`;
    context.events.emit({ event: 'notice', level: 'warning', message, details: [...error.lines] });
  }
}

/** Shows where a session stands when a command ends, and what to type next: with --json as the last event. */
export async function reportCommandEnd(
  { context, git, store, shown, output }: CommandContext,
  id: SessionId,
  comesNext?: (view: SessionView) => string | null,
): Promise<{ readonly session: Session; readonly tasks: readonly Task[] }> {
  const view = await viewSession(context, id);
  const { session, snapshot, stored, unverified } = view;
  const tasks = snapshot.tasksOf(id);
  const proposals = listProposals(stored, view, snapshot);
  const agents = readLiveAgents(git.repository.commonDir, id);
  const status = buildStatusView(session, tasks, agents, { proposals, doubts: unverified });
  if (output.isJson) context.events.emit({ event: 'session-ended', ...status });
  else {
    const next =
      comesNext === undefined ? chooseNextCommand(view, context.gates.person, context.place) : comesNext(view);
    const named = next !== null && (await isNotCurrentSession(store, id)) ? addSessionToCommand(next, id) : next;
    const more = [...renderProposals(proposals), ...renderUnverifiedCompletions(unverified, output.style)];
    output.result(renderStatus(status, output.style, { now: new Date(), next: named, more }));
  }
  shown.recordSeen(id, status.changesets);
  return { session, tasks };
}

/**
 * Does the work, then reports; with --json also when it was stopped half-way, so that the last event shows
 * where.
 */
async function reportingEnd(
  opened: CommandContext,
  id: SessionId,
  work: () => Promise<void>,
): ReturnType<typeof reportCommandEnd> {
  try {
    await work();
  } catch (error) {
    if (opened.output.isJson) await reportCommandEnd(opened, id);
    throw error;
  }
  return reportCommandEnd(opened, id);
}

/** 1 when something failed for good, else 0. */
export function chooseExitCode(tasks: readonly Task[]): number {
  return tasks.some(({ status }) => status === 'failed' || status === 'blocked') ? 1 : 0;
}
