import type { SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Decision, DecisionLog } from '../../domain/state/decision-log.ts';
import {
  type MachineRole,
  type MachineStatement,
  nextClaim,
  type SharedRole,
} from '../../domain/state/machine.ts';
import type { Session } from '../../domain/state/session.ts';
import type { DoneTask, Task } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { isSignedBy } from '../../util/machine-key.ts';
import { approvalDecision, builtDecision, verdictDecision } from '../admission/decisions.ts';
import { describeChange, type TaskChange } from '../task/task-state.ts';

type Unsigned = Omit<MachineStatement, 'key' | 'signature'>;

/** The text a machine signs for a decision: exactly that one, in which role, under which name and claim. */
export function statementText(role: SharedRole, decision: Decision, { name, claim }: Unsigned): string {
  return `git-flame ${role} ${canonicalDigest({ decision, name, claim })}`;
}

/** True if the signature beside a decision was made with the key that it names, over exactly that. */
export function isStatementFor(role: SharedRole, decision: Decision, word: MachineStatement): boolean {
  return isSignedBy(word.key, statementText(role, decision, word), word.signature);
}

/** A verdict as the machine that found it signs it. */
export function signedVerdict({ machine: _, ...verdict }: Verdict): Decision {
  return verdictDecision(verdict);
}

/** An approval as the machine of the person who gave it signs it: with what they saw, its checks too. */
export function signedApproval(session: Pick<Session, 'id'>, changeset: Changeset): Decision {
  const approval = approvalDecision(session, changeset);
  return { ...approval, facts: { approval: approval.facts, built: builtDecision(session, changeset).facts } };
}

/**
 * Decides which decisions of a shared session count, beside those made here. A lead believes how far the tasks of other
 * machines are, never that they ended, and judges each work before it lands. A machine that joined follows its lead in
 * the session's state, ends, verdicts, changesets, the raised budget of all, and notes for all tasks; the notes of a
 * task's worker count with its work. The limit of one machine is not raised by that, see engine/machines/reserve. The
 * plan of a task may be changed by neither: it counts only as it was approved here.
 */
export function isTrustedWhenShared(
  { kind, session, about, facts }: Decision,
  shared: { readonly session: SessionId; readonly role: MachineRole },
): boolean {
  if (session !== shared.session) return false;
  if (shared.role === 'worker') return followed.includes(kind);
  if (kind === 'note') return about !== '';
  return kind === 'standing' && facts.status !== 'merged' && facts.status !== 'dropped';
}

const followed: readonly Decision['kind'][] = [
  ...(['standing', 'course', 'landed', 'note', 'verdict', 'changeset', 'limit'] as const),
];

/** DecisionLog by that rule. */
export function sharedDecisionLog(
  decided: DecisionLog,
  shared: { readonly session: SessionId; readonly role: MachineRole },
): DecisionLog {
  return {
    ...decided,
    // It changes: a copy would say for ever that nothing was decided since.
    get revision() {
      return decided.revision;
    },
    has: (decision) => decided.has(decision) || isTrustedWhenShared(decision, shared),
  };
}

/** The machine that judges exactly the commit a task has; null: none does. */
export function claimingJudge({ commit, judging }: Task): string | null {
  return judging !== undefined && judging.commit === commit ? judging.machine : null;
}

/** A done task that a machine judges from now on: each claim has a number that rises, see Task. */
export function claimJudging(task: DoneTask, machine: string): TaskChange<DoneTask> {
  const claim = nextClaim(task.judging?.claim);
  const judging = { machine, claim, commit: task.commit };
  return describeChange(task, { ...task, judging }, `, judged on ${machine}, claim ${claim}`);
}

/** Releases the judging of a task; its claim number stays. */
export function releaseJudging(task: DoneTask, reason: string): TaskChange<DoneTask> {
  if (task.judging === undefined) return describeChange(task, task, '');
  const judging = { ...task.judging, machine: null };
  return describeChange(
    task,
    { ...task, judging },
    `, no longer judged on ${task.judging.machine}: ${reason}`,
  );
}
