import { checksDecision } from '../../core/admission/decisions.ts';
import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { Placed } from '../../domain/ports/gates.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { blockingGroup } from '../../domain/state/changeset-facts.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { withGate } from '../agents/ask-person.ts';
import { record, viewSession } from '../record.ts';
import type { RunContext } from '../run-context.ts';
import { diagnoseCommit, failedDiagnostics, markFailingOnBase } from '../validate/run-diagnostics.ts';
import { applySuggestions } from './apply-suggestions.ts';
import { chooseAttemptFor, recordDecision, requireCommit } from './record-decision.ts';
import { undoDecision } from './undo-decision.ts';

/** Does what a person decided about a changeset; false: something else had become of it meanwhile, and that holds. */
export async function performDecision(
  context: RunContext,
  session: SessionId,
  changeset: Changeset,
  decision: Placed<ChangesetDecision>,
): Promise<boolean> {
  switch (decision.kind) {
    case 'again':
      return true;
    case 'undo':
      await undoDecision(context, session, decision.changeset, decision);
      return true;
    case 'choose':
      await chooseAttemptFor(context, session, changeset, decision);
      return true;
    case 'suggest':
      await applySuggestions(context, session, changeset, decision.comments);
      return true;
    case 'recheck':
      await recheck(context, session, changeset, decision);
      return true;
    case 'approve':
      await requireFree(context, session, changeset);
      return recordDecision(context, session, changeset, decision);
    case 'reject':
    case 'skip':
      return recordDecision(context, session, changeset, decision);
  }
}

/** Runs a changeset's checks again on its very commit, so that red work that only lacked something needs no override. */
async function recheck(
  context: RunContext,
  session: SessionId,
  { id, commit, base, group }: Changeset,
  from: Placed<unknown>,
): Promise<void> {
  const runs = await diagnoseCommit(context, commit, base, { session, words: `changeset ${group}` });
  const diagnostics = [...(await markFailingOnBase(context, runs, base))];
  await record(context, session, (view) => {
    const isSelected = (one: Changeset): boolean =>
      one.id === id && one.commit === commit && one.state === 'waiting';
    if (!view.session.changesets.some(isSelected)) return null;
    const gate = { gate: `changeset ${id}`, decision: 'recheck' };
    const noted = withGate(view.session, gate, from, context);
    const changesets = noted.changesets.map((one) => {
      if (!isSelected(one)) return one;
      // The signature covers only the results of the machine that built it.
      const { built_on: _, ...built } = one;
      return { ...built, diagnostics };
    });
    return {
      session: { next: { ...noted, changesets }, subject: `changeset ${id}: its checks ran again` },
      accepted: [checksDecision(noted, commit, context.configDigest)],
    };
  });
  const failing = failedDiagnostics(diagnostics).map(({ command }) => command);
  const message = `Changeset ${group}: its checks ran again: ${failing.length === 0 ? 'all pass' : `${failing.join(', ')} still fails`}.`;
  context.events.emit({ event: 'notice', level: failing.length === 0 ? 'info' : 'warning', message });
}

/** Performs a decision out of turn: changesets before it stay undecided. */
export async function decideOutOfTurn(
  context: RunContext,
  session: SessionId,
  id: string,
  decision: Placed<ChangesetDecision>,
): Promise<void> {
  const view = await viewSession(context, session);
  const changeset = changesetsOfCycle(view.session).find((candidate) => candidate.id === id);
  if (changeset === undefined || changeset.state !== 'waiting') throw decidedAlready(id, changeset);
  if (decision.kind === 'approve') {
    await requireFree(context, session, changeset);
    // It was not asked about: the decision names the commit that was seen.
    requireCommit(changeset, decision.commit ?? null);
  }
  if (!(await performDecision(context, session, changeset, decision))) throw decidedAlready(id, changeset);
}

function decidedAlready(id: string, changeset: Changeset | undefined): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'decided-already',
    message:
      changeset === undefined
        ? `There is no changeset ${id} in this review.`
        : `Changeset ${id} is already decided.`,
    hints: ['git flame status'],
  });
}

/** A person named one changeset, and what it builds upon was not decided yet: throws FlameError `depends-on-undecided`. */
async function requireFree(context: RunContext, session: SessionId, changeset: Changeset): Promise<void> {
  const view = await viewSession(context, session);
  const blocker = blockingGroup(changesetsOfCycle(view.session), changeset);
  if (blocker === null) return;
  throw new FlameError({
    kind: 'refused',
    code: 'depends-on-undecided',
    message: `Changeset ${changeset.group} depends on ${blocker.group}, and that one has no decision yet.`,
    hints: [`git flame review --changeset ${shellQuote(blocker.group)} --approve`, 'git flame review'],
  });
}
