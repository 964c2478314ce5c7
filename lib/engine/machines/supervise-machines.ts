import {
  toApprovalDecision,
  toChangesetBuiltDecision,
  toMachineTrustDecision,
  toVerdictDecision,
} from '../../core/admission/make-decisions.ts';
import { isStatementSignatureValid, toApprovalToSign, toVerdictToSign } from '../../core/machines/machine-statement.ts';
import { agentIdPattern, type SessionId } from '../../domain/ids.ts';
import type { SeenMachine } from '../../domain/ports/sharing-port.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { LoggedDecision } from '../../domain/state/decision-log.ts';
import type { JoinedMachineRole } from '../../domain/state/machine-schemas.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { decideAndRecord, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { releaseClaimsOfGoneMachines } from './take-over-claims.ts';
import { releaseDeadValidationClaims } from './validation-claims.ts';

/**
 * Acts on each look at the other machines: passes on claims of machines that are gone, publishes which roles each one
 * is trusted in, and applies signed results of trusted ones.
 */
export async function superviseMachines(context: RunContext, id: SessionId): Promise<void> {
  if (context.remoteSession === undefined) return;
  await releaseClaimsOfGoneMachines(context, id);
  await releaseDeadValidationClaims(context, id);
  await publishTrust(context, id, keptBack(context));
  await adoptStatementsOfMachines(context, id);
}

/** A script that has to come first runs where the session is led, at the beginning of that wave. */
function keptBack({ config, run }: RunContext): readonly JoinedMachineRole[] {
  return config.hooks.pre_validation === '' || run.isPrepared ? [] : ['validate'];
}

/**
 * Takes for this lead's own what machines found or had their person decide, as far as it trusts them with it: signed with
 * a key it trusts in that role, over exactly this, under the claim that holds. All else counts as if it weren't there.
 */
export async function adoptStatementsOfMachines(context: RunContext, id: SessionId): Promise<void> {
  if (context.remoteSession?.role !== 'lead') return;
  const snapshot = await context.store.snapshot();
  const session = snapshot.sessions.find((one) => one.id === id);
  if (session === undefined) return;
  context.decided.refresh();
  const verdicts = snapshot.tasksOf(id).flatMap((task) => {
    if (task.status !== 'done' || task.result.status === null) return [];
    const about = snapshot.verdictsOn(task.commit).filter((one) => one.session === id && one.task === task.id);
    return about.filter((verdict) => isVerdictOf(context, { session, task, verdict })).slice(-1);
  });
  const fresh = verdicts.filter((verdict) => !context.decided.has(toVerdictDecision(verdict)));
  const decided = session.changesets.flatMap((changeset) => wordsOn(context, session, changeset));
  const all = [...fresh.map(toVerdictDecision), ...decided];
  if (all.length === 0) return;
  context.decided.record(all);
  for (const { task, commit, status, notes, by } of fresh)
    context.events.emit({ event: 'verdict', task, commit, status, notes, by });
}

function isVerdictOf(
  context: RunContext,
  { session, task, verdict }: { readonly session: Session; readonly task: Task; readonly verdict: Verdict },
): boolean {
  const { machine: word, by } = verdict;
  // An override by a person of that machine is no finding.
  if (verdict.override !== undefined || (by !== 'diagnostics' && !agentIdPattern.test(by))) return false;
  // By its own hands it can't be judged; what was found under a claim that passed on is past.
  if (word === undefined || word.name === task.claimed_host) return false;
  if (task.judging?.claim !== word.claim || task.judging.machine !== word.name) return false;
  if (task.judging.commit !== verdict.commit || task.start_commit !== verdict.base) return false;
  return (
    isTrusted(context, session, { key: word.key, role: 'validate' }) &&
    isStatementSignatureValid('validate', toVerdictToSign(verdict), word)
  );
}

