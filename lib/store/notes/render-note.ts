import type { NoteKind } from './note-kinds.ts';
import { noteSchemas } from './note-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The text of a note: JSON, one key a line, in the schema's order. Top-level keys of the note it replaces that
 * this version doesn't know follow unchanged.
 */
export function renderNote<T>(
  kind: NoteKind<T>,
  value: T,
  previous: { readonly json: Json | null } | null,
): { readonly json: Json; readonly value: T; readonly text: string } {
  const checked = schemaOf(kind).schema.parse(value) as T;
  const known = new Set(listKnownNoteKeys(kind));
  const extra = Object.entries(previous?.json ?? {}).filter(([key]) => !known.has(key));
  const json = Object.fromEntries([...Object.entries(checked as Json), ...extra]);
  return { json, value: checked, text: `${JSON.stringify(json, null, 2)}\n` };
}

/** The keys this version knows; others are kept as they are. */
export function listKnownNoteKeys<T>(kind: NoteKind<T>): readonly string[] {
  return schemaOf(kind).keys;
}

function schemaOf<T>({ ref, name }: NoteKind<T>) {
  if (name === null) throw new Error(`Internal error: notes of ${ref} have no schema.`);
  return noteSchemas[name];
}
