import { changeChangesets, withChangesetState } from '../../core/changesets/changeset-decision.ts';
import { withdrawTasks } from '../../core/task/block-dependents.ts';
import { requeueTask } from '../../core/task/task-outcome.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-names.ts';
import { decideAndRecord, type RecordContext, requireTaskInView, viewSession } from '../record-changes.ts';
import { timestamp } from '../run-context.ts';
import { filterFailedDiagnostics } from '../validate/run-diagnostics.ts';
import { type ChangesetToProve, isStillApproved } from './prove-landing.ts';

/** Another process moved the base: the approval is void, nothing is forced, the changeset is built again. */
export async function refuseLandingOnMovedBase(
  context: RecordContext,
  session: Session,
  changeset: Changeset,
  tip: ObjectId,
): Promise<false> {
  return voidRefusedLanding(
    context,
    session,
    changeset,
    `${findLandingBranch(session)} moved to ${shortId(tip)} after it was approved`,
  );
}

/** Its approval is void with it: it is built again from the commits of its tasks. */
export async function voidRefusedLanding(
  context: RecordContext,
  session: Session,
  changeset: Changeset,
  why: string,
): Promise<false> {
  await decideAndRecord(context, session.id, ({ session: now }) => ({
    session: {
      next: withChangesetState(now, [changeset.id], 'void', why),
      subject: `changeset ${changeset.id}: void, ${why}`,
    },
  }));
  return reportRefusedLanding(context, changeset, why);
}

/** Reason of an approval that does not count, where none was given. */
export const noApprovalReason = 'its approval no longer applies';

/** While it was proven it was decided otherwise, or its tasks got other work: that stands, and nothing was landed. */
export async function refuseUnapprovedLanding(
  context: RecordContext,
  id: SessionId,
  changeset: Changeset,
): Promise<false> {
  const { session } = await viewSession(context, id);
  const known = session.changesets.find((one) => one.id === changeset.id);
  return reportRefusedLanding(context, changeset, known?.reason ?? noApprovalReason);
}

/** Says that it has not landed; nothing is recorded. */
export function reportRefusedLanding({ events }: Pick<RecordContext, 'events'>, { id }: Changeset, why: string): false {
  events.emit({ event: 'landing-refused', changeset: id, why });
  return false;
}

/** The work does not hold where it would land: its tasks are done again, and know why. */
export async function sendChangesetTasksBack(
  context: RecordContext,
  id: SessionId,
  proven: ChangesetToProve,
  notes: string,
): Promise<false> {
  const at = timestamp(context);
  const { changeset } = proven;
  const result = await decideAndRecord(context, id, (view) =>
    isStillApproved(view, proven)
      ? {
          session: {
            next: withChangesetState(view.session, [changeset.id], 'conflict', notes),
            subject: `changeset ${changeset.id}: ${notes}`,
          },
          steps: withdrawTasks(
            view.tasks,
            changeset.tasks.map((task) => requeueTask(requireTaskInView(view, task), { kind: 'conflict', notes, at })),
            at,
          ),
          body: notes,
        }
      : null,
  );
  if (result.kind === 'nothing') return refuseUnapprovedLanding(context, id, changeset);
  return reportRefusedLanding(context, changeset, notes);
}

/** Asks again about a changeset that was green when it was approved and is red now, with the new results. */
export async function reopenRedChangeset(
  context: RecordContext,
  id: SessionId,
  proven: ChangesetToProve,
  diagnostics: readonly DiagnosticRun[],
): Promise<false> {
  const name = proven.changeset.id;
  const failing = filterFailedDiagnostics(diagnostics).map(({ command }) => command);
  const why = `its diagnostics fail now: ${failing.join(', ')}`;
  const asked = { state: 'waiting' as const, diagnostics: [...diagnostics], reason: null, decided_by: null };
  const result = await decideAndRecord(context, id, (view) => {
    if (!isStillApproved(view, proven)) return null;
    const next = changeChangesets(view.session, [name], (known) => ({ ...known, ...asked }));
    return { session: { next, subject: `changeset ${name}: waits again, ${why}` } };
  });
  if (result.kind === 'nothing') return refuseUnapprovedLanding(context, id, proven.changeset);
  return reportRefusedLanding(context, proven.changeset, why);
}

/** Error that ends a command after refused landings. */
export function landingRefusedError(refused: number): FlameError {
  return refusedError(
    'landing-refused',
    `${refused} ${refused === 1 ? 'changeset was' : 'changesets were'} not landed. Nothing was forced.`,
    ['git flame merge', 'git flame review'],
  );
}
