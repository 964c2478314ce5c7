import { isMergedOrDropped } from '../../core/admission/filter-untrusted.ts';
import { isEndDecidedHere } from '../../core/admission/own-versions.ts';
import {
  type CompletionRules,
  isTaskEndVerified,
  listTrustedLandingBranches,
} from '../../core/admission/unverified-completions.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { StoredCompletionEvidence } from './stored-evidence.ts';

/** Answers what a merge of two clones' notes asks about completions, from memory: after `findOut` it must be asked again. */
export interface MergeCompletionCheck {
  /** Whether the end of a task is verified here: then nothing undoes it. */
  hasEnded(task: Task): boolean;
  /** Whether a session may leave what every command reads, as the archive has it. */
  mayArchive(session: Session, archived: Session, tasks: readonly Task[]): boolean;
  /** Finds out what was asked and isn't known; whether there was anything. */
  findOut(): Promise<boolean>;
}

export function buildMergeCompletionCheck(
  raw: Snapshot,
  rules: CompletionRules & { readonly evidence: StoredCompletionEvidence },
): MergeCompletionCheck {
  const { decided, evidence } = rules;
  const sessions = new Map(raw.sessions.map((session) => [session.id, session]));
  const branches = (id: SessionId): readonly string[] => {
    const session = sessions.get(id);
    if (session === undefined) return [];
    return decided.hasDecidedInSession(id)
      ? listTrustedLandingBranches(session, rules)
      : [findLandingBranch(session), session.base_branch];
  };
  const hasEnded = (task: Task): boolean =>
    isMergedOrDropped(task) && isTaskEndVerified(task, { ...rules, branches: branches(task.session) });
  return {
    hasEnded,
    mayArchive: (session, archived, tasks) =>
      !decided.hasDecidedInSession(session.id) ||
      isEndDecidedHere(session, decided) ||
      isEndDecidedHere(archived, decided) ||
      (tasks.length > 0 && tasks.every(hasEnded)),
    findOut: async () => {
      const { isOpen } = evidence;
      if (isOpen) await evidence.resolve(decided);
      return isOpen;
    },
  };
}
