import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { RefCommand } from '../../git/refs/ref-transaction.ts';
import { findSingleNote, type IndexedState, type RefState, StateSnapshot } from '../notes/indexed-state.ts';
import { sessionAnchor } from '../notes/note-kinds.ts';
import { anchorsFolder, noteFileMode, notePath, type TreeEdit } from '../notes/note-tree.ts';
import type { StateReader } from '../notes/state-reader.ts';
import type { StoredNote } from '../notes/stored-note.ts';
import type { StoreOptions } from '../store-options.ts';
import { type ChangeContext, openChangeContext, pairNoteKeyWithAnchor, writeNotes } from '../write/apply-change.ts';
import type { NonStateAuditEntry } from '../write/audit-entry.ts';
import { publishRefs, type RefPublication } from '../write/ref-publisher.ts';
import {
  type ArchivableNotes,
  commitNoteTreeEdits,
  findArchivedValidationNotes,
  findPageNotesOfSession,
  findTaskNotesOfSession,
  planArchivedCommitRefs,
} from './archivable-notes.ts';
import { readArchivedRefs } from './read-archive.ts';

interface Place {
  readonly options: StoreOptions;
  readonly catFile: CatFile;
  readonly reader: StateReader;
}

/** Moves sessions with their tasks and verdicts to refs/blueflame/archive/*, leaving a short note of each session. */
export async function archiveSessions(
  place: Place,
  pick: (snapshot: Snapshot) => readonly SessionId[],
  actor: string,
): Promise<readonly SessionId[]> {
  let moved: readonly SessionId[] = [];
  await publishRefs({ ...place.options, reason: 'git flame archive' }, async () => {
    const state = await place.reader.read();
    moved = pick(new StateSnapshot(state)).filter((id) => isMovable(state, id, place));
    return moved.length === 0 ? null : prepare(place, state, { ids: moved, actor });
  });
  return moved;
}

/** A note that can't be read is not moved out of sight. */
function isMovable(state: IndexedState, id: SessionId, { options }: Place): boolean {
  const { key } = pairNoteKeyWithAnchor(options.objectFormat, sessionAnchor(id));
  const session = findSingleNote(state.sessions, key)?.value ?? null;
  return (
    session !== null &&
    session.archived_at === undefined &&
    findTaskNotesOfSession(state.tasks.root, id).isWhole &&
    findPageNotesOfSession(state.blackboard.root, id).isWhole
  );
}

async function prepare(
  { options, catFile }: Place,
  state: IndexedState,
  { ids, actor }: { readonly ids: readonly SessionId[]; readonly actor: string },
): Promise<RefPublication> {
  const archive = await readArchivedRefs({ ...options, catFile });
  const { changing, objects } = await openChangeContext(options, actor);
  const found = ids.map((id) => ({
    id,
    session: noteOf(state, id, options),
    tasks: findTaskNotesOfSession(state.tasks.root, id),
    pages: findPageNotesOfSession(state.blackboard.root, id),
  }));
  const verdicts = findArchivedValidationNotes(state.validations.root, (id) => ids.includes(id));
  const moves = movesOf(state, archive, { found, verdicts, change: describe(ids), changing });
  const kept = await planArchivedCommitRefs(
    { ...options, catFile },
    found.map(({ id, session, tasks: own }) => ({ id, session: session.value, tasks: own.notes, verdicts })),
  );
  return {
    objects: [...objects.values(), ...kept.objects],
    commands: [...kept.commands, ...moves],
  };
}

interface Moving {
  readonly found: readonly {
    readonly id: SessionId;
    readonly session: StoredNote<Session>;
    readonly tasks: ArchivableNotes<Task>;
    readonly pages: ReturnType<typeof findPageNotesOfSession<BlackboardPage>>;
  }[];
  readonly verdicts: ReturnType<typeof findArchivedValidationNotes>;
  readonly change: NonStateAuditEntry;
  readonly changing: ChangeContext;
}

