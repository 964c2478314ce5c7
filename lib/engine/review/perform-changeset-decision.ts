import { toDiagnosticsRunDecision } from '../../core/admission/make-decisions.ts';
import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { DecisionWithPlace } from '../../domain/ports/gates.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { findBlockingChangeset } from '../../domain/state/changeset-facts.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { addGateDecision } from '../agents/ask-person.ts';
import { decideAndRecord, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { diagnoseCommit, filterFailedDiagnostics, markDiagnosticsFailingOnBase } from '../validate/run-diagnostics.ts';
import { commitSuggestions } from './apply-suggestions.ts';
import { applyChosenAttempt, recordChangesetOutcome, requireSeenCommit } from './record-changeset-decision.ts';
import { undoChangesetDecision } from './undo-changeset-decision.ts';

/** Does what a person decided about a changeset; false: something else had become of it meanwhile, and that holds. */
export async function performChangesetDecision(
  context: RunContext,
  session: SessionId,
  changeset: Changeset,
  decision: DecisionWithPlace<ChangesetDecision>,
): Promise<boolean> {
  switch (decision.kind) {
    case 'again':
      return true;
    case 'undo':
      await undoChangesetDecision(context, session, decision.changeset, decision);
      return true;
    case 'choose':
      await applyChosenAttempt(context, session, changeset, decision);
      return true;
    case 'suggest':
      await commitSuggestions(context, session, changeset, decision.comments);
      return true;
    case 'recheck':
      await recheck(context, session, changeset, decision);
      return true;
    case 'approve':
      await requireFree(context, session, changeset);
      return recordChangesetOutcome(context, session, changeset, decision);
    case 'reject':
    case 'skip':
      return recordChangesetOutcome(context, session, changeset, decision);
  }
}

/** Runs a changeset's checks again on its very commit, so that red work that only lacked something needs no override. */
async function recheck(
  context: RunContext,
  session: SessionId,
  { id, commit, base, parent, group }: Changeset,
  from: DecisionWithPlace<unknown>,
): Promise<void> {
  const runs = await diagnoseCommit(context, commit, base, { session, words: `changeset ${group}` }, parent);
  const diagnostics = [...(await markDiagnosticsFailingOnBase(context, runs, base))];
  await decideAndRecord(context, session, (view) => {
    const isSelected = (one: Changeset): boolean => one.id === id && one.commit === commit && one.state === 'waiting';
    if (!view.session.changesets.some(isSelected)) return null;
    const gate = { gate: `changeset ${id}`, decision: 'recheck' };
    const noted = addGateDecision(view.session, gate, from, context);
    const changesets = noted.changesets.map((one) => (isSelected(one) ? { ...one, diagnostics } : one));
    return {
      session: { next: { ...noted, changesets }, subject: `changeset ${id}: its checks ran again` },
      accepted: [toDiagnosticsRunDecision(noted, commit, context.configDigest)],
    };
  });
  const failing = filterFailedDiagnostics(diagnostics).map(({ command }) => command);
  const message = `Changeset ${group}: its checks ran again: ${failing.length === 0 ? 'all pass' : `${failing.join(', ')} still fails`}.`;
  context.events.emit({ event: 'notice', level: failing.length === 0 ? 'info' : 'warning', message });
}

/** Performs a decision out of turn: changesets before it stay undecided. */
export async function decideChangesetOutOfTurn(
  context: RunContext,
  session: SessionId,
  id: string,
  decision: DecisionWithPlace<ChangesetDecision>,
): Promise<void> {
  const view = await viewSession(context, session);
  const changeset = listChangesetsOfCycle(view.session).find((candidate) => candidate.id === id);
  if (changeset === undefined || changeset.state !== 'waiting') throw decidedAlready(id, changeset);
  if (decision.kind === 'approve') {
    await requireFree(context, session, changeset);
    // It was not asked about: the decision names the commit that was seen.
    requireSeenCommit(changeset, decision.commit ?? null);
  }
  if (!(await performChangesetDecision(context, session, changeset, decision))) throw decidedAlready(id, changeset);
}

function decidedAlready(id: string, changeset: Changeset | undefined): FlameError {
  return refusedError(
    'decided-already',
    changeset === undefined ? `There is no changeset ${id} in this review.` : `Changeset ${id} is already decided.`,
    ['git flame status'],
  );
}

/** A person named one changeset, and what it builds upon was not decided yet: throws FlameError `depends-on-undecided`. */
async function requireFree(context: RunContext, session: SessionId, changeset: Changeset): Promise<void> {
  const view = await viewSession(context, session);
  const blocker = findBlockingChangeset(listChangesetsOfCycle(view.session), changeset);
  if (blocker === null) return;
  throw refusedError(
    'depends-on-undecided',
    `Changeset ${changeset.group} depends on ${blocker.group}, and that one has no decision yet.`,
    [`git flame review --changeset ${shellQuote(blocker.group)} --approve`, 'git flame review'],
  );
}
