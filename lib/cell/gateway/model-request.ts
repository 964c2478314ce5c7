import type { IncomingMessage } from 'node:http';
import { findPrice, type PriceList, priceTokens } from '../../domain/config/token-price.ts';
import type { Demand } from '../../domain/state/spending.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import { isRecord, type JsonRecord } from '../../util/json-record.ts';
import type { PromptEstimate } from './prompt-history.ts';
import { unknownField } from './request-fields.ts';

/** What a request may cost, before its answer reports it. */
export interface Estimate extends PromptEstimate {
  readonly model: string;
  /** What it writes to the cache must be kept for an hour, at a higher price. */
  readonly isHourly: boolean;
  /** As many as it asks for. */
  readonly output: number;
  /** What is written can't be seen as it comes: thoughts, or an answer in one piece. */
  readonly isHidden: boolean;
}

type JudgedRequest =
  | { readonly kind: 'fine'; readonly request: JsonRecord }
  | { readonly kind: 'refused'; readonly why: 'body' | 'field' | 'server-tool'; readonly message: string };

/** As large as the API takes a request. */
const largestBody = 32 * 1024 * 1024;
/** An answer of fewer tokens is cut off in the midst of a thought or a file, and paid for all the same. */
const leastOutput = 4_096;
// Of a budget for thinking, which the API wants to be smaller than the answer's.
const leastThinking = 1_024;

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
 * Judges what the model API is asked to do. It would itself look at addresses, search the web, or talk to
 * servers that a request names: what a cell may not reach, it may not reach through the API either.
 * `allowedTools` are those of the agent's policy. What is sent on is what was judged, serialized again: of
 * two values under one name, another parser might take the first.
 */
export function judgeModelRequest(text: string, allowedTools: readonly string[]): JudgedRequest {
  const value = parse(text);
  if (!isRecord(value)) return refused('body', 'A request to the model API is a JSON object.');
  const elsewhere = findElsewhere(value, allowedTools);
  if (elsewhere !== null)
    return refused('server-tool', `A request may not have the model API reach elsewhere: ${elsewhere}.`);
  const field = unknownField(value);
  if (field !== null)
    return refused('field', `A request may not have what the gateway does not know or count: ${field}.`);
  return { kind: 'fine', request: value };
}

/** What a request asks for in answer, in tokens. */
export function askedOutput({ max_tokens }: JsonRecord): number {
  return typeof max_tokens === 'number' ? Math.max(0, max_tokens) : 0;
}

/** What a request comes to, by its model's price where that is known. Fresh input is taken to be written to the cache. */
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

/** The body to send: the request, which may write so many tokens. */
export function bodyFor(request: JsonRecord, output: number): string {
  if (output >= askedOutput(request)) return JSON.stringify(request);
  const { thinking } = request;
  const wanted =
    isRecord(thinking) && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
  const budget = Math.min(wanted, Math.max(leastThinking, Math.floor(output / 2)));
  return JSON.stringify({
    ...request,
    max_tokens: output,
    ...(isRecord(thinking) && wanted > 0 ? { thinking: { ...thinking, budget_tokens: budget } } : {}),
  });
}

function refused(why: 'body' | 'field' | 'server-tool', message: string): JudgedRequest {
  return { kind: 'refused', why, message };
}

/** What in a request leads elsewhere; null: nothing. */
function findElsewhere(request: JsonRecord, allowedTools: readonly string[]): string | null {
  const servers = request.mcp_servers;
  if (servers !== undefined && !(Array.isArray(servers) && servers.length === 0)) return 'mcp_servers';
  const tool = listOf(request.tools).find((one) => !isLocalTool(one, allowedTools));
  if (tool !== undefined) return `the tool ${String(isRecord(tool) ? tool.type : tool).slice(0, 100)}`;
  const blocks = [
    ...listOf(request.system),
    ...listOf(request.messages).flatMap((one) => (isRecord(one) ? listOf(one.content) : [])),
  ];
  return findSource(blocks);
}

// Run by the client, which asks the watcher. What isn't listed may run anywhere.
const localTools = /^(?:custom|(?:bash|text_editor|computer|memory|tool_search_tool(?:_[a-z0-9]+)?)_\d{8})$/;
const serverTools: Readonly<Record<string, RegExp>> = {
  WebSearch: /^web_search_\d{8}$/,
  WebFetch: /^web_fetch_\d{8}$/,
};

function isLocalTool(tool: unknown, allowedTools: readonly string[]): boolean {
  if (!isRecord(tool)) return false;
  const { type } = tool;
  if (type === undefined || type === null) return true;
  if (typeof type !== 'string') return false;
  return localTools.test(type) || allowedTools.some((name) => serverTools[name]?.test(type) ?? false);
}

// Of images and documents: the content itself, or where the API finds it.
const ownSources = ['base64', 'text', 'content'];

/** Blocks can hold blocks; what a tool was called with is the tool's business. */
function findSource(blocks: readonly unknown[]): string | null {
  const waiting = [...blocks];
  for (let block = waiting.pop(); block !== undefined; block = waiting.pop()) {
    if (!isRecord(block)) continue;
    const { source, content, type } = block;
    if (type === 'container_upload') return 'a file of a container';
    if (isRecord(source)) {
      if (!ownSources.includes(String(source.type))) return `a source of the type ${String(source.type)}`;
      waiting.push(...listOf(source.content));
    }
    waiting.push(...(isRecord(content) ? [content] : listOf(content)));
  }
  return null;
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  // The API takes only lists here; what else it might make of one value is looked at as well.
  return isRecord(value) ? [value] : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