/** Copies first: should git be killed between two refs, a note is there twice rather than nowhere. */
function movesOf(
  state: IndexedState,
  archive: Awaited<ReturnType<typeof readArchivedRefs>>,
  { found, verdicts, change, changing }: Moving,
): RefPublication['commands'] {
  const move = <T>(ref: RefState<T>, edits: readonly TreeEdit<StoredNote<T>>[]) =>
    moveOf(ref, commitNoteTreeEdits(ref, edits, { change, context: changing }));
  const sessions = found.flatMap(({ id, session }) => filed(session, [id]));
  const tasks = found.flatMap((one) => filedTasks(one.id, one.tasks));
  const validations = verdicts.notes.flatMap((note) => filed(note, null));
  const pages = found.flatMap((one) => filedPages(one.pages));
  const shortNotes = found.map((one) => shortNote(one.session, one.id, changing));
  const removed = found.flatMap((one) => one.tasks.removal);
  return [
    move(archive.sessions, sessions),
    move(archive.tasks, tasks),
    move(archive.validations, validations),
    move(archive.blackboard, pages),
    moveOf(state.sessions, writeNotes(state.sessions, shortNotes, change, changing)),
    move(state.tasks, removed),
    move(state.validations, verdicts.removal),
    move(
      state.blackboard,
      found.flatMap((one) => one.pages.removal),
    ),
  ];
}

function describe(ids: readonly SessionId[]): NonStateAuditEntry {
  const [first, ...others] = ids;
  const count = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    subject: `session: ${first}${count} archived`,
    transition: 'archived',
    ...(first === undefined || others.length > 0 ? {} : { about: first }),
  };
}

function noteOf(state: IndexedState, id: SessionId, { objectFormat }: StoreOptions): StoredNote<Session> {
  const note = findSingleNote(state.sessions, pairNoteKeyWithAnchor(objectFormat, sessionAnchor(id)).key);
  if (note === null) throw new Error(`session ${id} has no note`);
  return note;
}

function filed<T>(note: StoredNote<T>, anchor: readonly string[] | null): readonly TreeEdit<StoredNote<T>>[] {
  const edit = { path: notePath(note.key), entry: { mode: noteFileMode, oid: note.blob, tree: null, note } };
  return anchor === null ? [edit] : [edit, anchorEdit(note.key, anchor)];
}

function filedTasks<T>(session: SessionId, { notes }: ArchivableNotes<T>): readonly TreeEdit<StoredNote<T>>[] {
  return notes.flatMap((note) => filed(note, [session, String(note.json?.id)]));
}

function filedPages<T>({
  notes,
  anchors,
}: ReturnType<typeof findPageNotesOfSession<T>>): readonly TreeEdit<StoredNote<T>>[] {
  const places = new Map(anchors.map(({ path, key }) => [key, path]));
  return notes.flatMap((note) => filed(note, places.get(note.key) ?? null));
}

function anchorEdit<T>(key: ObjectId, path: readonly string[]): TreeEdit<StoredNote<T>> {
  return { path: [anchorsFolder, ...path], entry: { mode: noteFileMode, oid: key, tree: null, note: null } };
}

/** Short note of an archived session, which stays where every command reads it. */
function shortNote({ value }: StoredNote<Session>, id: SessionId, { now, objectFormat }: ChangeContext) {
  const archived_at = now.toISOString();
  if (value === null) throw new Error(`session ${id} can't be read`);
  const { sent_back: _, ...kept } = value;
  return {
    ...pairNoteKeyWithAnchor(objectFormat, sessionAnchor(id)),
    next: (_: Session | null, rev: number): Session => ({
      ...kept,
      rev,
      archived_at,
      proposal: null,
      replan_notes: null,
      agents: [],
      changesets: [],
      gates: [],
    }),
  };
}

function moveOf<T>(before: RefState<T>, after: RefState<T>): RefCommand {
  const { ref } = before.kind;
  return before.tip === after.tip || after.tip === null
    ? { ref, old: before.tip }
    : { ref, old: before.tip, new: after.tip };
}
