import type { IncomingMessage } from 'node:http';
import { findPrice, type PriceList, priceTokens, type TokenUsage } from '../../domain/config/token-price.ts';
import type { Demand } from '../../domain/state/spending.ts';
import { isRecord, type JsonRecord } from '../../util/json.ts';
import type { AnswerSize } from './dialects/dialect.ts';
import type { PromptEstimate } from './prompt-history.ts';

/** The most a request may cost, before its answer reports the cost. */
export interface Estimate extends PromptEstimate, AnswerSize {
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
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Computes a request's cost, by its model's price where that is known. Fresh input counts as written to the cache. */
export function demandOf(estimate: Estimate, prices: PriceList): Demand {
  const { model, fresh, cached, output } = estimate;
  const price = findPrice(model, fresh + cached, prices);
  const cost = estimatedUsage(estimate, 0);
  return {
    input: { tokens: fresh + cached, cost_usd: priceTokens(model, cost, prices) ?? 0 },
    perOutputToken: { tokens: 1, cost_usd: (price?.output ?? 0) / 1_000_000 },
    most: output,
    least: leastOutput,
  };
}

/** An estimate as the API reports usage. */
export function estimatedUsage({ fresh, cached, isHourly }: Estimate, output: number): TokenUsage {
  return {
    ...(isHourly ? { cache_creation: { ephemeral_1h_input_tokens: fresh } } : {}),
    cache_creation_input_tokens: fresh,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}
