import type { PromptText } from './dialect.ts';
import { withoutMedia } from './media.ts';

/** A prompt in the order in which it is read: what stands before the conversation, then its parts. Nothing asks for a cache: these APIs keep what they like. */
export function promptOf(before: readonly unknown[], parts: readonly unknown[]): PromptText {
  let extra = 0;
  const plain = withoutMedia((tokens) => {
    extra += tokens;
  });
  const text = [before, ...parts].map((part) => JSON.stringify(part, plain) ?? '').join('\n');
  return { text, extra, marks: [] };
}
