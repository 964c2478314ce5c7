import type { TokenUsage } from '../token-usage.ts';
import { completed, type ListPrice, priced, type StatedPrice, type TokenPrice } from './list-price.ts';
import { isModelAlias, parseModelId } from './model-id.ts';
import { findOtherPrice } from './other-prices.ts';

/** Prices by model id, or by what ids begin with; what is left out of one follows from its input. */
export type PriceList = Readonly<Record<string, StatedPrice>>;

/** The person's way to set an unknown price, as the end of a sentence. */
export const sayPrice =
  'say it in .blueflame.yml as models.prices ({ input: 0, output: 0 } where it costs nothing), or limit tokens.';

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
 * The price of the tokens of one request in USD: by the person's `prices`, else at list prices; null for a model whose
 * price isn't known, such as a version this table doesn't hold. A family's name alone costs as its dearest model. An
 * estimate: the account's own prices may be others.
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
  const found = findListPrice(withoutProvider(model));
  if (found === undefined) return null;
  return found.long !== undefined && inputTokens > found.long.above ? found.long.price : found.price;
}

function findListPrice(model: string): ListPrice | undefined {
  const name = parseModelId(model);
  if (name === null) return findOtherPrice(model);
  const versions = listPrices[name.family] ?? {};
  return versions[name.version] ?? (isModelAlias(model) ? dearest(Object.values(versions)) : undefined);
}

/** Some CLIs take the provider with the model: `openai/gpt-5.6`. */
function withoutProvider(model: string): string {
  return model.replace(/^(?:anthropic|openai|google|moonshotai)\//, '');
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
    .filter((key) => model.startsWith(key) || withoutProvider(model).startsWith(withoutProvider(key)))
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

function sameFor(versions: readonly string[], price: ListPrice): Readonly<Record<string, ListPrice>> {
  return Object.fromEntries(versions.map((version) => [version, price]));
}
