import type { Io } from '../../domain/shown/command.ts';
import { machineName } from '../../trust/clone-key.ts';
import { renderMachines, renderOthers } from '../../ui/render/render-machines.ts';
import { renderNoteCount } from '../../ui/render/render-notes.ts';
import { renderSpend, renderSpendingApart } from '../../ui/render/render-session.ts';
import { renderProposals, renderUnverified } from '../../ui/render/render-unverified.ts';
import type { Style } from '../../ui/text/style.ts';
import { behindLanding, bringsAlong } from '../open/behind-landing.ts';
import { isSessionBusy } from '../open/clone-lock.ts';
import { goneClaims, overdueClaims } from '../open/overdue-claims.ts';
import type { Reading } from '../open/read-state.ts';
import { askingPerson, nextCommand, whereItGoes } from '../waves/next-command.ts';
import type { StatusFacts } from './gather-status.ts';

type WayOn = Awaited<ReturnType<typeof gatherWayOn>>;

/** Reads what decides how a person goes on. */
export async function gatherWayOn(
  reading: Reading,
  { env }: Pick<Io, 'env'>,
  { session, standing, tasks }: StatusFacts,
) {
  const { git } = reading;
  const { commonDir } = git.repository;
  const place = machineName({ env, commonDir });
  const isGoing = isSessionBusy(commonDir, session.id);
  return {
    place,
    isGoing,
    person: await askingPerson(git, tasks),
    behind: isGoing ? null : behindLanding(standing.session, place),
    overdue: await overdueClaims(tasks, reading),
  };
}

/** The command to type next; null: nothing is left to do. */
export function nextOf(
  { asks, standing }: Pick<StatusFacts, 'asks' | 'standing'>,
  { isGoing, behind, person, place }: WayOn,
): string | null {
  const [asked] = asks;
  if (asked !== undefined) return asked.next;
  if (isGoing) return 'git flame agent list';
  return behind === null ? nextCommand(standing, person, place) : bringsAlong;
}

// Nothing is asked of a remote here: what it has now may be newer.
const asSeen = '  as this clone last saw them; as they are now: git flame machines';

/** The lines between the state and the next command. */
export function linesBelow(facts: StatusFacts, way: WayOn, style: Style): readonly string[] {
  const { session, sessions, notes, machines } = facts;
  const doubted = renderUnverified(facts.doubts, style);
  return [
    ...(way.behind === null ? [] : [way.behind]),
    ...renderProposals(facts.proposals),
    ...(machines === null ? [] : ['', ...renderMachines(machines, style), asSeen]),
    ...(doubted.length === 0 ? [] : ['', ...doubted]),
    ...way.overdue,
    ...goneLines(facts, way),
    ...(notes === undefined || session.state === 'ended' ? [] : [renderNoteCount(notes)]),
    ...renderOthers(sessions, session),
  ];
}

/** Claims of agents that run no more; while a command works on the session it frees them by itself. */
function goneLines(
  { session, standing, tasks, agents: live }: StatusFacts,
  { isGoing, place }: WayOn,
): readonly string[] {
  if (isGoing) return [];
  const ours = tasks.filter(({ id }) => !standing.elsewhere.has(id));
  return goneClaims(ours, { live, place, frees: whereItGoes(session, place, 'work') });
}

export function spendLines(
  { session, spending }: Pick<StatusFacts, 'session' | 'spending'>,
  style: Style,
): readonly string[] {
  return [...renderSpend(session, style, '  '), ...renderSpendingApart(spending, style, '  ')];
}
