import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { lookingAhead } from '../radar/watch-ahead.ts';
import type { SessionView } from '../record.ts';
import { tellOnce } from '../tell-once.ts';
import type { Workshop } from '../workshop.ts';
import { decideOne } from './decide-one.ts';

/** Changesets that wait for a decision and that the person of this machine was not asked about in vain. */
export function openReviews(
  { run }: Pick<Workshop, 'run'>,
  { session, stored }: Pick<SessionView, 'session' | 'stored'>,
): readonly Changeset[] {
  if (stored.wave !== 'review') return [];
  return changesetsOfCycle(session).filter(
    (changeset) => changeset.state === 'waiting' && !run.told.has(unasked(changeset)),
  );
}

/**
 * Has the person of this machine decide about changesets of a session that another one leads: that one lands them. If
 * no person can be asked here, that is reported once.
 */
export async function reviewForLead(
  workshop: Workshop,
  id: SessionId,
  open: readonly Changeset[],
): Promise<void> {
  await lookingAhead(workshop, async (radar) => {
    for (const [index, changeset] of open.entries()) {
      const turn = { position: index + 1, total: open.length, radar };
      await decideOne(workshop, id, changeset.id, turn).catch((error: unknown) => {
        if (!(error instanceof FlameError) || error.kind !== 'waiting') throw error;
        workshop.run.told.add(unasked(changeset));
        tellOnce(workshop, `Nobody can be asked here about changeset ${changeset.group}: ${error.message}`);
      });
    }
  });
}

function unasked({ id, commit }: Changeset): string {
  return `unasked ${id} ${commit}`;
}
