import type { BreachKind } from '../../domain/state/breach.ts';
import { nextClaim } from '../../domain/state/claim-number.ts';
import { hasWork, type Task } from '../../domain/state/task.ts';
import { transitions } from '../task/task-state.ts';

/** What is known of who made a step of a session that machines share, and of the machines. */
export interface StepAuthor {
  /** Whether it may be that machine's: it signed it, or isn't known to sign. */
  isBy(machine: string): boolean;
  /** Whether it may be that of the one that leads. */
  readonly isByLead: boolean;
  /** Whether that machine was watched giving signs of life, so that nobody can have given it up. */
  isAlive(machine: string): boolean;
}

/** A rule that a step broke: whose right that was, and how, in words that follow the task's name. */
export interface Fault {
  readonly kind: BreachKind;
  readonly machine: string | null;
  readonly what: string;
}

/**
 * What one step of a task's note broke of the rules by which machines share it; nothing where any of them could have made
 * it. null: there was no note before.
 */
export function judgeTaskStep(before: Task | null, after: Task, author: StepAuthor): readonly Fault[] {
  const found = [claimFault(before, after, author) ?? outcomeFault(before, after, author)];
  return [...found, judgingFault(before, after, author)].flatMap((fault) => fault ?? []);
}

function claimFault(before: Task | null, after: Task, author: StepAuthor): Fault | null {
  const [was, is] = [before?.claim ?? 0, after.claim ?? 0];
  const holder = before?.status === 'claimed' ? before.claimed_host : null;
  const fault = (machine: string | null, what: string): Fault => ({ kind: 'claim', machine, what });
  if (is < was) return fault(holder, `its claims went from ${was} back to ${is}`);
  if (before?.status === 'claimed' && after.status === 'claimed') {
    const isSame =
      is === was && after.agent_id === before.agent_id && after.claimed_host === before.claimed_host;
    return isSame ? null : fault(holder, `${nameOf(after)} took the claim of ${nameOf(before)}`);
  }
  if (after.status !== 'claimed')
    return is === was || before === null ? null : fault(holder, `claim ${is} came without being claimed`);
  if (is !== nextClaim(was)) return fault(after.claimed_host, `claim ${is} follows claim ${was}`);
  const { claimed_host: claimer } = after;
  if (claimer === null || author.isBy(claimer)) return null;
  return fault(claimer, `it was claimed for ${claimer}, which did not do that`);
}

function outcomeFault(before: Task | null, after: Task, author: StepAuthor): Fault | null {
  const from = before?.status ?? 'nothing';
  if (before?.status === 'claimed') return heldFault(before, after, author);
  if (after.status === 'merged' && from !== 'merged' && !author.isByLead)
    return { kind: 'end', machine: null, what: 'it was said to have landed by who does not lead' };
  if (author.isByLead) return null;
  if (after.status === 'done' && (before === null || before.status !== 'done' || isOther(before, after)))
    return { kind: 'result', machine: null, what: `${from} -> done, under no claim` };
  return isLegal(before, after)
    ? null
    : { kind: 'status', machine: null, what: `${from} -> ${after.status}, which no step can do` };
}

/** How a claim ended: its holder says so, and only that it is free again may also be another's word. */
function heldFault(before: Task, after: Task, author: StepAuthor): Fault | null {
  const { claimed_host: holder } = before;
  const isHolders = holder === null || author.isBy(holder);
  switch (after.status) {
    case 'claimed':
      return null;
    case 'pending':
      if (isHolders || author.isByLead || !author.isAlive(holder)) return null;
      return {
        kind: 'release',
        machine: holder,
        what: `the claim of ${holder} was released, which gave signs of life all the time`,
      };
    case 'done':
    case 'failed':
      if (isHolders && isOfClaim(before, after.agent_id)) return null;
      return {
        kind: 'result',
        machine: holder,
        what: `claimed -> ${after.status} under the claim of ${nameOf(before)}, which did not do that`,
      };
    default:
      if (author.isByLead) return null;
      return {
        kind: 'status',
        machine: holder,
        what: `claimed -> ${after.status}, which no step can do`,
      };
  }
}

function judgingFault(before: Task | null, after: Task, author: StepAuthor): Fault | null {
  const [was, is] = [before?.judging, after.judging];
  if (is === undefined && was === undefined) return null;
  const fault = (machine: string | null, what: string): Fault => ({ kind: 'judging', machine, what });
  const holder = was?.machine ?? null;
  if ((is?.claim ?? 0) < (was?.claim ?? 0))
    return fault(holder, `its claims to judge it went from ${was?.claim} back to ${is?.claim ?? 0}`);
  const isNew = is?.machine != null && (is.machine !== holder || is.claim !== was?.claim);
  if (isNew && is?.machine != null) {
    if (is.claim !== nextClaim(was?.claim))
      return fault(is.machine, `claim ${is.claim} to judge it follows claim ${was?.claim ?? 0}`);
    if (holder !== null && was?.commit === is.commit && before?.status === 'done')
      return fault(holder, `${is.machine} took from ${holder} that it judges it`);
    return author.isBy(is.machine)
      ? null
      : fault(is.machine, `${is.machine} is to judge it, which did not say so`);
  }
  const isFreed = holder !== null && is?.machine == null;
  if (!isFreed || author.isBy(holder) || author.isByLead || !author.isAlive(holder)) return null;
  return {
    kind: 'release',
    machine: holder,
    what: `it was taken from ${holder} to judge it, which gave signs of life all the time`,
  };
}

/** Whether an agent is that of a claim, or one of several that work under it. */
function isOfClaim({ agent_id, tries = [] }: Task, agent: string | null): boolean {
  return agent === agent_id || tries.some((one) => one.agent_id === agent);
}

function nameOf({ agent_id, claimed_by, claimed_host }: Task): string {
  const who = agent_id ?? claimed_by ?? 'nobody';
  return claimed_host === null ? who : `${who} on ${claimed_host}`;
}

function isOther(before: Task, after: Task): boolean {
  return hasWork(before) && before.commit !== after.commit;
}

function isLegal(before: Task | null, after: Task): boolean {
  if (before === null) return after.status === 'pending' || after.status === 'blocked';
  const legal: readonly Task['status'][] = transitions[before.status];
  const isTakenBack = (after.undone ?? 0) > (before.undone ?? 0);
  return before.status === after.status || legal.includes(after.status) || isTakenBack;
}
