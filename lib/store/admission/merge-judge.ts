import { isSettled } from '../../core/admission/filter-untrusted.ts';
import { isOwnEnd } from '../../core/admission/own-versions.ts';
import { branchesOf, type HeedingEnds, isBelieved } from '../../core/admission/unverified-completions.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { landsOn } from '../../domain/state/lands-on.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { StoredEvidence } from './evidence.ts';

/** What a merge of two clones' notes asks about ends. It answers from memory: after `findOut` it must be asked again. */
export interface EndJudge {
  /** Whether a task has ended by what is known here: then nothing undoes it. */
  hasEnded(task: Task): boolean;
  /** Whether a session may leave what every command reads, as the archive has it. */
  mayArchive(session: Session, archived: Session, tasks: readonly Task[]): boolean;
  /** Finds out what was asked and isn't known; whether there was anything. */
  findOut(): Promise<boolean>;
}

export function endJudge(
  raw: Snapshot,
  heeding: HeedingEnds & { readonly evidence: StoredEvidence },
): EndJudge {
  const { origins, evidence } = heeding;
  const sessions = new Map(raw.sessions.map((session) => [session.id, session]));
  const branches = (id: SessionId): readonly string[] => {
    const session = sessions.get(id);
    if (session === undefined) return [];
    return origins.knows(id) ? branchesOf(session, heeding) : [landsOn(session), session.base_branch];
  };
  const hasEnded = (task: Task): boolean =>
    isSettled(task) && isBelieved(task, { ...heeding, branches: branches(task.session) });
  return {
    hasEnded,
    mayArchive: (session, archived, tasks) =>
      !origins.knows(session.id) ||
      isOwnEnd(session, origins) ||
      isOwnEnd(archived, origins) ||
      (tasks.length > 0 && tasks.every(hasEnded)),
    findOut: async () => {
      const { isOpen } = evidence;
      if (isOpen) await evidence.resolve(origins);
      return isOpen;
    },
  };
}
