import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { RefCommand } from '../../git/refs/ref-transaction.ts';
import { listRefs } from '../notes/list-refs.ts';
import type { Note } from '../notes/note.ts';
import type { ValidationNote } from '../notes/note-kinds.ts';
import type { StoreOptions } from '../store-options.ts';
import { archivedRoot, keptRoot } from '../write/kept-commits.ts';
import { unmergedCommits } from '../write/unmerged-commits.ts';
import { keysOf, type SessionNotes } from './archive-notes.ts';

interface Subject {
  readonly id: SessionId;
  readonly session: Session | null;
  readonly tasks: readonly Note<Task>[];
  readonly verdicts: SessionNotes<ValidationNote>;
}

/**
 * Keeps the commits of sessions that are archived alive where the base branch doesn't, and drops the refs that
 * kept them for the time the session was open.
 */
export async function archivedCommits(
  { context, commonDir }: StoreOptions,
  subjects: readonly Subject[],
): Promise<readonly RefCommand[]> {
  const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
  const commands: RefCommand[] = [];
  for (const subject of subjects) {
    const open = await listRefs(git, `${keptRoot}${subject.id}/`);
    const kept = await listRefs(git, `${archivedRoot}${subject.id}/`);
    const named = new Set([...commitsOf(subject), ...open.values()]);
    const tips = await unmergedCommits(git, [...named], subject.session?.base_branch ?? null);
    const wanted = tips.map((oid): [RefName, ObjectId] => [
      `${archivedRoot}${subject.id}/${oid}` as RefName,
      oid,
    ]);
    commands.push(
      ...wanted.flatMap(([ref, oid]) => (kept.has(ref) ? [] : [{ ref, old: null, new: oid }])),
      ...[...open].map(([ref, old]) => ({ ref, old, new: null })),
    );
  }
  return commands;
}

function commitsOf({ id, session, tasks, verdicts }: Subject): readonly ObjectId[] {
  const own = {
    ...verdicts,
    notes: verdicts.notes.filter(({ value }) => value?.verdicts.some((verdict) => verdict.session === id)),
  };
  return [
    ...tasks.flatMap(({ value }) => value?.commit ?? []),
    ...(session?.changesets.map(({ commit }) => commit) ?? []),
    ...keysOf(own),
  ];
}