function wordsOn(context: RunContext, session: Session, changeset: Changeset): readonly LoggedDecision[] {
  const { state, built_on: built, approved_on: approved } = changeset;
  if (state !== 'waiting' && state !== 'approved') return [];
  const words: LoggedDecision[] = [];
  if (
    built !== undefined &&
    built.claim === session.machines?.merging?.claim &&
    isTrusted(context, session, { key: built.key, role: 'merge' }) &&
    isStatementSignatureValid('merge', toChangesetBuiltDecision(session, changeset), built)
  )
    words.push(toChangesetBuiltDecision(session, changeset));
  if (
    state === 'approved' &&
    approved !== undefined &&
    approved.claim === (session.machines?.term ?? 1) &&
    isTrusted(context, session, { key: approved.key, role: 'review' }) &&
    isStatementSignatureValid('review', toApprovalToSign(session, changeset), approved)
  )
    words.push(toApprovalDecision(session, changeset));
  return words.filter((decision) => !context.decided.has(decision));
}

type Trusting = Pick<RunContext, 'config' | 'now' | 'decided' | 'remoteSession'>;

/** Whether what the holder of a key says in a role counts here: by this clone's person, or by the configuration. */
function isTrusted(
  { config, now, decided }: Pick<Trusting, 'config' | 'now' | 'decided'>,
  session: Pick<Session, 'id'>,
  { key, role }: { readonly key: string; readonly role: JoinedMachineRole },
): boolean {
  const today = now().toISOString().slice(0, 10);
  const named = config.machines.trusted.some(
    (one) => one.key === key && one.roles.includes(role) && (one.until === undefined || one.until >= today),
  );
  return named || decided.has(toMachineTrustDecision(session, key, role));
}

/** True if this machine may act in a role: a lead in all of them, others as started and, beyond tasks, as trusted. */
export function mayMachineActInRole(
  { remoteSession, place }: Pick<RunContext, 'remoteSession' | 'place'>,
  { machines }: Pick<Session, 'machines'>,
  role: JoinedMachineRole,
): boolean {
  if (remoteSession === undefined || remoteSession.role === 'lead') return true;
  if (!remoteSession.roles.includes(role)) return false;
  return (
    role === 'work' || machines?.trusted?.some((one) => one.machine === place && one.roles.includes(role)) === true
  );
}

/** Machines that are there and that this lead has do something beside tasks. */
export function listMachinesTrustedInRole(
  context: Trusting,
  session: Pick<Session, 'id'>,
  role: JoinedMachineRole,
): readonly SeenMachine[] {
  const there = context.remoteSession?.machines() ?? [];
  return there.filter(({ sign, state }) => {
    if (state === 'gone' || sign?.key === undefined || !sign.roles.includes(role)) return false;
    return isTrusted(context, session, { key: sign.key, role });
  });
}

/**
 * Publishes which roles beside tasks this lead trusts each machine in. `without` is kept back for now. Trust itself is
 * looked up in this clone each time: another clone gains nothing by writing this into the note.
 */
async function publishTrust(
  context: RunContext,
  id: SessionId,
  without: readonly JoinedMachineRole[] = [],
): Promise<void> {
  if (context.remoteSession?.role !== 'lead') return;
  context.decided.refresh();
  const roles = (['validate', 'merge', 'review'] as const).filter((role) => !without.includes(role));
  const found = new Map<string, JoinedMachineRole[]>();
  for (const role of roles)
    for (const { machine } of listMachinesTrustedInRole(context, { id }, role))
      if (machine !== null) found.set(machine, [...(found.get(machine) ?? []), role]);
  const trusted = [...found]
    .map(([machine, all]) => ({ machine, roles: all }))
    .sort((a, b) => (a.machine < b.machine ? -1 : 1));
  const isSaid = (session: Session): boolean =>
    JSON.stringify(session.machines?.trusted ?? []) === JSON.stringify(trusted);
  if (isSaid((await viewSession(context, id)).session)) return;
  await decideAndRecord(context, id, ({ session }) => {
    if (session.machines === undefined || isSaid(session)) return null;
    const { trusted: _, ...terms } = session.machines;
    const machines = trusted.length === 0 ? terms : { ...terms, trusted };
    return {
      session: { next: { ...session, machines }, subject: 'session: trusted machines and their roles' },
    };
  });
}
