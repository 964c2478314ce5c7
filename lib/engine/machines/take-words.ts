import { approvalDecision, builtDecision, verdictDecision } from '../../core/admission/decisions.ts';
import { isWordFor, signedApproval, signedVerdict } from '../../core/machines/machine-word.ts';
import { agentIdPattern, type SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Decision } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import type { Workshop } from '../workshop.ts';
import { isTrusted } from './trusted.ts';

/**
 * Takes for this lead's own what machines found or had their person decide, as far as it trusts them with it: signed with
 * a key it trusts in that role, over exactly this, under the claim that holds. All else counts as if it weren't there.
 */
export async function takeWords(workshop: Workshop, id: SessionId): Promise<void> {
  if (workshop.sharing?.role !== 'lead') return;
  const snapshot = await workshop.store.snapshot();
  const session = snapshot.sessions.find((one) => one.id === id);
  if (session === undefined) return;
  workshop.decided.refresh();
  const verdicts = snapshot.tasksOf(id).flatMap((task) => {
    if (task.status !== 'done' || task.result.status === null) return [];
    const about = snapshot
      .verdictsOn(task.commit)
      .filter((one) => one.session === id && one.task === task.id);
    return about.filter((verdict) => isVerdictOf(workshop, { session, task, verdict })).slice(-1);
  });
  const fresh = verdicts.filter((verdict) => !workshop.decided.has(verdictDecision(verdict)));
  const decided = session.changesets.flatMap((changeset) => wordsOn(workshop, session, changeset));
  const all = [...fresh.map(verdictDecision), ...decided];
  if (all.length === 0) return;
  workshop.decided.record(all);
  for (const { task, commit, status, notes, by } of fresh)
    workshop.events.emit({ event: 'verdict', task, commit, status, notes, by });
}

function isVerdictOf(
  workshop: Workshop,
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
    isTrusted(workshop, session, { key: word.key, role: 'validate' }) &&
    isWordFor('validate', signedVerdict(verdict), word)
  );
}

function wordsOn(workshop: Workshop, session: Session, changeset: Changeset): readonly Decision[] {
  const { state, built_on: built, approved_on: approved } = changeset;
  if (state !== 'waiting' && state !== 'approved') return [];
  const words: Decision[] = [];
  if (
    built !== undefined &&
    built.claim === session.machines?.merging?.claim &&
    isTrusted(workshop, session, { key: built.key, role: 'merge' }) &&
    isWordFor('merge', builtDecision(session, changeset), built)
  )
    words.push(builtDecision(session, changeset));
  if (
    state === 'approved' &&
    approved !== undefined &&
    approved.claim === (session.machines?.term ?? 1) &&
    isTrusted(workshop, session, { key: approved.key, role: 'review' }) &&
    isWordFor('review', signedApproval(session, changeset), approved)
  )
    words.push(approvalDecision(session, changeset));
  return words.filter((decision) => !workshop.decided.has(decision));
}
