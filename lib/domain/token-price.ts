import type { TokenUsage } from './token-usage.ts';

/** USD for a million tokens of plain input and of output; the first pattern that fits counts. */
const prices: readonly { readonly pattern: RegExp; readonly input: number; readonly output: number }[] = [
  { pattern: /opus-4-[01]\b|opus-4-20\d{6}|opus-3|3-opus/, input: 15, output: 75 },
  { pattern: /opus/, input: 5, output: 25 },
  { pattern: /sonnet/, input: 3, output: 15 },
  { pattern: /3-5-haiku|haiku-3-5/, input: 0.8, output: 4 },
  { pattern: /3-haiku|haiku-3/, input: 0.25, output: 1.25 },
  { pattern: /haiku/, input: 1, output: 5 },
];

// Written to the cache for five minutes; read from it.
const cacheWrite = 1.25;
const cacheRead = 0.1;

/**
 * What tokens cost in USD at list prices, as the claude CLI counts it; null of a model whose price isn't known. An
 * estimate: the account's own prices may be others.
 */
export function priceTokens(model: string, usage: TokenUsage): number | null {
  const price = prices.find(({ pattern }) => pattern.test(model));
  if (price === undefined) return null;
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  const input =
    (input_tokens ?? 0) +
    (cache_creation_input_tokens ?? 0) * cacheWrite +
    (cache_read_input_tokens ?? 0) * cacheRead;
  return (input * price.input + (output_tokens ?? 0) * price.output) / 1_000_000;
}
