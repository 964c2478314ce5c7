import { isSettled } from '../../core/admission/filter-untrusted.ts';
import { isOwnEnd } from '../../core/admission/own-versions.ts';
import { branchesOf, type CompletionRules, isVerified } from '../../core/admission/unverified-completions.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session.ts';
import { landsOn } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task.ts';
import type { StoredEvidence } from './evidence.ts';

/** Answers what a merge of two clones' notes asks about completions, from memory: after `findOut` it must be asked again. */
export interface MergeJudge {
  /** Whether the end of a task is verified here: then nothing undoes it. */
  hasEnded(task: Task): boolean;
  /** Whether a session may leave what every command reads, as the archive has it. */
  mayArchive(session: Session, archived: Session, tasks: readonly Task[]): boolean;
  /** Finds out what was asked and isn't known; whether there was anything. */
  findOut(): Promise<boolean>;
}

export function mergeJudge(
  raw: Snapshot,
  rules: CompletionRules & { readonly evidence: StoredEvidence },
): MergeJudge {
  const { decided, evidence } = rules;
  const sessions = new Map(raw.sessions.map((session) => [session.id, session]));
  const branches = (id: SessionId): readonly string[] => {
    const session = sessions.get(id);
    if (session === undefined) return [];
    return decided.knows(id) ? branchesOf(session, rules) : [landsOn(session), session.base_branch];
  };
  const hasEnded = (task: Task): boolean =>
    isSettled(task) && isVerified(task, { ...rules, branches: branches(task.session) });
  return {
    hasEnded,
    mayArchive: (session, archived, tasks) =>
      !decided.knows(session.id) ||
      isOwnEnd(session, decided) ||
      isOwnEnd(archived, decided) ||
      (tasks.length > 0 && tasks.every(hasEnded)),
    findOut: async () => {
      const { isOpen } = evidence;
      if (isOpen) await evidence.resolve(decided);
      return isOpen;
    },
  };
}
