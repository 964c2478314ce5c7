/** A JSON object from outside: each field is checked before it's used. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isJsonRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON text; null where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Parses JSON text; what is none, or no object, has no fields. */
export function parseJsonRecord(text: string): JsonRecord {
  const value = parseJson(text);
  return isJsonRecord(value) ? value : {};
}
