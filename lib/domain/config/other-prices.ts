import { completed, type ListPrice, priced, type TokenPrice } from './list-price.ts';

// As models.dev had them in November 2026 (the list that opencode 1.18.33 brings), from the providers' own pages.
// OpenAI charges more for all of a request whose input is longer than this, Google for one longer than that.
const openaiLong = 272_000;
const googleLong = 200_000;

const prices: Readonly<Record<string, ListPrice>> = {
  'gpt-6-astra': longer(openaiLong, priced(10, 50), priced(20, 75)),
  'gpt-6-sol': longer(openaiLong, priced(2, 10), priced(4, 15)),
  'gpt-6-luna': longer(openaiLong, priced(0.1, 0.5), priced(0.2, 0.75)),
  'gpt-5.6': longer(openaiLong, priced(4, 20), priced(8, 30)),
  'gpt-5.6-sol': longer(openaiLong, priced(4, 20), priced(8, 30)),
  'gpt-5.6-terra': longer(openaiLong, priced(2, 12), priced(4, 18)),
  'gpt-5.6-luna': longer(openaiLong, priced(0.2, 1.2), priced(0.4, 1.8)),
  'gpt-5.5': longer(openaiLong, kept(5, 30), kept(10, 45)),
  'gpt-5.4': longer(openaiLong, kept(2.5, 15), kept(5, 22.5)),
  'gpt-5.4-mini': { price: kept(0.75, 4.5) },
  'gpt-5.3-codex': { price: kept(1.75, 14) },
  'gpt-5.2': { price: kept(1.75, 14) },
  'gpt-5.1-codex': { price: kept(1.25, 10) },
  'gpt-5': { price: kept(1.25, 10) },
  'gpt-5-mini': { price: kept(0.25, 2) },
  'gemini-3.8-flash': { price: kept(0.75, 3.75) },
  'gemini-3.6-flash': { price: kept(1.5, 7.5) },
  'gemini-3.5-flash': { price: kept(1.5, 9) },
  'gemini-3.1-pro-preview': longer(googleLong, kept(2, 12), kept(4, 18)),
  'gemini-2.5-pro': longer(googleLong, kept(1.25, 10), kept(2.5, 15)),
  'gemini-2.5-flash': { price: kept(0.3, 2.5) },
  'kimi-k3': { price: kept(3, 15) },
  'kimi-k2.7-code': { price: kept(0.95, 4, 0.19) },
  'kimi-k2.6': { price: kept(0.95, 4, 0.16) },
  'kimi-k2.5': { price: kept(0.6, 3, 0.1) },
};

/** The list price of a model that is none of Anthropic's, by its whole id, with or without a day at its end. */
export function findOtherPrice(model: string): ListPrice | undefined {
  const undated = model.replace(/-20\d\d-\d\d-\d\d$/, '');
  return Object.hasOwn(prices, undated) ? prices[undated] : undefined;
}

/** Of models whose cache costs nothing to fill. */
function kept(input: number, output: number, cacheRead = input / 10): TokenPrice {
  return completed({ input, output, cache_read: cacheRead, cache_write: input, cache_write_1h: input });
}

function longer(above: number, price: TokenPrice, long: TokenPrice): ListPrice {
  return { price, long: { above, price: long } };
}
