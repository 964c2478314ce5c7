import { createHash } from 'node:crypto';
import { isRecord } from './json-record.ts';

/** JSON without spaces, keys in order; what is undefined is left out. Equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return textOf(value) ?? 'null';
}

// Printable ASCII without quote and backslash: what JSON writes as it is.
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

// Written here: asking a function about each part, JSON.stringify takes twice as long, and `status` does this twice
// for every task.
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map((part) => textOf(part) ?? 'null').join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  if (typeof value.toJSON === 'function') return textOf(value.toJSON());
  let inside = '';
  for (const key of Object.keys(value).sort()) {
    const text = textOf(value[key]);
    if (text !== undefined) inside += `${inside === '' ? '' : ','}${JSON.stringify(key)}:${text}`;
  }
  return `{${inside}}`;
}

/** The SHA-256 of a value's canonical JSON, in hex. */
export function canonicalDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
