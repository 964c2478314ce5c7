import { listWords } from '../../util/sort-and-group.ts';
import { toPrintableText } from '../text/printable-text.ts';

/** Outside text for a page: shown as it is, with what would act or hide made visible. Safe in quoted attributes too. */
export function escapeHtml(value: unknown): string {
  return toPageText(`${value ?? ''}`).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function toPageText(text: string): string {
  return toPrintableText(markControlCharacters(text));
}

const names = listWords(`
  NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS
  US`);

/** Control characters by name, `⟦CR⟧`: few fonts of a browser have pictures of them. Tabs and line feeds stay. */
export function markControlCharacters(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (character) => {
    return `⟦${names[character.charCodeAt(0)] ?? 'DEL'}⟧`;
  });
}

/** Makes every text in a value printable: characters that act or hide become visible. Keys stay. */
export function makePrintable<Value>(value: Value): Value;
export function makePrintable(value: unknown): unknown {
  if (typeof value === 'string') return plain.test(value) ? value : toPageText(value);
  if (Array.isArray(value)) return value.map((one) => makePrintable(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, makePrintable(one)]));
}

// Most texts, and none of them needs more than this look.
const plain = /^[\x20-\x7e\n]*$/;
