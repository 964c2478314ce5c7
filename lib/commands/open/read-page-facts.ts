import { auditFile, summarizeAudit } from '../../cell/watcher/audit-log.ts';
import { undoable } from '../../core/changesets/changeset-decision.ts';
import { doubtsOf } from '../../core/changesets/evidence.ts';
import { shownChangesets } from '../../core/changesets/shown-changesets.ts';
import type { AdmittedSnapshot, Snapshot } from '../../domain/ports/store-port.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session.ts';
import type { ChangesetFacts, PageFacts } from '../../ui/review-page/page-facts.ts';

interface PageSource {
  readonly session: Session;
  readonly commonDir: string;
}

/** Reads the review page's facts: the changesets of a session's cycle, in the order they are reviewed. */
export function readPageFacts(
  stored: AdmittedSnapshot,
  { session: { id }, commonDir }: PageSource,
): PageFacts {
  const { session, snapshot } = stored.admitted(id);
  const decided = undoable(session);
  const changesets = shownChangesets(session, stored.tasksOf(session.id)).map((changeset) => ({
    ...readChangeset(snapshot, session, changeset, commonDir),
    isUndoable: decided.includes(changeset),
  }));
  return { session, changesets };
}

function readChangeset(
  snapshot: Snapshot,
  session: Session,
  changeset: Changeset,
  commonDir: string,
): Omit<ChangesetFacts, 'isUndoable'> {
  const tasks = snapshot.tasksOf(session.id).filter(({ id }) => changeset.tasks.includes(id));
  const verdicts = tasks.flatMap(({ commit }) =>
    commit === null ? [] : snapshot.verdictsOn(commit).slice(-1),
  );
  const runs = session.agents
    .filter(({ task_id }) => tasks.some(({ id }) => id === task_id))
    .map((run) => ({ ...run, audit: summarizeAudit(auditFile(commonDir, run.id)) }));
  return { changeset, tasks, verdicts, doubts: doubtsOf(snapshot, tasks), runs };
}
