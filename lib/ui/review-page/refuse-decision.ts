import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isRed } from '../../domain/state/is-red.ts';
import { problem } from '../page/page-answers.ts';
import type { PageAnswer } from '../page/page-server.ts';

/** Why a decision made in a tab is not taken, as far as what is stored says so; null: it is. */
export function refuseDecision(
  changeset: Changeset | undefined,
  {
    id,
    commit,
    decision,
    needs,
  }: {
    readonly id: string;
    /** What the tab showed. */
    readonly commit: string;
    readonly decision: ChangesetDecision;
    /** Changesets below that have to be approved first, as words; empty: none. */
    readonly needs: string;
  },
): PageAnswer | null {
  if (changeset === undefined || changeset.commit !== commit)
    return problem(409, `Changeset ${id} was built again: what you saw is not what would land.`);
  const { state, decided_by: by } = changeset;
  if (state !== 'waiting')
    return problem(409, `Changeset ${id} is ${state} already${by === null ? '' : `, by ${by}`}.`);
  if (decision.kind !== 'approve') return null;
  if (isRed(changeset) && decision.override === undefined)
    return problem(422, 'Its diagnostics fail: to approve it all the same, say why.');
  if (needs !== '')
    return problem(409, `Changeset ${id} builds on ${needs}, which has to be approved first.`);
  return null;
}
