import type { SessionId } from '../../domain/ids.ts';
import type { DecisionLog, LoggedDecision } from '../../domain/state/decision-log.ts';
import type { MachineRole, MachineStatement } from '../../domain/state/machine-schemas.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { isSignedBy } from '../../util/machine-key.ts';
import { toVerdictDecision } from '../admission/make-decisions.ts';

type Unsigned = Omit<MachineStatement, 'key' | 'signature'>;

/** The text a machine signs for a verdict it found: exactly that one, under which name and claim. */
export function renderVerdictToSign({ machine: _, ...verdict }: Verdict, { name, claim }: Unsigned): string {
  return `git-flame validate ${canonicalDigest({ decision: toVerdictDecision(verdict), name, claim })}`;
}

/** True if the signature beside a verdict was made with the key that it names, over exactly that. */
export function isVerdictSignatureValid(verdict: Verdict, word: MachineStatement): boolean {
  return isSignedBy(word.key, renderVerdictToSign(verdict, word), word.signature);
}

/**
 * Decides which decisions of a shared session count, beside those made here. A lead believes how far the tasks of other
 * machines are, never that they ended, and judges each work before it lands. A machine that joined follows its lead in
 * the session's state, ends, verdicts, changesets, the raised budget of all, and notes for all tasks; the notes of a
 * task's worker count with its work. The limit of one machine is not raised by that, see engine/machines/reserve. The
 * plan of a task may be changed by neither: it counts only as it was approved here.
 */
export function isDecisionTrustedWhenShared(
  { kind, session, about, facts }: LoggedDecision,
  shared: { readonly session: SessionId; readonly role: MachineRole },
): boolean {
  if (session !== shared.session) return false;
  if (shared.role === 'worker') return followed.includes(kind);
  if (kind === 'note') return about !== '';
  return kind === 'standing' && facts.status !== 'merged' && facts.status !== 'dropped';
}

const followed: readonly LoggedDecision['kind'][] = [
  ...(['standing', 'course', 'landed', 'note', 'verdict', 'changeset', 'limit'] as const),
];

/** DecisionLog by that rule, in which the person also trusts the machines with some keys. */
export function createSharedDecisionLog(
  decided: DecisionLog,
  shared: {
    readonly session: SessionId;
    readonly role: MachineRole;
    readonly isTrustedKey: (key: string) => boolean;
  },
): DecisionLog {
  const isTrustedMachine = ({ kind, about }: LoggedDecision): boolean =>
    kind === 'machine' && shared.isTrustedKey(about);
  return {
    ...decided,
    // It changes: a copy would say for ever that nothing was decided since.
    get revision() {
      return decided.revision;
    },
    has: (decision) =>
      decided.has(decision) || isDecisionTrustedWhenShared(decision, shared) || isTrustedMachine(decision),
  };
}
