import { existsSync } from 'node:fs';
import { runFoldersRoot } from '../../cell/run-folder.ts';
import { listProposals } from '../../core/admission/list-proposals.ts';
import { breakDownSpending } from '../../core/schedule/budget-state.ts';
import type { LiveAgent } from '../../domain/ports/agent-port.ts';
import type { OneSessionSnapshot } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { SessionStatusView } from '../../domain/view-models/status-view.ts';
import { findGitContextHere, type ReadContext } from '../context/open-read-context.ts';
import { predictSessionConflicts, readWaitsBeyondDependencies } from '../context/waits-and-conflicts.ts';
import { listOpenQuestions } from '../questions/list-open-questions.ts';

export type StatusFacts = Awaited<ReturnType<typeof gatherStatus>>;

/** Reads what is known of one session at this moment. */
export async function gatherStatus(
  reading: ReadContext,
  io: Io,
  { look, session }: { readonly look: OneSessionSnapshot; readonly session: Session },
) {
  const { commonDir } = reading.git.repository;
  const tasks = look.tasksOf(session.id);
  const standing = look.admitted(session.id);
  return {
    session,
    standing,
    tasks,
    sessions: look.sessions,
    ...(await workingOn(commonDir, session)),
    proposals: listProposals(session, standing, look),
    doubts: look.unverified.filter((one) => one.session === session.id),
    ahead: await predictSessionConflicts(reading, io, { session, tasks }),
    waits: await readWaitsBeyondDependencies(reading, session, tasks),
    notes: await countNotes(look, session),
    asks: await listOpenQuestions(commonDir, session.id),
    spending: breakDownSpending(session),
    machines: await sharedBy(session, tasks, { git: reading.git, io }),
  };
}

/** The agents that work for a session at this moment, and what each did last. */
async function workingOn(
  commonDir: string,
  session: Session,
): Promise<{ readonly agents: readonly LiveAgent[]; readonly activity: ReadonlyMap<string, string> }> {
  // Loads nothing where no agent ever ran.
  if (!existsSync(runFoldersRoot(commonDir))) return { agents: [], activity: new Map() };
  const { readLiveAgents, readRegisteredAgents } = await import('../../cell/run/agent-registry.ts');
  const agents = readLiveAgents(commonDir, session.id);
  const registered = agents.length === 0 ? [] : readRegisteredAgents(commonDir);
  return { agents, activity: new Map(registered.map((agent) => [agent.id, agent.activity])) };
}

async function countNotes(
  look: Pick<OneSessionSnapshot, 'admitted' | 'blackboardOf' | 'tasksOf'>,
  { id }: Session,
): Promise<SessionStatusView['notes']> {
  const pages = look.blackboardOf(id);
  if (pages.length === 0) return undefined;
  // For most sessions there is nothing of it to load.
  const { listNotesWithState } = await import('../../core/blackboard/list-notes-with-state.ts');
  const all = listNotesWithState(pages, look.tasksOf(id), look.admitted(id).snapshot.blackboardOf(id));
  const count = (wanted: string): number => all.filter(({ state }) => state === wanted).length;
  const [active, elsewhere] = [count('active'), count('elsewhere')];
  return active + elsewhere === 0 ? undefined : { active, elsewhere };
}

/** null: no other machine works on the session. */
async function sharedBy(
  session: Session,
  tasks: readonly Task[],
  { git, io }: Pick<ReadContext, 'git'> & { readonly io: Io },
) {
  if (session.machines === undefined || session.state === 'ended') return null;
  // For most sessions there is nothing of it to load.
  const { listLastSeenMachines } = await import('../../store/remote-session/list-machines.ts');
  const place = { context: findGitContextHere(git, io), commonDir: git.repository.commonDir };
  const machines = await listLastSeenMachines(place, session, tasks);
  return { remote: session.machines.remote, session: session.id, machines };
}
