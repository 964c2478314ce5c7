import * as z from 'zod';
import { neededJoiner } from '../util/joiners.ts';

// Controls, and the characters that reorder or hide text on a screen, but for the joiners that writing needs.
const hiding = String.raw`\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff`;
const unsafeInLine = new RegExp(String.raw`(?!${neededJoiner})[\u0000-\u001f${hiding}]`, 'u');
/** Newline and tab are legal in long text. */
const unsafeInText = new RegExp(String.raw`(?!${neededJoiner})[\u0000-\u0008\u000b-\u001f${hiding}]`, 'u');

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
