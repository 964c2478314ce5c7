import type { TokenUsage } from '../token-usage.ts';
import { isModelAlias, parseModelId } from './model-id.ts';

/** USD for a million tokens of each kind. */
interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  /** Kept for five minutes. */
  readonly cache_write: number;
  /** Kept for an hour. */
  readonly cache_write_1h: number;
}

/** Prices by model id, or by what ids begin with; what is left out of one follows from its input. */
export type PriceList = Readonly<
  Record<
    string,
    Pick<TokenPrice, 'input' | 'output'> & { readonly [Kind in keyof TokenPrice]?: number | undefined }
  >
>;

interface ListPrice {
  readonly price: TokenPrice;
  /** Of requests whose whole input is larger than so many tokens. */
  readonly long?: { readonly above: number; readonly price: TokenPrice };
}

// https://platform.claude.com/docs/en/about-claude/pricing, as it was in November 2026.
const premiumLong = { above: 200_000, price: priced(6, 22.5) };
const listPrices: Readonly<Record<string, Readonly<Record<string, ListPrice>>>> = {
  fable: { '5': { price: priced(10, 50) }, '5.1': { price: priced(10, 50, 0.25) } },
  mythos: { '5': { price: priced(10, 50) }, '5.1': { price: priced(10, 50, 0.25) } },
  opus: {
    ...sameFor(['3', '4', '4.1'], { price: priced(15, 75) }),
    ...sameFor(['4.5', '4.6', '4.7', '4.8', '5'], { price: priced(5, 25) }),
    '5.5': { price: priced(4, 20, 0.2) },
  },
  sonnet: {
    ...sameFor(['3', '3.5', '3.7', '4.6'], { price: priced(3, 15) }),
    ...sameFor(['4', '4.5'], { price: priced(3, 15), long: premiumLong }),
    '5': { price: priced(2, 10) },
    '5.5': { price: priced(2, 10, 0.1) },
  },
  haiku: {
    '3': { price: { ...priced(0.25, 1.25, 0.03), cache_write: 0.3 } },
    '3.5': { price: priced(0.8, 4) },
    '4.5': { price: priced(1, 5) },
    '5.5': { price: priced(0.1, 0.5), long: { above: 100_000, price: priced(0.5, 2.5) } },
  },
};
// Of the same page: a region that was asked for, a search the API made, speed.
const regionFactor = 1.1;
const fastFactor = 6;
const usdPerSearch = 0.01;

/**
 * What the tokens of one request cost in USD: by the person's `prices`, else at list prices; null of a model whose price isn't
 * known, such as a version this table doesn't hold. What is named by its family alone costs what the dearest of that
 * does. An estimate: the account's own prices may be others.
 */
export function priceTokens(model: string, usage: TokenUsage, prices: PriceList = {}): number | null {
  const { input_tokens: input, output_tokens: output } = usage;
  const written = usage.cache_creation_input_tokens ?? 0;
  const read = usage.cache_read_input_tokens ?? 0;
  const price = findPrice(model, (input ?? 0) + written + read, prices);
  if (price === null) return null;
  const hourly = Math.min(usage.cache_creation?.ephemeral_1h_input_tokens ?? 0, written);
  const tokens =
    (input ?? 0) * price.input +
    (output ?? 0) * price.output +
    (written - hourly) * price.cache_write +
    hourly * price.cache_write_1h +
    read * price.cache_read;
  const searches = (usage.server_tool_use?.web_search_requests ?? 0) * usdPerSearch;
  return (tokens * factorOf(usage)) / 1_000_000 + searches;
}

/** The price of a model for a request with so many input tokens; null where it isn't known. */
export function findPrice(model: string, inputTokens: number, prices: PriceList = {}): TokenPrice | null {
  const written = writtenPrice(model, prices);
  if (written !== undefined) return completed(written);
  const name = parseModelId(model);
  const versions = name === null ? undefined : listPrices[name.family];
  if (name === null || versions === undefined) return null;
  const found =
    versions[name.version] ?? (isModelAlias(model) ? dearest(Object.values(versions)) : undefined);
  if (found === undefined) return null;
  return found.long !== undefined && inputTokens > found.long.above ? found.long.price : found.price;
}

/** The versions of a family that have a list price. */
export function knownVersions(family: string): readonly string[] {
  return Object.keys(listPrices[family] ?? {});
}

/** Whether the person's own prices hold a model: then no list says what it costs. */
export function isPricedByPerson(model: string, prices: PriceList): boolean {
  return writtenPrice(model, prices) !== undefined;
}

function writtenPrice(model: string, prices: PriceList): PriceList[string] | undefined {
  const own = Object.keys(prices)
    .filter((key) => model.startsWith(key))
    .sort((a, b) => b.length - a.length)[0];
  return own === undefined ? undefined : prices[own];
}

function factorOf({ inference_geo: region, speed }: TokenUsage): number {
  const isRegional = region !== undefined && region !== null && !/^(?:|global|not_available)$/.test(region);
  return (isRegional ? regionFactor : 1) * (speed === 'fast' ? fastFactor : 1);
}

function dearest(all: readonly ListPrice[]): ListPrice | undefined {
  return [...all].sort((a, b) => b.price.output - a.price.output)[0];
}

/** A price with what usually follows from its input: reading the cache a tenth, writing it a quarter more, or twice that for an hour. */
function priced(input: number, output: number, cacheRead = input / 10): TokenPrice {
  return completed({ input, output, cache_read: cacheRead });
}

function completed({ input, output, ...rest }: PriceList[string]): TokenPrice {
  return {
    input,
    output,
    cache_read: rest.cache_read ?? input / 10,
    cache_write: rest.cache_write ?? input * 1.25,
    cache_write_1h: rest.cache_write_1h ?? input * 2,
  };
}

function sameFor(versions: readonly string[], price: ListPrice): Readonly<Record<string, ListPrice>> {
  return Object.fromEntries(versions.map((version) => [version, price]));
}
