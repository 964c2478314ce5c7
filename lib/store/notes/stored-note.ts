import type * as z from 'zod';
import type { ObjectId } from '../../domain/ids.ts';
import type { ObjectHashFormat } from '../../git/objects/make-object.ts';
import { computeNoteKey, loadSchemas, type NoteKind, requireLoadedNoteSchema } from './note-kinds.ts';

type Json = Readonly<Record<string, unknown>>;
type Parsed<T> =
  | { readonly value: T | null; readonly problem: null }
  | { readonly value: null; readonly problem: string };

export const noteVersion = 1;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const newerProblem = 'was written by a newer git-flame';

/**
 * The body of one note: the border where stored text becomes a typed value. What is not plain is checked by its schema
 * when asked, which must be loaded by then.
 */
export class StoredNote<T> {
  readonly key: ObjectId;
  readonly blob: ObjectId;
  /** The whole body; null if it's no JSON object of this version under the right key. */
  readonly json: Json | null;
  readonly #kind: NoteKind<T>;
  #parsed: Parsed<T> | null;

  private constructor(kind: NoteKind<T>, id: NoteId, json: Json | null, parsed: Parsed<T> | null) {
    this.#kind = kind;
    this.key = id.key;
    this.blob = id.blob;
    this.json = json;
    this.#parsed = parsed;
  }

  /** From a blob's bytes; null bytes: the object is missing or damaged. */
  static read<T>(kind: NoteKind<T>, id: NoteId, bytes: Uint8Array | null, format: ObjectHashFormat): StoredNote<T> {
    const json = bytes === null ? 'is missing or damaged' : parseJson(bytes);
    const problem = typeof json === 'string' ? json : headerProblem(kind, id.key, json, format);
    if (typeof json === 'string' || problem !== null)
      return new StoredNote<T>(kind, id, null, { value: null, problem: problem ?? '' });
    return new StoredNote<T>(kind, id, json, kind.isPlain(json) ? { value: json, problem: null } : null);
  }

  /** As read, after loading the schemas if the note needs them. */
  static async readWhole<T>(...asked: Parameters<typeof StoredNote.read<T>>): Promise<StoredNote<T>> {
    const note = StoredNote.read(...asked);
    if (note.needsSchema) await loadSchemas();
    return note;
  }

  /** One that was not looked into: there it is, without a value. */
  static unread<T>(kind: NoteKind<T>, id: NoteId): StoredNote<T> {
    return new StoredNote<T>(kind, id, null, { value: null, problem: null });
  }

  /** One that was just written. */
  static written<T>(kind: NoteKind<T>, id: NoteId, json: Json, value: T): StoredNote<T> {
    return new StoredNote(kind, id, json, { value, problem: null });
  }

  /** null if the note can't be used, and `problem` says why, or wasn't read. */
  get value(): T | null {
    return this.#parse().value;
  }

  get problem(): string | null {
    return this.#parse().problem;
  }

  /** Whether a newer version wrote it: this one must leave it alone. */
  get isNewer(): boolean {
    return this.json === null && (this.problem?.startsWith(newerProblem) ?? false);
  }

  /** Whether loadSchemas must be awaited before it is asked. */
  get needsSchema(): boolean {
    return this.#parsed === null;
  }

  #parse(): Parsed<T> {
    this.#parsed ??= parseBody(this.#kind, this.json);
    return this.#parsed;
  }
}

/** A note by the object it annotates, and its body. */
export interface NoteId {
  readonly key: ObjectId;
  readonly blob: ObjectId;
}

/** The first few schema problems as one line. */
export function describeIssues(error: z.ZodError): string {
  const lines = error.issues.map((issue) => `${issue.path.join('.') || 'note'}: ${issue.message}`);
  return lines.slice(0, 3).join('; ');
}

function parseJson(bytes: Uint8Array): Json | string {
  try {
    const json: unknown = JSON.parse(utf8.decode(bytes));
    return isObject(json) ? json : 'is not a JSON object';
  } catch {
    return 'is not JSON';
  }
}

function isObject(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function headerProblem<T>(kind: NoteKind<T>, key: ObjectId, json: Json, format: ObjectHashFormat): string | null {
  const version = json.v;
  if (typeof version === 'number' && version > noteVersion) {
    return `${newerProblem} (v ${version}, this one reads v ${noteVersion})`;
  }
  if (version !== noteVersion) return 'has no version (v)';
  if (kind.anchor === null) return null;
  const anchor = kind.anchor(json);
  if (anchor === null) return 'does not name what it is about';
  if (computeNoteKey(format, anchor) === key) return null;
  return `is filed under ${key}, which is not the anchor of ${anchor.path.join('/').slice(0, 100)}`;
}

function parseBody<T>(kind: NoteKind<T>, json: Json | null): Parsed<T> {
  const result = requireLoadedNoteSchema(kind.name).safeParse(json);
  return result.success
    ? { value: result.data as T, problem: null }
    : { value: null, problem: `does not match its schema (${describeIssues(result.error)})` };
}
