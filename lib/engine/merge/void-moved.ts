import { withStates } from '../../core/changesets/with-states.ts';
import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { landsOn } from '../../domain/state/session.ts';
import { shortId } from '../../util/short-id.ts';
import { type Recorder, record, type SessionView } from '../record.ts';
import { baseTip } from '../start-point.ts';
import type { Workshop } from '../workshop.ts';

/**
 * Changesets and approvals name the base they're about: when another process moved it, they are void and
 * built again.
 */
export async function voidMoved(
  workshop: Recorder & Pick<Workshop, 'git'>,
  { session }: SessionView,
): Promise<number> {
  const tip = await baseTip(workshop, session);
  if (tip === session.base_commit) return 0;
  const moved = changesetsOfCycle(session).filter(({ state }) => state === 'waiting' || state === 'approved');
  const why = `${landsOn(session)} moved from ${shortId(session.base_commit)} to ${shortId(tip)} since it was built`;
  await record(workshop, session.id, ({ session: now }) => ({
    session: {
      next: withStates(
        now,
        moved.map((changeset) => changeset.id),
        'void',
        why,
      ),
      subject: `changesets void: ${why}`,
    },
  }));
  for (const changeset of moved)
    workshop.events.emit({ event: 'landing-refused', changeset: changeset.id, why });
  return moved.length;
}
