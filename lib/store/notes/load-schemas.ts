import type * as z from 'zod';

type Schemas = typeof import('./note-schemas.ts')['noteSchemas'];
export type SchemaName = keyof Schemas;
/** Content of the notes of a kind. */
export type NoteOf<Name extends SchemaName> = z.output<Schemas[Name]['schema']>;

let loaded: Schemas | null = null;

/** Makes the schemas of notes ready for who asks notes that aren't plain. */
export async function loadSchemas(): Promise<void> {
  loaded ??= (await import('./note-schemas.ts')).noteSchemas;
}

/** One of them. Throws where loadSchemas was not awaited: a mistake of the program. */
export function loadedSchema(name: SchemaName | null): z.ZodType {
  if (loaded === null || name === null) throw new Error('Internal error: a schema of notes is not loaded.');
  return loaded[name].schema;
}
