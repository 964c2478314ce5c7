import type * as z from 'zod';
import type { ObjectId } from '../../domain/ids.ts';
import type { ObjectFormat } from '../../git/objects/make-object.ts';
import { anchorKey, loadedSchema, loadSchemas, type NoteKind } from './note-kinds.ts';

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
export class Note<T> {
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
  static read<T>(kind: NoteKind<T>, id: NoteId, bytes: Uint8Array | null, format: ObjectFormat): Note<T> {
    const json = bytes === null ? 'is missing or damaged' : parseJson(bytes);
    const problem = typeof json === 'string' ? json : headerProblem(kind, id.key, json, format);
    if (typeof json === 'string' || problem !== null)
      return new Note<T>(kind, id, null, { value: null, problem: problem ?? '' });
    return new Note<T>(kind, id, json, kind.isPlain(json) ? { value: json, problem: null } : null);
  }

  /** As read, after loading the schemas if the note needs them. */
  static async readWhole<T>(...asked: Parameters<typeof Note.read<T>>): Promise<Note<T>> {
    const note = Note.read(...asked);
    if (note.needsSchema) await loadSchemas();
    return note;
  }

  /** One that was not looked into: there it is, without a value. */
  static unread<T>(kind: NoteKind<T>, id: NoteId): Note<T> {
    return new Note<T>(kind, id, null, { value: null, problem: null });
  }

  /** One that was just written. */
  static written<T>(kind: NoteKind<T>, id: NoteId, json: Json, value: T): Note<T> {
    return new Note(kind, id, json, { value, problem: null });
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

interface NoteId {
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

function headerProblem<T>(kind: NoteKind<T>, key: ObjectId, json: Json, format: ObjectFormat): string | null {
  const version = json.v;
  if (typeof version === 'number' && version > noteVersion) {
    return `${newerProblem} (v ${version}, this one reads v ${noteVersion})`;
  }
  if (version !== noteVersion) return 'has no version (v)';
  if (kind.anchor === null) return null;
  const anchor = kind.anchor(json);
  if (anchor === null) return 'does not name what it is about';
  if (anchorKey(format, anchor) === key) return null;
  return `is filed under ${key}, which is not the anchor of ${anchor.path.join('/').slice(0, 100)}`;
}

function parseBody<T>(kind: NoteKind<T>, json: Json | null): Parsed<T> {
  const result = loadedSchema(kind.name).safeParse(json);
  return result.success
    ? { value: result.data as T, problem: null }
    : { value: null, problem: `does not match its schema (${describeIssues(result.error)})` };
}
