import { isPlain } from 'flame:plain-notes';
import type * as z from 'zod';
import { type ObjectId, parseRefName, type RefName, type SessionId, type TaskId } from '../../domain/ids.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { SignatureNote } from '../../domain/state/signatures.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { ReviewNote, ValidationNote } from '../../domain/state/verdict.ts';
import { computeBlobIdOfText, type ObjectHashFormat } from '../../git/objects/make-object.ts';

/** The text of the blob that a note annotates, and where the same tree links it. */
export interface NoteAnchor {
  readonly text: string;
  /** Below `anchors/`. */
  readonly path: readonly string[];
}

/** One state ref: what its notes hold and what they annotate. */
export interface NoteKind<T> {
  readonly ref: RefName;
  /** Name of its schema, see note-schemas.ts; null: such notes are never read. */
  readonly name: SchemaName | null;
  /** Whether a note surely matches its schema and comes out of it as it is; what isn't plain may match all the same. */
  readonly isPlain: (json: unknown) => json is T;
  /** null: notes annotate commits. */
  readonly anchor: ((note: Readonly<Record<string, unknown>>) => NoteAnchor | null) | null;
}

export const taskNoteKind: NoteKind<Task> = defineKind('tasks', ({ session, id }) =>
  isText(session) && isText(id) ? taskAnchor(session, id) : null,
);
export const sessionNoteKind: NoteKind<Session> = defineKind('sessions', ({ id }) =>
  isText(id) ? sessionAnchor(id) : null,
);
export const validationNoteKind: NoteKind<ValidationNote> = defineKind('validations', null);
export const reviewNoteKind: NoteKind<ReviewNote> = defineKind('reviews', null);

/** Notes for later tasks: by the worker of one, or for a session by who leads it. */
export const blackboardNoteKind: NoteKind<BlackboardPage> = defineKind('blackboard', ({ session, task }) =>
  isText(session) && (task === null || isText(task)) ? blackboardAnchor(session, task) : null,
);

/** Sessions out of the way with what belongs to them: read when one is asked for by name. */
export const noteKindsInArchive = {
  sessions: archivedKind('sessions', sessionNoteKind),
  tasks: archivedKind('tasks', taskNoteKind),
  validations: archivedKind('validations', validationNoteKind),
  blackboard: archivedKind('blackboard', blackboardNoteKind),
} as const;

/** Memory of earlier sessions: not read with the rest of the state. */
export const memoryNoteKind: NoteKind<MemoryEntry> = defineKind('memory', ({ session, task }) =>
  isText(session) && (task === null || isText(task)) ? memoryAnchor(session, task) : null,
);

/** Signatures of decisions about a session: read only where trust is decided. */
export const signatureNoteKind: NoteKind<SignatureNote> = defineKind('signatures', ({ session }) =>
  isText(session) ? signatureAnchor(session) : null,
);

const stateKinds: readonly NoteKind<unknown>[] = [
  sessionNoteKind,
  taskNoteKind,
  validationNoteKind,
  reviewNoteKind,
  blackboardNoteKind,
];

/** Every ref of notes, in the order they are looked at. */
export const allNoteKinds: readonly NoteKind<unknown>[] = [
  ...stateKinds,
  ...Object.values(noteKindsInArchive),
  memoryNoteKind,
  signatureNoteKind,
];

/** Every state ref, in the order transactions move them. */
export const stateRefs: readonly RefName[] = stateKinds.map(({ ref }) => ref);

/** `blueflame task <session>/<id>`: the same in every clone, so the note's key is too. */
export function taskAnchor(session: SessionId | string, id: TaskId | string): NoteAnchor {
  return { text: `blueflame task ${session}/${id}\n`, path: [session, id] };
}

export function sessionAnchor(id: SessionId | string): NoteAnchor {
  return { text: `blueflame session ${id}\n`, path: [id] };
}

/** `blueflame memory <session>/task/<id>`, or `…/<session>/session` for the session as a whole. */
export function memoryAnchor(session: SessionId | string, task: TaskId | string | null): NoteAnchor {
  const path = task === null ? [session, 'session'] : [session, 'task', task];
  return { text: `blueflame memory ${path.join('/')}\n`, path };
}

/** `blueflame blackboard <session>/task/<id>`, or `…/<session>/session` for what all tasks may hear. */
export function blackboardAnchor(session: SessionId | string, task: TaskId | string | null): NoteAnchor {
  const path = task === null ? [session, 'session'] : [session, 'task', task];
  return { text: `blueflame blackboard ${path.join('/')}\n`, path };
}

export function signatureAnchor(session: SessionId | string): NoteAnchor {
  return { text: `blueflame signatures ${session}\n`, path: [session] };
}

/** The object id a note is filed under. */
export function computeNoteKey(format: ObjectHashFormat, anchor: NoteAnchor): ObjectId {
  return computeBlobIdOfText(format, anchor.text);
}

function defineKind<Name extends SchemaName>(name: Name, anchor: NoteKind<unknown>['anchor']): NoteKind<NoteOf<Name>> {
  const kind = isPlain[name] as (json: unknown) => json is NoteOf<Name>;
  return { ref: parseRefName(`refs/blueflame/${name}`), name, isPlain: kind, anchor };
}

function archivedKind<T>(name: string, kind: NoteKind<T>): NoteKind<T> {
  return { ...kind, ref: parseRefName(`refs/blueflame/archive/${name}`) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

type Schemas = typeof import('./note-schemas.ts')['noteSchemas'];
type SchemaName = keyof Schemas;
/** Content of the notes of a kind. */
type NoteOf<Name extends SchemaName> = z.output<Schemas[Name]['schema']>;

let loaded: Schemas | null = null;

/** Makes the schemas of notes ready for who asks notes that aren't plain. */
export async function loadSchemas(): Promise<void> {
  loaded ??= (await import('./note-schemas.ts')).noteSchemas;
}

/** One of them. Throws where loadSchemas was not awaited: a mistake of the program. */
export function requireLoadedNoteSchema(name: SchemaName | null): z.ZodType {
  if (loaded === null || name === null) throw new Error('Internal error: a schema of notes is not loaded.');
  return loaded[name].schema;
}
