import { nextClaim } from '../../domain/state/claim-number.ts';
import type { Reservation, Session } from '../../domain/state/session.ts';
import { isBound } from '../../util/machine-key.ts';
import type { Fault, StepAuthor } from './judge-task-step.ts';

/**
 * What one step of a session's note broke of the rules by which machines share it: who leads, what is trusted, spent and
 * set aside, and what landed. A step that only takes from who made it, or leaves the others less to spend, breaks none.
 * The same holds once it has ended, or is shared no more: else whoever ends it against the rules had a free hand. That it
 * is opened again is no breach: each clone asks its person about that.
 */
export function judgeSessionStep(before: Session, after: Session, author: StepAuthor): readonly Fault[] {
  return [
    leadFault(before, after, author),
    trustFault(before, after, author),
    ...budgetFaults(before, after, author),
    limitFault(before, after, author),
    endFault(before, after, author),
  ].flatMap((fault) => fault ?? []);
}

function leadFault({ machines: was }: Session, { machines: is }: Session, author: StepAuthor): Fault | null {
  const fault = (what: string): Fault => ({ kind: 'lead', machine: was?.lead ?? null, what });
  if (was === undefined)
    return is === undefined || author.isBy(is.lead)
      ? null
      : fault(`${is.lead} was made to lead, and did not do that`);
  if (is === undefined) return fault('it is shared with no machines any more');
  if (is.term < was.term) return fault(`its terms went from ${was.term} back to ${is.term}`);
  const isOther = is.lead !== was.lead;
  if (isOther && is.term !== nextClaim(was.term))
    return fault(`term ${is.term} of ${is.lead} follows term ${was.term} of ${was.lead}`);
  if (!isOther && is.term > was.term) return fault(`term ${is.term} began with who led before`);
  if (isOther && !author.isBy(is.lead))
    return fault(`${is.lead} took the lead from ${was.lead}, and did not do that`);
  if (isOther && isBound(was.lead) && !isBound(is.lead))
    return fault(`${is.lead} took the lead from ${was.lead}, and its name holds no key`);
  const isSame = is.lease_ms === was.lease_ms && is.renew_ms === was.renew_ms;
  return isSame || isOther || author.isByLead ? null : fault('its leases were changed by who does not lead');
}

function trustFault({ machines: was }: Session, { machines: is }: Session, author: StepAuthor): Fault | null {
  if (was === undefined || is === undefined || author.isByLead) return null;
  const fault = (what: string): Fault => ({ kind: 'trust', machine: is.lead, what });
  const isTold = JSON.stringify(was.trusted ?? []) === JSON.stringify(is.trusted ?? []);
  if (!isTold && is.lead === was.lead)
    return fault('what machines are trusted with is not the word of its lead');
  const [old, now] = [was.merging, is.merging];
  const isHandedOut = now?.machine != null && (now.machine !== old?.machine || now.claim !== old.claim);
  const isFallen = (now?.claim ?? 0) < (old?.claim ?? 0);
  return isHandedOut || isFallen ? fault('merging was handed out by who does not lead') : null;
}

function budgetFaults(before: Session, after: Session, author: StepAuthor): readonly Fault[] {
  const faults: Fault[] = [];
  const fault = (machine: string | null, what: string): void =>
    void faults.push({ kind: 'budget', machine, what });
  for (const one of before.reservations ?? []) {
    if (isKept(one, after) || author.isBy(one.machine) || author.isByLead) continue;
    fault(one.machine, `what ${one.agent} on ${one.machine} had set aside was taken away`);
  }
  for (const [name, was] of Object.entries(before.spent_on ?? {})) {
    const is = after.spent_on?.[name];
    if (is === undefined || is.cost_usd < was.cost_usd || is.tokens < was.tokens)
      fault(name, `what ${name} spent became less`);
  }
  if (after.cost_usd < before.cost_usd || after.tokens < before.tokens)
    fault(null, 'what was spent became less');
  return faults;
}

/** Whether what was set aside still is, or counts as spent; its run may also have been booked. */
function isKept({ agent, cost_usd, tokens, presumed }: Reservation, { reservations = [] }: Session): boolean {
  return reservations.some(
    (one) =>
      one.agent === agent &&
      one.cost_usd >= cost_usd &&
      one.tokens >= tokens &&
      (presumed !== true || one.presumed === true),
  );
}

function limitFault(before: Session, after: Session, author: StepAuthor): Fault | null {
  const isRaised = (after.raised_limit ?? 0) > (before.raised_limit ?? 0);
  if (!isRaised || author.isByLead) return null;
  return { kind: 'budget', machine: null, what: 'its limit was raised by who does not lead' };
}

function endFault(before: Session, after: Session, author: StepAuthor): Fault | null {
  if (author.isByLead) return null;
  const landed = ({ changesets }: Session): number =>
    changesets.filter(({ landed_commit: commit }) => commit !== null).length;
  const fault = (what: string): Fault => ({ kind: 'end', machine: before.machines?.lead ?? null, what });
  if (landed(after) > landed(before))
    return fault('a changeset was said to have landed by who does not lead');
  if (before.state === 'ended') return null;
  if (after.state === 'ended') return fault('it was ended by who does not lead');
  const isArchived = after.archived_at !== undefined && before.archived_at === undefined;
  return isArchived ? fault('it was archived before it had ended') : null;
}
