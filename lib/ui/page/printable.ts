import { visibleText } from '../text/visible-text.ts';
import { nameControls } from './name-controls.ts';

/** Makes every text in a value printable: characters that act or hide become visible. Keys stay. */
export function printable<Value>(value: Value): Value;
export function printable(value: unknown): unknown {
  if (typeof value === 'string') return plain.test(value) ? value : visibleText(nameControls(value));
  if (Array.isArray(value)) return value.map((one) => printable(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, printable(one)]));
}

// Most texts, and none of them needs more than this look.
const plain = /^[\x20-\x7e\n]*$/;
