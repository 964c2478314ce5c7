import { hash } from 'node:crypto';
import { isJsonRecord } from './json.ts';

/** JSON without spaces, keys in order; what is undefined is left out. Equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return textOf(value) ?? 'null';
}

// Printable ASCII without quote and backslash: what JSON writes as it is.
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

// Written here: asking a function about each part, JSON.stringify takes twice as long, and `status` does this twice
// for every task.
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return plain.test(value) ? `"${value}"` : JSON.stringify(value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return listOf(value);
  if (!isJsonRecord(value)) return JSON.stringify(value);
  if (typeof value.toJSON === 'function') return textOf(value.toJSON());
  let inside = '';
  for (const key of Object.keys(value).sort()) {
    const text = textOf(value[key]);
    if (text !== undefined) inside += `${inside === '' ? '' : ','}${textOf(key)}:${text}`;
  }
  return `{${inside}}`;
}

function listOf(parts: readonly unknown[]): string {
  let inside = '';
  for (const part of parts) inside += `${inside === '' ? '' : ','}${textOf(part) ?? 'null'}`;
  return `[${inside}]`;
}

/** The SHA-256 of a value's canonical JSON, in hex. */
export function canonicalDigest(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
