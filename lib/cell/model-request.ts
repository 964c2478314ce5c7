import type { IncomingMessage } from 'node:http';
import { priceTokens } from '../domain/token-price.ts';
import { isRecord, type JsonRecord } from '../util/json-record.ts';

/** What a request may come to, before its answer tells. */
export interface Estimate {
  readonly input: number;
  readonly output: number;
  readonly model: string;
}

export type JudgedRequest =
  | {
      readonly kind: 'fine';
      readonly request: JsonRecord;
      /** The request as it is sent on. */
      readonly body: string;
      readonly estimate: Estimate;
    }
  | { readonly kind: 'refused'; readonly why: 'body' | 'server-tool'; readonly message: string };

/** As large as the API takes a request. */
const largestBody = 32 * 1024 * 1024;
// Roughly, and rather fewer than more: what is counted in the end is what the answer says.
const charactersPerToken = 4;

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
 * Judges what the model API is asked to do. It would itself look at addresses, search the web, or talk to servers
 * that a request names: what a cell may not reach, it may not reach through the API either. `allowedTools` are
 * those of the agent's policy. The body that comes back is what was judged, and all of it.
 */
export function judgeModelRequest(text: string, allowedTools: readonly string[]): JudgedRequest {
  const value = parse(text);
  if (!isRecord(value)) return refused('body', 'A request to the model API is a JSON object.');
  const elsewhere = findElsewhere(value, allowedTools);
  if (elsewhere !== null)
    return refused('server-tool', `A request may not have the model API reach elsewhere: ${elsewhere}.`);
  const { model, max_tokens } = value;
  return {
    kind: 'fine',
    request: value,
    // Not the text: of two values of one name, others might take the first.
    body: JSON.stringify(value),
    estimate: {
      input: Math.ceil(text.length / charactersPerToken),
      output: typeof max_tokens === 'number' ? Math.max(0, max_tokens) : 0,
      model: typeof model === 'string' ? model : '',
    },
  };
}

/** About how many tokens a text is. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** In USD at list prices; 0 where they aren't known. */
export function priceEstimate({ model, input, output }: Estimate): number {
  return priceTokens(model, { input_tokens: input, output_tokens: output }) ?? 0;
}

function refused(why: 'body' | 'server-tool', message: string): JudgedRequest {
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
    const { source, content } = block;
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
