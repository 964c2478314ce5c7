import { existsSync } from 'node:fs';
import { runRoot } from '../../cell/run-folder.ts';
import { listProposals } from '../../core/admission/list-proposals.ts';
import { spendingApart } from '../../core/schedule/spending-apart.ts';
import type { LiveAgent } from '../../domain/ports/agent-port.ts';
import type { SessionLook } from '../../domain/ports/store-port.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import { type Status, statusOf } from '../../domain/shown/status.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { machineName } from '../../trust/clone-key.ts';
import { renderMachines } from '../../ui/render/render-machines.ts';
import { renderNoteCount } from '../../ui/render/render-notes.ts';
import { renderOthers } from '../../ui/render/render-others.ts';
import { renderProposals } from '../../ui/render/render-proposals.ts';
import { renderSpend, renderSpendingApart } from '../../ui/render/render-spend.ts';
import { renderStatus } from '../../ui/render/render-status.ts';
import { renderUnverified } from '../../ui/render/render-unverified.ts';
import type { Style } from '../../ui/text/style.ts';
import { askedNow } from '../open/asked-now.ts';
import { behindLanding, bringsAlong } from '../open/behind-landing.ts';
import { isSessionBusy } from '../open/clone-lock.ts';
import { gitHere } from '../open/git-here.ts';
import { goneClaims, overdueClaims } from '../open/overdue-claims.ts';
import { readAhead } from '../open/read-ahead.ts';
import { readOtherWaits } from '../open/read-waits.ts';
import { lookAtSession } from '../open/session-meant.ts';
import { withDecisions } from '../open/signed-decisions.ts';
import { askingPerson, nextCommand, whereItGoes } from '../waves/next-command.ts';

/** `git flame status`: where the session stands; reads only. */
export function run(args: CommandArgs<'status'>, io: Io): Promise<number> {
  return withDecisions(args, io, async (reading) => {
    const { git, store, shown, output, meant } = reading;
    const snapshot = await lookAtSession(store, meant);
    const session = meant.pick(snapshot);
    const tasks = session === null ? [] : snapshot.tasksOf(session.id);
    const { commonDir } = git.repository;
    const { agents, activity } = await agentsAt(commonDir, session);
    const standing = session === null ? null : snapshot.admitted(session.id);
    const proposals =
      session === null || standing === null ? undefined : listProposals(session, standing, snapshot);
    const doubts = snapshot.unverified.filter((one) => one.session === session?.id);
    const doubted = renderUnverified(doubts, output.style);
    const ahead = session === null ? undefined : await readAhead(reading, io, { session, tasks });
    const waits = session === null ? [] : await readOtherWaits(reading, session, tasks);
    const notes = session === null ? undefined : await countNotes(snapshot, session);
    const spending = session === null ? {} : spendingApart(session);
    const asks = await askedNow(commonDir, session);
    const more = { asks, proposals, doubts, ahead, waits, notes, spending, isText: !output.isJson };
    const status = statusOf(standing?.session ?? null, tasks, agents, more);
    for (const { ref, object, message } of snapshot.problems) output.warn(`${ref} ${object}: ${message}`);
    const machines = await machinesOf(session, tasks, { git, io });
    output.json(machines === null ? status : { ...status, machines: machines.list });
    if (session !== null) shown.note(session.id, status.changesets);
    if (output.isJson) return 0;
    const spend =
      session === null
        ? []
        : [...renderSpend(session, output.style, '  '), ...renderSpendingApart(spending, output.style, '  ')];
    const isGoing = session !== null && isSessionBusy(commonDir, session.id);
    const place = machineName({ env: io.env, commonDir });
    const behind = isGoing || standing === null ? null : behindLanding(standing.session, place);
    const due = async (): Promise<string | null> =>
      behind === null ? nextCommand(standing, await askingPerson(git, tasks), place) : bringsAlong;
    const next = asks[0]?.next ?? (isGoing ? 'git flame agent list' : await due());
    const overdue = await overdueClaims(tasks, reading);
    const ours = tasks.filter(({ id }) => standing?.elsewhere.has(id) === false);
    const frees = session === null ? 'git flame work' : whereItGoes(session, place, 'work');
    const gone = isGoing ? [] : goneClaims(ours, { live: agents, place, frees });
    const below = [
      ...(behind === null ? [] : [behind]),
      ...renderProposals(proposals),
      ...belowOf(machines, output.style),
      ...(doubted.length === 0 ? [] : ['', ...doubted]),
      ...overdue,
      ...gone,
      ...(notes === undefined || session?.state === 'ended' ? [] : [renderNoteCount(notes)]),
      ...renderOthers(snapshot.sessions, session),
    ];
    output.result(
      renderStatus(status, output.style, { now: new Date(), next, spend, activity, isGoing, more: below }),
    );
    return 0;
  });
}

/** The agents that work for a session at this moment, and what each did last. */
async function agentsAt(
  commonDir: string,
  session: Session | null,
): Promise<{ readonly agents: readonly LiveAgent[]; readonly activity: ReadonlyMap<string, string> }> {
  // Where nothing ran there is nothing of it to load.
  if (!existsSync(runRoot(commonDir))) return { agents: [], activity: new Map() };
  const { readLiveAgents, readRegisteredAgents } = await import('../../cell/run/agent-registry.ts');
  const agents = readLiveAgents(commonDir, session?.id ?? null);
  const registered = agents.length === 0 ? [] : readRegisteredAgents(commonDir);
  return { agents, activity: new Map(registered.map((agent) => [agent.id, agent.activity])) };
}

// Nothing is asked of a remote here: what it has now may be newer.
const asSeen = '  as this clone last saw them; as they are now: git flame machines';

function belowOf(machines: Awaited<ReturnType<typeof machinesOf>>, style: Style): readonly string[] {
  if (machines === null) return [];
  return ['', ...renderMachines(machines.shown, style), asSeen];
}

async function countNotes(
  snapshot: Pick<SessionLook, 'admitted' | 'blackboardOf' | 'tasksOf'>,
  { id }: Session,
): Promise<Status['notes']> {
  const pages = snapshot.blackboardOf(id);
  if (pages.length === 0) return undefined;
  // For most sessions there is nothing of it to load.
  const { showNotes } = await import('../../core/blackboard/show-notes.ts');
  const all = showNotes(pages, snapshot.tasksOf(id), snapshot.admitted(id).snapshot.blackboardOf(id));
  const count = (wanted: string): number => all.filter(({ state }) => state === wanted).length;
  const [told, elsewhere] = [count('told'), count('elsewhere')];
  return told + elsewhere === 0 ? undefined : { told, elsewhere };
}

/** null: no other machine works on the session. */
async function machinesOf(
  session: Session | null,
  tasks: readonly Task[],
  { git, io }: { readonly git: Parameters<typeof gitHere>[0]; readonly io: Io },
) {
  if (session?.machines === undefined || session.state === 'ended') return null;
  // For most sessions there is nothing of it to load.
  const { knownMachines } = await import('../../store/shared/known-machines.ts');
  const place = { context: gitHere(git, io), commonDir: git.repository.commonDir };
  const { remote } = session.machines;
  const list = await knownMachines(place, session, tasks);
  return { list, shown: { remote, session: session.id, machines: list } };
}
