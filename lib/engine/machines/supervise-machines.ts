import { toMachineTrustDecision, toVerdictDecision } from '../../core/admission/make-decisions.ts';
import { isVerdictSignatureValid } from '../../core/machines/machine-statement.ts';
import { agentIdPattern, type SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { digestPlanTasks } from '../../domain/view-models/status-view.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { decideAndRecord, reportVerdict, viewSession } from '../record-changes.ts';
import { inform, type RunContext } from '../run-context.ts';
import { releaseHoldingsOfGoneMachines } from './release-holdings.ts';

/**
 * Acts on each look at the other machines: frees what those hold that are gone. Who leads also says
 * how to join, publishes which ones may validate, and makes the signed verdicts of those its own.
 */
export async function superviseMachines(context: RunContext, id: SessionId): Promise<void> {
  const { remoteSession } = context;
  if (remoteSession === undefined) return;
  await releaseHoldingsOfGoneMachines(context, id);
  if (remoteSession.role !== 'lead') return;
  context.decided.refresh();
  reportHowToJoin(context, remoteSession.remote, (await context.store.snapshot()).tasksOf(id));
  await publishValidators(context, id);
  await adoptVerdictsOfMachines(context, id);
}

/** Says what to type on another machine, each time the plan is another one. */
function reportHowToJoin(
  { events, run }: Pick<RunContext, 'events' | 'run'>,
  remote: string,
  tasks: readonly Task[],
): void {
  const digest = digestPlanTasks(tasks);
  if (run.warned.has(digest)) return;
  run.warned.add(digest);
  const message = `To have another machine work on it too, run there: git flame work --join ${shellQuote(remote)} --plan ${digest}`;
  inform({ events }, message);
}

/**
 * Takes for this lead's own what machines found: verdicts signed with a key it trusts, over exactly this, under the
 * claim that holds. All else counts as if it weren't there.
 */
export async function adoptVerdictsOfMachines(context: RunContext, id: SessionId): Promise<void> {
  const snapshot = await context.store.snapshot();
  const session = snapshot.sessions.find((one) => one.id === id);
  if (session === undefined) return;
  const verdicts = snapshot.tasksOf(id).flatMap((task) => {
    if (task.status !== 'done' || task.result.status === null) return [];
    const about = snapshot.verdictsOn(task.commit).filter((one) => one.session === id && one.task === task.id);
    return about.filter((verdict) => isTrustedVerdictOf(context, { session, task, verdict })).slice(-1);
  });
  const fresh = verdicts.filter((verdict) => !context.decided.has(toVerdictDecision(verdict)));
  if (fresh.length === 0) return;
  context.decided.record(fresh.map(toVerdictDecision));
  for (const verdict of fresh) reportVerdict(context, verdict);
}

function isTrustedVerdictOf(
  { decided }: Pick<RunContext, 'decided'>,
  { session, task, verdict }: { readonly session: Session; readonly task: Task; readonly verdict: Verdict },
): boolean {
  const { machine: word, by } = verdict;
  // An override by a person of that machine is no finding.
  if (verdict.override !== undefined || (by !== 'diagnostics' && !agentIdPattern.test(by))) return false;
  // By its own hands it can't be judged; what was found under a claim that passed on is past, or that another one holds.
  if (word === undefined || word.name === task.claimed_host) return false;
  if (task.judging?.claim !== word.claim || task.judging.commit !== verdict.commit) return false;
  if (task.judging.machine !== null && task.judging.machine !== word.name) return false;
  if (task.start_commit !== verdict.base) return false;
  return decided.has(toMachineTrustDecision(session, word.key)) && isVerdictSignatureValid(verdict, word);
}

/**
 * Publishes which machines this lead has validate: none before the script that comes first has run here. Trust itself
 * is looked up in this clone each time: another clone gains nothing by writing this into the note.
 */
async function publishValidators(context: RunContext, id: SessionId): Promise<void> {
  const validators = listTrustedValidators(context, id);
  const isPublished = (session: Session): boolean =>
    JSON.stringify(session.machines?.validators ?? []) === JSON.stringify(validators);
  if (isPublished((await viewSession(context, id)).session)) return;
  await decideAndRecord(context, id, ({ session }) => {
    if (session.machines === undefined || isPublished(session)) return null;
    const { validators: _, ...terms } = session.machines;
    const machines = validators.length === 0 ? terms : { ...terms, validators };
    return { session: { next: { ...session, machines }, subject: 'session: machines that may validate' } };
  });
}

function listTrustedValidators({ config, decided, remoteSession, run }: RunContext, id: SessionId): string[] {
  if (config.hooks.pre_validation !== '' && !run.isPrepared) return [];
  const there = remoteSession?.machines() ?? [];
  return there
    .flatMap(({ sign }) => {
      if (sign?.key === undefined || !sign.roles.includes('validate')) return [];
      return decided.has(toMachineTrustDecision({ id }, sign.key)) ? [sign.machine] : [];
    })
    .sort();
}
