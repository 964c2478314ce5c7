import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { makeObject, type NewObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { RefCommand } from '../../git/refs/ref-transaction.ts';
import type { Note } from '../notes/note.ts';
import { archiveNotes, sessionAnchor } from '../notes/note-kinds.ts';
import { anchorsFolder, fileMode, notePath, type TreeEdit } from '../notes/note-tree.ts';
import { onlyNote, type RefState, type State, StateSnapshot } from '../notes/state.ts';
import { readSideRef, type StateReader } from '../notes/state-reader.ts';
import type { StoreOptions } from '../store-options.ts';
import { type ChangeContext, keyAndAnchor, writeNotes } from '../write/apply-change.ts';
import { type OtherEntry, readCommitIdentity } from '../write/note-commit.ts';
import { type Publication, RefPublisher } from '../write/ref-publisher.ts';
import {
  archivedCommits,
  commitTree,
  pageNotesOf,
  type SessionNotes,
  taskNotesOf,
  validationNotesOf,
} from './archive-notes.ts';

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
  const publisher = new RefPublisher({ ...place.options, reason: 'git flame archive' });
  let moved: readonly SessionId[] = [];
  try {
    await publisher.publish(async () => {
      const state = await place.reader.read();
      moved = pick(new StateSnapshot(state)).filter((id) => isMovable(state, id, place));
      return moved.length === 0 ? null : prepare(place, state, { ids: moved, actor });
    });
  } finally {
    await publisher.close();
  }
  return moved;
}

/** A note that can't be read is not moved out of sight. */
function isMovable(state: State, id: SessionId, { options }: Place): boolean {
  const { key } = keyAndAnchor(options.objectFormat, sessionAnchor(id));
  const session = onlyNote(state.sessions, key)?.value ?? null;
  return (
    session !== null &&
    session.archived_at === undefined &&
    taskNotesOf(state.tasks.root, id).isWhole &&
    pageNotesOf(state.blackboard.root, id).isWhole
  );
}

async function prepare(
  { options, catFile }: Place,
  state: State,
  { ids, actor }: { readonly ids: readonly SessionId[]; readonly actor: string },
): Promise<Publication> {
  const { objectFormat, hostname, now = () => new Date() } = options;
  const archive = await readArchive({ ...options, catFile });
  const objects = new Map<string, NewObject>();
  const changing: ChangeContext = {
    actor,
    host: hostname ?? null,
    now: now(),
    objectFormat,
    identity: await readCommitIdentity(options),
    sink: (type, content) => {
      const object = makeObject(objectFormat, type, content);
      objects.set(object.oid, object);
      return object;
    },
  };
  const found = ids.map((id) => ({
    id,
    session: noteOf(state, id, options),
    tasks: taskNotesOf(state.tasks.root, id),
    pages: pageNotesOf(state.blackboard.root, id),
  }));
  const verdicts = validationNotesOf(state.validations.root, (id) => ids.includes(id));
  const moves = movesOf(state, archive, { found, verdicts, change: describe(ids), changing });
  const kept = await archivedCommits(
    { ...options, catFile },
    found.map(({ id, session, tasks: own }) => ({ id, session: session.value, tasks: own.notes, verdicts })),
  );
  return {
    objects: [...objects.values(), ...kept.objects],
    commands: [...kept.commands, ...moves],
  };
}

async function readArchive(side: StoreOptions & { readonly catFile: CatFile }) {
  return {
    sessions: await readSideRef(side, archiveNotes.sessions),
    tasks: await readSideRef(side, archiveNotes.tasks),
    validations: await readSideRef(side, archiveNotes.validations),
    blackboard: await readSideRef(side, archiveNotes.blackboard),
  };
}

interface Moving {
  readonly found: readonly {
    readonly id: SessionId;
    readonly session: Note<Session>;
    readonly tasks: SessionNotes<Task>;
    readonly pages: ReturnType<typeof pageNotesOf<BlackboardPage>>;
  }[];
  readonly verdicts: ReturnType<typeof validationNotesOf>;
  readonly change: OtherEntry;
  readonly changing: ChangeContext;
}

/** Copies first: should git be killed between two refs, a note is there twice rather than nowhere. */
function movesOf(
  state: State,
  archive: Awaited<ReturnType<typeof readArchive>>,
  { found, verdicts, change, changing }: Moving,
): Publication['commands'] {
  const move = <T>(ref: RefState<T>, edits: readonly TreeEdit<Note<T>>[]) =>
    moveOf(ref, commitTree(ref, edits, { change, context: changing }));
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

function describe(ids: readonly SessionId[]): OtherEntry {
  const [first, ...others] = ids;
  const count = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    subject: `session: ${first}${count} archived`,
    transition: 'archived',
    ...(first === undefined || others.length > 0 ? {} : { about: first }),
  };
}

function noteOf(state: State, id: SessionId, { objectFormat }: StoreOptions): Note<Session> {
  const note = onlyNote(state.sessions, keyAndAnchor(objectFormat, sessionAnchor(id)).key);
  if (note === null) throw new Error(`session ${id} has no note`);
  return note;
}

function filed<T>(note: Note<T>, anchor: readonly string[] | null): readonly TreeEdit<Note<T>>[] {
  const edit = { path: notePath(note.key), entry: { mode: fileMode, oid: note.blob, tree: null, note } };
  return anchor === null ? [edit] : [edit, anchorEdit(note.key, anchor)];
}

function filedTasks<T>(session: SessionId, { notes }: SessionNotes<T>): readonly TreeEdit<Note<T>>[] {
  return notes.flatMap((note) => filed(note, [session, String(note.json?.id)]));
}

function filedPages<T>({ notes, anchors }: ReturnType<typeof pageNotesOf<T>>): readonly TreeEdit<Note<T>>[] {
  const places = new Map(anchors.map(({ path, key }) => [key, path]));
  return notes.flatMap((note) => filed(note, places.get(note.key) ?? null));
}

function anchorEdit<T>(key: ObjectId, path: readonly string[]): TreeEdit<Note<T>> {
  return { path: [anchorsFolder, ...path], entry: { mode: fileMode, oid: key, tree: null, note: null } };
}

/** Short note of an archived session, which stays where every command reads it. */
function shortNote({ value }: Note<Session>, id: SessionId, { now, objectFormat }: ChangeContext) {
  const archived_at = now.toISOString();
  if (value === null) throw new Error(`session ${id} can't be read`);
  const { sent_back: _, ...kept } = value;
  return {
    ...keyAndAnchor(objectFormat, sessionAnchor(id)),
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
