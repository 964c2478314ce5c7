import { isModelAlias, parseModelId } from './model-id.ts';

/** Prices by model id, or by what ids begin with; what is left out of one follows from its input. */
export type PriceList = Readonly<Record<string, StatedPrice>>;

/** The person's way to set an unknown price, as the end of a sentence. */
export const setUnknownPriceHint =
  'set its price in .blueflame.yml as models.prices ({ input: 0, output: 0 } if it is free), or limit tokens.';

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
  const price = findTokenPrice(model, (input ?? 0) + written + read, prices);
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
export function findTokenPrice(model: string, inputTokens: number, prices: PriceList = {}): TokenPrice | null {
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
export function listPricedVersions(family: string): readonly string[] {
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

/** Token counts as the Messages API reports them with a response. */
export interface TokenUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  /** How long what was written to the cache is kept. */
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number | null } | null;
  readonly server_tool_use?: { readonly web_search_requests?: number | null } | null;
  readonly inference_geo?: string | null;
  readonly speed?: string | null;
}

/**
 * Tokens that count against a limit: all input, cached or not, and all output. One formula, so that the
 * gateway, the event stream and the final result agree.
 */
export function countTokens(usage: TokenUsage): number {
  return (
    (usage.input_tokens ?? 0) +
    (usage.output_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0)
  );
}

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

/** A price as a person, or a list, states it; values left out follow from the input. */
type StatedPrice = Pick<TokenPrice, 'input' | 'output'> & {
  readonly [Kind in keyof TokenPrice]?: number | undefined;
};

interface ListPrice {
  readonly price: TokenPrice;
  /** Of requests whose whole input is larger than so many tokens. */
  readonly long?: { readonly above: number; readonly price: TokenPrice };
}

/** A price with what usually follows from its input: reading the cache a tenth, writing it a quarter more, or twice that for an hour. */
function priced(input: number, output: number, cacheRead = input / 10): TokenPrice {
  return completed({ input, output, cache_read: cacheRead });
}

/** A price with what it leaves out. */
function completed({ input, output, ...rest }: StatedPrice): TokenPrice {
  return {
    input,
    output,
    cache_read: rest.cache_read ?? input / 10,
    cache_write: rest.cache_write ?? input * 1.25,
    cache_write_1h: rest.cache_write_1h ?? input * 2,
  };
}

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
function findOtherPrice(model: string): ListPrice | undefined {
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
