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
import type { Workshop } from '../run-context.ts';
import { besideBase, diagnoseCommit, failedDiagnostics } from '../validate/run-diagnostics.ts';
import { applySuggestions } from './apply-suggestions.ts';
import { chooseFor, recordDecision, requireCommit } from './record-decision.ts';
import { undoDecision } from './undo-decision.ts';

/** Does what a person decided about a changeset; false: something else had become of it meanwhile, and that holds. */
export async function performDecision(
  workshop: Workshop,
  session: SessionId,
  changeset: Changeset,
  decision: Placed<ChangesetDecision>,
): Promise<boolean> {
  switch (decision.kind) {
    case 'again':
      return true;
    case 'undo':
      await undoDecision(workshop, session, decision.changeset, decision);
      return true;
    case 'choose':
      await chooseFor(workshop, session, changeset, decision);
      return true;
    case 'suggest':
      await applySuggestions(workshop, session, changeset, decision.comments);
      return true;
    case 'recheck':
      await recheck(workshop, session, changeset, decision);
      return true;
    case 'approve':
      await requireFree(workshop, session, changeset);
      return recordDecision(workshop, session, changeset, decision);
    case 'reject':
    case 'skip':
      return recordDecision(workshop, session, changeset, decision);
  }
}

/** Runs a changeset's checks again on its very commit, so that red work that only lacked something needs no override. */
async function recheck(
  workshop: Workshop,
  session: SessionId,
  { id, commit, base, group }: Changeset,
  from: Placed<unknown>,
): Promise<void> {
  const runs = await diagnoseCommit(workshop, commit, base, { session, words: `changeset ${group}` });
  const diagnostics = [...(await besideBase(workshop, runs, base))];
  await record(workshop, session, (view) => {
    const isMeant = (one: Changeset): boolean =>
      one.id === id && one.commit === commit && one.state === 'waiting';
    if (!view.session.changesets.some(isMeant)) return null;
    const gate = { gate: `changeset ${id}`, decision: 'recheck' };
    const noted = withGate(view.session, gate, from, workshop);
    const changesets = noted.changesets.map((one) => {
      if (!isMeant(one)) return one;
      // The signature covers only the results of the machine that built it.
      const { built_on: _, ...built } = one;
      return { ...built, diagnostics };
    });
    return {
      session: { next: { ...noted, changesets }, subject: `changeset ${id}: its checks ran again` },
      accepted: [checksDecision(noted, commit, workshop.configDigest)],
    };
  });
  const failing = failedDiagnostics(diagnostics).map(({ command }) => command);
  const message = `Changeset ${group}: its checks ran again: ${failing.length === 0 ? 'all are good' : `${failing.join(', ')} still fails`}.`;
  workshop.events.emit({ event: 'notice', level: failing.length === 0 ? 'info' : 'warning', message });
}

/** Performs a decision out of turn: changesets before it stay undecided. */
export async function decideNow(
  workshop: Workshop,
  session: SessionId,
  id: string,
  decision: Placed<ChangesetDecision>,
): Promise<void> {
  const view = await viewSession(workshop, session);
  const changeset = changesetsOfCycle(view.session).find((candidate) => candidate.id === id);
  if (changeset === undefined || changeset.state !== 'waiting') throw decidedAlready(id, changeset);
  if (decision.kind === 'approve') {
    await requireFree(workshop, session, changeset);
    // It was not asked about: the decision names the commit that was seen.
    requireCommit(changeset, decision.commit ?? null);
  }
  if (!(await performDecision(workshop, session, changeset, decision))) throw decidedAlready(id, changeset);
}

function decidedAlready(id: string, changeset: Changeset | undefined): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'decided-already',
    message:
      changeset === undefined
        ? `There is no changeset ${id} in this review.`
        : `Changeset ${id} was decided already.`,
    hints: ['git flame status'],
  });
}

/** A person named one changeset, and what it builds upon was not decided yet: throws FlameError `depends-on-undecided`. */
async function requireFree(workshop: Workshop, session: SessionId, changeset: Changeset): Promise<void> {
  const view = await viewSession(workshop, session);
  const blocker = blockingGroup(changesetsOfCycle(view.session), changeset);
  if (blocker === null) return;
  throw new FlameError({
    kind: 'refused',
    code: 'depends-on-undecided',
    message: `Changeset ${changeset.group} depends on ${blocker.group}, which is not decided yet.`,
    hints: [`git flame review --changeset ${shellQuote(blocker.group)} --approve`, 'git flame review'],
  });
}
