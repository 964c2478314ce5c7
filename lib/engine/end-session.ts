import { changesetsOfCycle, isOpen } from '../core/schedule/next-action.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import { archiveInPassing } from './keep/archive-old.ts';
import { record, type SessionView, viewSession } from './record.ts';
import { putAwaySettled, tellKept } from './recover-session.ts';
import { remember } from './session/remember.ts';
import type { Workshop } from './workshop.ts';

/** Ways a person can go on with work that is left where a session ends. */
function waysOn(
  { session, tasks }: Pick<SessionView, 'session' | 'tasks'>,
  maxCycles: number,
): readonly string[] {
  if (tasks.some(isOpen) && session.cycle >= maxCycles)
    return [`To go on: raise limits.max_wave_cycles above ${maxCycles}, then git flame resume ${session.id}`];
  const failed = tasks.find(({ status }) => status === 'failed');
  if (failed === undefined) return [];
  return [
    ...(changesetsOfCycle(session).length === 0
      ? ['Nothing passed in this cycle, so there was nothing to merge or to review']
      : []),
    `To try it again: git flame task release ${failed.id}, then git flame run`,
    "To plan what is left: git flame plan 'What is still to do'",
  ];
}

/** Closes a session; ending twice changes nothing. */
export async function endSession(workshop: Workshop, id: SessionId, reason: string): Promise<void> {
  const ended = await record(workshop, id, ({ session }) => {
    if (session.state === 'ended') return null;
    return {
      session: { next: { ...session, state: 'ended', wave: 'done' }, subject: `session: ended, ${reason}` },
    };
  });
  if (ended.kind !== 'done') return;
  const details = waysOn(await viewSession(workshop, id), workshop.config.limits.max_wave_cycles);
  const message = `The session has ended: ${reason}.`;
  workshop.events.emit({
    event: 'notice',
    level: 'info',
    message,
    ...(details.length === 0 ? {} : { details }),
  });
  await remember(workshop, id);
  await putAwaySettled(workshop);
  await tellKept(workshop, id);
  await archiveInPassing(workshop);
  await workshop.git.tidy();
}

/**
 * Ends a session on a person's request: no more work begins in it. Its work stays, and `git flame resume` continues it.
 * Throws FlameError `tasks-claimed` while any worker has a task of it.
 */
export async function giveUpSession(workshop: Workshop, id: SessionId): Promise<void> {
  const { tasks } = await viewSession(workshop, id);
  const claimed = tasks.filter(({ status }) => status === 'claimed');
  const [first] = claimed;
  if (first !== undefined) {
    throw new FlameError({
      kind: 'refused',
      code: 'tasks-claimed',
      message: `Session ${id} can't end while tasks of it are claimed: ${claimed.map((task) => task.id).join(', ')}.`,
      hints: [`git flame task submit ${first.id}`, `git flame task release ${first.id}`],
    });
  }
  await endSession(workshop, id, `given up by ${workshop.gates.person}`);
}
