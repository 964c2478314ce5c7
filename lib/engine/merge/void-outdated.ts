import { toLandingMessageDecision } from '../../core/admission/make-decisions.ts';
import { withChangesetState } from '../../core/changesets/changeset-decision.ts';
import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import { renderLineRange } from '../../domain/state/line-range.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import { shortId } from '../../util/short-names.ts';
import { decideAndRecord, type RecordContext, type SessionView } from '../record-changes.ts';
import { type RunContext, warn } from '../run-context.ts';
import { readBaseTip } from '../start-point.ts';

/**
 * Changesets and approvals name the base they're about: when another process moved it, they are void and
 * built again.
 */
export async function voidOutdatedChangesets(
  context: RecordContext & Pick<RunContext, 'git'>,
  { session }: SessionView,
): Promise<number> {
  const tip = await readBaseTip(context, session);
  if (tip === session.base_commit) return 0;
  const moved = listChangesetsOfCycle(session).filter(isChangesetOpen);
  const why = `${findLandingBranch(session)} moved from ${shortId(session.base_commit)} to ${shortId(tip)} since it was built`;
  const approved = moved.filter(({ state, message }) => state === 'approved' && message !== undefined);
  await decideAndRecord(context, session.id, ({ session: now }) => ({
    session: {
      next: withChangesetState(
        now,
        moved.map((changeset) => changeset.id),
        'void',
        why,
      ),
      subject: `changesets void: ${why}`,
    },
    // An approval counts no more, but what was written for it does: see findMessageToKeep.
    accepted: approved.map((changeset) => toLandingMessageDecision(now, changeset)),
  }));
  for (const changeset of moved) {
    context.events.emit({ event: 'landing-refused', changeset: changeset.id, why });
    warnOfStaleRemarks(context, changeset);
  }
  return moved.length;
}

/** Remarks are about lines as they were: they may not hold for the changeset that is built now. */
function warnOfStaleRemarks({ events }: RecordContext, { group, remarks = [] }: Changeset): void {
  if (remarks.length === 0) return;
  const message = `Changeset ${group} was built again without the comments you made when you approved it. Repeat those that still apply.`;
  const details = remarks.map(
    ({ path, text, ...lines }) => `${path}:${renderLineRange(lines)} ${text.split('\n')[0] ?? ''}`,
  );
  warn({ events }, message, details);
}
