import * as z from 'zod';

/** Controls, and the characters that reorder or hide text on a screen. Newline and tab are legal in long text. */
const unsafeInLine = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/u;
const unsafeInText =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/u;

/** One printable line. */
export function lineSchema(max: number) {
  return z.string().min(1).max(max).refine(without(unsafeInLine), 'contains control or invisible characters');
}

/** Text of several lines. */
export function textSchema(max: number) {
  return z.string().max(max).refine(without(unsafeInText), 'contains control or invisible characters');
}

/** With what it refuses at hand, for .ci/plain-notes.mjs. */
function without(refused: RegExp): ((text: string) => boolean) & { readonly refused: RegExp } {
  return Object.assign((text: string) => !refused.test(text), { refused });
}
