import type { SessionId } from '../domain/ids.ts';
import type { CellInfo, GitCells } from '../domain/ports/git-cells.ts';
import { landsOn } from '../domain/state/session-facts.ts';
import { shortId } from '../util/short-names.ts';
import { freeExpired } from './by-hand/release-expired.ts';
import { rescueName } from './keep/rescue-refs.ts';
import { isElsewhere, type PutAway, putAway, taskIn } from './keep/rescue-worktree.ts';
import { giveBack } from './machines/reserve.ts';
import { passOnJudging } from './machines/verdict-claims.ts';
import { viewSession } from './record.ts';
import { adoptLanded, bringForward } from './review/adopt-landed.ts';
import { bringAlong } from './review/bring-along.ts';
import { requireLanded } from './review/require-landed.ts';
import { collectEnded } from './work/collect-ended.ts';
import { orphanTest, releaseOrphans } from './work/release-orphans.ts';
import type { WithGit, Workshop } from './workshop.ts';

/**
 * Finishes what a kill left half done in a session: brings a checkout along, frees claims without an agent,
 * removes worktrees that hold nothing. Reports what it found. Harmless at any time, and when repeated. Throws FlameErrors
 * `base-behind`, `base-ahead` and `landing-not-there`.
 */
export async function recoverSession(workshop: Workshop, id: SessionId): Promise<void> {
  if (workshop.sharing?.role === 'lead') await workshop.landInTurn(() => adoptLanded(workshop, id));
  await requireLanded(workshop, id);
  if (workshop.sharing?.role === 'lead') await workshop.landInTurn(() => bringForward(workshop, id));
  const { session } = await viewSession(workshop, id);
  if (session.checkout !== null && (await workshop.landInTurn(() => bringAlong(workshop, id)))) {
    notice(workshop, `${landsOn(session)} is checked out as it landed, at ${shortId(session.checkout.to)}.`);
  }
  const collected = await collectEnded(workshop, id, await orphanTest(workshop));
  if (collected.length > 0)
    notice(workshop, `What agents had finished before the stop was taken in: ${collected.join(', ')}.`);
  const released = await releaseOrphans(workshop, id);
  if (released.length > 0)
    notice(workshop, `Claims whose agents are gone are free again: ${released.join(', ')}.`);
  await giveBack(workshop, id);
  await passOnJudging(workshop, id, true);
  await freeExpired(workshop, id);
  await clearCells(workshop);
  await putAwaySettled(workshop);
}

/** Removes worktrees of dead processes that hold nothing; the others stay, and are named once. */
async function clearCells(workshop: Pick<Workshop, 'events' | 'store'> & WithGit<GitCells>): Promise<void> {
  const kept: CellInfo[] = [];
  for (const cell of (await workshop.git.cells()).filter(({ owner }) => owner === 'gone')) {
    const isEmpty =
      cell.subject === null ||
      (await isElsewhere(workshop, cell, await taskIn(workshop, cell)).catch(() => false));
    if (isEmpty) await workshop.git.discardCell(cell);
    else if (await workshop.git.isNews(cell)) kept.push(cell);
  }
  if (kept.length === 0) return;
  notice(
    workshop,
    `${kept.length} ${kept.length === 1 ? 'worktree holds' : 'worktrees hold'} work of agents that are gone, and ${kept.length === 1 ? 'stays' : 'stay'}.`,
    kept.map(({ path }) => path),
  );
}

/**
 * Puts away worktrees of sessions that have ended where their task was merged or dropped all the same: earlier
 * attempts at it. Those of tasks that failed stay until a person cleans up.
 */
export async function putAwaySettled(workshop: Workshop): Promise<void> {
  const snapshot = await workshop.store.snapshot();
  const ended = new Set(snapshot.sessions.filter(({ state }) => state === 'ended').map(({ id }) => id));
  for (const cell of await workshop.git.cells()) {
    if (cell.owner === 'alive' || cell.subject === null || !ended.has(cell.subject.session)) continue;
    const task = await taskIn(workshop, cell);
    if (task?.status !== 'merged' && task?.status !== 'dropped') continue;
    const why = `Its session has ended, and ${task.id} was ${task.status} without it.`;
    tell(workshop, cell, await putAway(workshop, cell, { why, isAsked: false }));
  }
}

/** Says that worktrees of a session stay, where some do. */
export async function tellKept(
  workshop: Pick<Workshop, 'events'> & WithGit<GitCells>,
  id: SessionId,
): Promise<void> {
  const kept = (await workshop.git.cells()).filter(({ subject }) => subject?.session === id);
  if (kept.length === 0) return;
  const count =
    kept.length === 1 ? '1 worktree of this session is' : `${kept.length} worktrees of this session are`;
  notice(
    workshop,
    `${count} kept: git flame cleanup`,
    kept.map(({ path }) => path),
  );
}

function tell(workshop: Pick<Workshop, 'events'>, { path }: CellInfo, outcome: PutAway): void {
  if (outcome.kind === 'rescued')
    notice(workshop, `${path} was put away: git flame rescue show ${rescueName(outcome.ref)}`);
  if (outcome.kind !== 'kept') return;
  const [first = '', ...more] = outcome.reasons;
  const others = more.length === 0 ? [] : [`and ${more.length} more`];
  notice(workshop, `${path} stays as it is.`, [first, ...others]);
}

function notice(workshop: Pick<Workshop, 'events'>, message: string, details: readonly string[] = []): void {
  workshop.events.emit({ event: 'notice', level: 'info', message, details });
}
