import {
  isArchivedSessionSame,
  isArchivedTaskSame,
  keepSpendingAndDecisions,
  keepTaskEnd,
} from '../../core/merge/keep-ended-state.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { ValidationNote } from '../../domain/state/verdict.ts';
import type { MergeCompletionCheck } from '../admission/merge-completion-check.ts';
import {
  findAnchorsOfSession,
  findArchivedValidationNotes,
  findPageNotesOfSession,
  findTaskNotesOfSession,
  removeNotes,
} from '../archive/archivable-notes.ts';
import { anchorsFolder, findNotesByKey, listNotes, type TreeEdit, type TreeNode } from '../notes/note-tree.ts';
import type { StoredNote } from '../notes/stored-note.ts';
import { type NoteMergeRules, noteMergeRules } from './merge-note.ts';

type Root<T> = TreeNode<StoredNote<T>> | null;

/** The merged archive: nothing leaves the state that is not there. */
export interface MergedArchive {
  readonly sessions: Root<Session>;
  readonly tasks: Root<Task>;
  readonly validations: Root<ValidationNote>;
  readonly blackboard: Root<BlackboardPage>;
}

/**
 * Merges sessions: one that is not in the archive as it is here, with every task that is here, is not archived, even if
 * another clone archived it.
 */
export function archiveAwareSessionRules(
  archive: MergedArchive,
  tasks: Root<Task>,
  ends: MergeCompletionCheck | null,
): NoteMergeRules<Session> {
  const archived = new Map(valuesOf(archive.sessions).map((session) => [session.id, session]));
  return {
    ...noteMergeRules.sessions,
    admit: (before, after) => {
      const { archived_at: at } = after;
      if (at === undefined || before.archived_at !== undefined) return keepSpendingAndDecisions(before, after);
      const copies = [after, archived.get(after.id)];
      const isWhole =
        copies.every((copy) => copy !== undefined && isArchivedSessionSame(before, copy)) &&
        findTaskNotesOfSession(tasks, after.id).notes.every((note) => isTaskIn(archive, note));
      const [, copy] = copies;
      const mayGo = ends === null || copy === undefined || ends.mayArchive(before, copy, archivedTasks(archive, copy));
      if (isWhole && mayGo) return keepSpendingAndDecisions(before, after);
      if (isWhole && copy !== undefined) {
        const { cycle, wave, state, replans, proposal } = copy;
        return {
          value: { ...before, cycle, wave, state, replans, proposal },
          lost: [{ what: 'archived', kept: 'not archived, because it has not ended here', lost: at }],
        };
      }
      return {
        value: before,
        lost: [{ what: 'archived', kept: 'not archived in its state here', lost: at }],
      };
    },
  };
}

function archivedTasks({ tasks }: MergedArchive, { id }: Session): readonly Task[] {
  return findTaskNotesOfSession(tasks, id).notes.flatMap(({ value }) => value ?? []);
}

function isTaskIn({ tasks }: MergedArchive, { key, value }: StoredNote<Task>): boolean {
  const copies = findNotesByKey(tasks, key).map(({ note }) => note.value);
  return (
    copies.length === 1 && copies.every((copy) => value !== null && copy !== null && isArchivedTaskSame(value, copy))
  );
}

/**
 * Merges tasks and verdicts where some sessions are archived: theirs leave once the archive has them, even if another
 * clone changed them meanwhile. The short note of the session is the mark for it; once set, it is never taken back.
 */
export function archiveAwareNoteRules(
  sessions: Root<Session>,
  archive: MergedArchive,
  ends: MergeCompletionCheck | null,
): {
  readonly tasks: NoteMergeRules<Task>;
  readonly validations: NoteMergeRules<ValidationNote>;
  readonly blackboard: NoteMergeRules<BlackboardPage>;
} {
  const known = new Set<SessionId>(
    valuesOf(sessions).flatMap(({ id, archived_at: at }) => (at === undefined ? [] : [id])),
  );
  const { validations, blackboard } = noteMergeRules;
  const tasks = ends === null ? noteMergeRules.tasks : verifyingEnds(ends);
  if (known.size === 0) return { tasks, validations, blackboard };
  const isVerdictKept = (key: string): boolean => findNotesByKey(archive.validations, key).length > 0;
  return {
    tasks: { ...tasks, removal: (root) => [...known].flatMap((id) => taskRemoval(root, id, archive.tasks)) },
    validations: {
      ...validations,
      removal: (root) =>
        findArchivedValidationNotes(root, (id) => known.has(id))
          .notes.filter(({ key }) => isVerdictKept(key))
          .flatMap(({ key }) => removeNotes(root, key)),
    },
    blackboard: {
      ...blackboard,
      removal: (root) =>
        [...known].flatMap(
          (id) => findPageNotesOfSession(root, id, (key) => findNotesByKey(archive.blackboard, key).length > 0).removal,
        ),
    },
  };
}

function verifyingEnds(ends: MergeCompletionCheck): NoteMergeRules<Task> {
  const hasEnded = (task: Task): boolean => ends.hasEnded(task);
  return { ...noteMergeRules.tasks, admit: (before, after) => keepTaskEnd(before, after, hasEnded) };
}

/** The tasks of a session that the archive has, with their anchors. */
function taskRemoval(
  root: Root<Task>,
  session: SessionId,
  archived: Root<Task>,
): readonly TreeEdit<StoredNote<Task>>[] {
  return [...(findAnchorsOfSession(root, session)?.entries ?? [])].flatMap(([name, { oid }]) =>
    findNotesByKey(archived, oid).length === 0
      ? []
      : [...removeNotes(root, oid), { path: [anchorsFolder, session, name], entry: null }],
  );
}

function valuesOf<T>(root: Root<T>): readonly T[] {
  return [...listNotes(root)].flatMap(({ value }) => value ?? []);
}
