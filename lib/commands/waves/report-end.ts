import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { listProposals } from '../../core/admission/list-proposals.ts';
import type { SessionId } from '../../domain/ids.ts';
import { statusOf } from '../../domain/shown/status.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { type SessionView, viewSession } from '../../engine/record.ts';
import { renderStatus } from '../../ui/render/render-status.ts';
import { renderProposals, renderUnverified } from '../../ui/render/render-unverified.ts';
import { isBesideCurrent, nameSession } from '../open/name-session.ts';
import type { Opened } from '../open/open-workshop.ts';
import { nextCommand } from './next-command.ts';

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
export async function reportingEnd(
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
