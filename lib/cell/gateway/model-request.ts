import type { IncomingMessage } from 'node:http';
import { findTokenPrice, type PriceList, priceTokens, type TokenUsage } from '../../domain/config/token-price.ts';
import type { RequestDemand } from '../../domain/state/spending.ts';
import { isJsonRecord, type JsonRecord, parseJson } from '../../util/json.ts';
import type { AnswerSize, PromptCacheMark, PromptText } from './dialects/dialect.ts';
import { estimateMostTokens } from './token-bound.ts';

/** The most a request may cost, before its answer reports the cost. */
export interface RequestCostEstimate extends PromptEstimate, AnswerSize {
  readonly model: string;
}

/** As large as the API takes a request. */
const largestBody = 32 * 1024 * 1024;
/** An answer of fewer tokens is cut off in the midst of a thought or a file, and paid for all the same. */
const leastOutput = 4_096;

/** Reads a request's body; null when it is larger than the API takes. Rejects when it is cut off. */
export async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * The request that a body holds; null for what is no JSON object. It is what is judged and, serialized again, what is
 * sent on: of two values under one name, another parser might take the first.
 */
export function parseModelRequest(text: string): JsonRecord | null {
  const value = parseJson(text);
  return isJsonRecord(value) ? value : null;
}

/** Computes a request's cost, by its model's price where that is known. Fresh input counts as written to the cache. */
export function computeRequestDemand(estimate: RequestCostEstimate, prices: PriceList): RequestDemand {
  const { model, fresh, cached, output } = estimate;
  const price = findTokenPrice(model, fresh + cached, prices);
  const cost = buildEstimatedUsage(estimate, 0);
  return {
    input: { tokens: fresh + cached, cost_usd: priceTokens(model, cost, prices) ?? 0 },
    perOutputToken: { tokens: 1, cost_usd: (price?.output ?? 0) / 1_000_000 },
    most: output,
    least: leastOutput,
  };
}

/** An estimate as the API reports usage. */
export function buildEstimatedUsage({ fresh, cached, isHourly }: RequestCostEstimate, output: number): TokenUsage {
  return {
    ...(isHourly ? { cache_creation: { ephemeral_1h_input_tokens: fresh } } : {}),
    cache_creation_input_tokens: fresh,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}

/** How many input tokens a request comes to, rather too many than too few. */
interface PromptEstimate {
  /** Of them, what answered requests have put into the API's cache where this one looks for it. */
  readonly cached: number;
  readonly fresh: number;
}

/** Learns from an agent's answered requests about its next ones, which mostly begin as they did. */
export interface PromptEstimator {
  estimate(prompt: PromptOfRequest, now: number): PromptEstimate;
  /** A request was answered: to how many input tokens it came, and how many of them went through the cache. */
  learn(
    prompt: PromptOfRequest,
    usage: { readonly tokens: number; readonly cached: number; readonly at: number },
  ): void;
}

/** The part of a request that the model reads. */
export interface PromptOfRequest extends PromptText {
  readonly model: string;
}

/** How long the API keeps what has no longer lifetime requested. */
const cacheMs = 5 * 60_000;
/** From each mark the API looks back so many blocks for what it has kept. */
const mostLookedBack = 20;
const keptPrompts = 4;
const largestKept = 4_000_000;

interface Answered {
  readonly prompt: PromptOfRequest;
  readonly tokens: number;
  readonly cached: number;
  readonly at: number;
}

export function createPromptEstimator(): PromptEstimator {
  const known: Answered[] = [];
  return {
    estimate(prompt, now) {
      const alike = known
        .filter(({ prompt: { model } }) => model === prompt.model)
        .map((one) => ({ ...one, shared: sharedLength(one.prompt.text, prompt.text) }))
        .sort((a, b) => b.shared - a.shared);
      const [best] = alike;
      if (best === undefined || best.shared === 0)
        return { cached: 0, fresh: estimateMostTokens(prompt.text) + prompt.extra };
      // Images count as much as they did.
      const before = Math.ceil((best.tokens * best.shared) / best.prompt.text.length);
      const added = estimateMostTokens(prompt.text.slice(best.shared)) + Math.max(0, prompt.extra - best.prompt.extra);
      const kept = alike.filter(({ at }) => now - at <= cacheMs).map((one) => foundInCache(one, prompt));
      const cached = Math.min(before, Math.max(0, ...kept));
      return { cached, fresh: before - cached + added };
    },
    learn(prompt, usage) {
      if (prompt.text.length > largestKept) return;
      // An answer reports its input more than once.
      if (known[0]?.prompt === prompt) known.shift();
      known.unshift({ prompt, ...usage });
      known.length = Math.min(known.length, keptPrompts);
    },
  };
}

/** How many tokens of a prompt the API finds in what it kept of an earlier one, rather too few than too many. */
function foundInCache(
  { prompt: earlier, cached, shared }: Answered & { readonly shared: number },
  prompt: PromptOfRequest,
): number {
  const isFound = ({ end, block }: PromptCacheMark): boolean =>
    end <= shared && prompt.marks.some((mark) => mark.block >= block && mark.block - block <= mostLookedBack);
  const [found, last] = [earlier.marks.findLast(isFound), earlier.marks.at(-1)];
  return found === undefined || last === undefined ? 0 : Math.floor((cached * found.end) / last.end);
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
