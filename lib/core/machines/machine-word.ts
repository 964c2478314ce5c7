import type { Changeset } from '../../domain/state/changeset.ts';
import type { Decision } from '../../domain/state/decision-log.ts';
import type { MachineWord, SharedRole } from '../../domain/state/machine.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { isSignedBy } from '../../util/machine-key.ts';
import { approvalDecision, builtDecision, verdictDecision } from '../admission/decisions.ts';

type Unsigned = Omit<MachineWord, 'key' | 'signature'>;

/** The text a machine signs for a decision: exactly that one, in which role, under which name and claim. */
export function wordText(role: SharedRole, decision: Decision, { name, claim }: Unsigned): string {
  return `git-flame ${role} ${canonicalDigest({ decision, name, claim })}`;
}

/** True if the signature beside a decision was made with the key that it names, over exactly that. */
export function isWordFor(role: SharedRole, decision: Decision, word: MachineWord): boolean {
  return isSignedBy(word.key, wordText(role, decision, word), word.signature);
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
