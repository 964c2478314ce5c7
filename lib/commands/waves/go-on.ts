import { isOpen } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { requestsOf } from '../../domain/state/session-facts.ts';
import type { OpenLeadTools } from '../../engine/lead-agent/run-lead-agent.ts';
import { viewSession } from '../../engine/record.ts';
import { runSession } from '../../engine/run-session.ts';
import { askForNews, takeUpAll } from '../forge/request-news.ts';
import type { Opened } from '../open/open-workshop.ts';
import { nextCommand } from './next-command.ts';
import { preparePullRequest } from './pull-request.ts';
import { exitCodeOf, reportingEnd } from './report-end.ts';

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
