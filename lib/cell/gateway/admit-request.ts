import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { explainForbiddenModel, isModelPermitted } from '../../domain/config/configured-model.ts';
import { findTokenPrice, setUnknownPriceHint } from '../../domain/config/token-price.ts';
import type { RequestDemand } from '../../domain/state/spending.ts';
import { isJsonRecord, type JsonRecord } from '../../util/json.ts';
import type { Dialect, ReportedConversation } from './dialects/dialect.ts';
import { textOrEmpty } from './dialects/request-fields.ts';
import type { AgentEndingRefusal, GatewayContext, RefusedModelRequest } from './gateway-options.ts';
import {
  computeRequestDemand,
  type PromptOfRequest,
  parseModelRequest,
  type RequestCostEstimate,
  readBody,
} from './model-request.ts';
import type { RequestTarget } from './upstream-model-api.ts';

// In the log, of what was asked for and isn't there.
export const longestReportedPath = 200;

/**
 * The token takes the place of the key, in each place where a CLI puts one: compared in constant time, so timing
 * doesn't reveal how much of it was right.
 */
export function hasToken({ headers, url = '' }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(token);
  const shown = [
    `${headers['x-api-key'] ?? ''}`,
    `${headers.authorization ?? ''}`.replace(/^Bearer /i, ''),
    `${headers['x-goog-api-key'] ?? ''}`,
    new URLSearchParams(url.split('?')[1] ?? '').get('key') ?? '',
  ];
  return shown.some((one) => timingSafeEqual(digest(one), wanted));
}

/** A request that may be sent, as far as what it asks for goes. */
interface Admitted {
  readonly request: JsonRecord;
  readonly dialect: Dialect;
  readonly model: string;
  readonly conversation: ReportedConversation;
}

/** Reads a request to a known path and judges what it asks for. */
export async function admitRequest(
  request: IncomingMessage,
  { options, dialect, endpoint, path }: GatewayContext & RequestTarget,
): Promise<RefusedModelRequest | Admitted> {
  if (!(await options.isWatched())) {
    options.onRefused('canary-failed');
    return buildForbiddenRefusal('canary-failed', 'The watcher is not active in this agent.');
  }
  const read = await readRequest(request);
  if ('why' in read) return read;
  const objection = dialect.judge(read.request, { endpoint, allowedTools: options.allowedTools });
  if (objection !== null) {
    const target = `${request.method} ${path.slice(0, longestReportedPath)}`;
    options.onForbidden({ rule: 'request-not-allowed', target, why: objection.message });
    return buildForbiddenRefusal(objection.why, objection.message);
  }
  const model = endpoint.model ?? textOrEmpty(read.request.model).slice(0, longestReportedPath);
  if (!isModelPermitted(options.configuredModel, model)) {
    const why = explainForbiddenModel(options.configuredModel, model);
    options.onForbidden({ rule: 'model-not-allowed', target: model, why });
    return buildForbiddenRefusal('model', why);
  }
  const conversation = { ...dialect.readConversation(read.request), offered: offeredTools(read.request) };
  if (endpoint.isPaid && !options.inspect(conversation))
    return buildForbiddenRefusal('unwatched-call', 'A tool call ran without the watcher.');
  return { ...read, dialect, model, conversation };
}

async function readRequest(request: IncomingMessage): Promise<RefusedModelRequest | { readonly request: JsonRecord }> {
  if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? ''))
    return { status: 415, why: 'body', message: 'A request must be sent uncompressed.' };
  const text = await readBody(request);
  if (text === null) return { status: 413, why: 'body', message: 'The request is larger than 32 MB.' };
  const value = parseModelRequest(text);
  return value === null
    ? buildForbiddenRefusal('body', 'A request to the model API is a JSON object.')
    : { request: value };
}

/** A request that is not let through. */
export function buildForbiddenRefusal<Why extends string>(
  why: Why,
  message: string,
): RefusedModelRequest & { readonly why: Why } {
  return { status: 403, why, message };
}

/**
 * The names of the tools a request offers, as each API has them: rather too many than too few, so that a tool which is
 * not among them was not offered.
 */
function offeredTools({ tools, input }: JsonRecord): ReadonlySet<string> {
  const names = new Set<string>();
  const added = Array.isArray(input)
    ? input.filter((item) => isJsonRecord(item) && item.type === 'additional_tools')
    : [];
  gather([tools, added], names);
  return names;
}

function gather(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) gather(one, names);
  if (!isJsonRecord(value)) return;
  if (typeof value.name === 'string') names.add(value.name);
  for (const one of Object.values(value)) gather(one, names);
}

/** A request that is paid for, with what it may come to. */
export interface PaidRequest {
  readonly prompt: PromptOfRequest;
  readonly estimate: RequestCostEstimate;
  readonly demand: RequestDemand;
}

/** Estimates the cost of a request, from those before it. */
export function estimateRequestCost(
  { request, dialect, model }: Admitted,
  { options, account }: GatewayContext,
): PaidRequest {
  const prompt = { model, ...dialect.readPrompt(request) };
  const input = account.history.estimate(prompt, options.now().getTime());
  const estimate = { ...input, ...dialect.size(request), model };
  return { prompt, estimate, demand: computeRequestDemand(estimate, options.configuredModel.prices) };
}

/** How many output tokens a request may have, by the agent's own budget and by the one it shares. */
export async function grantOutputTokens(
  id: symbol,
  { prompt, demand }: PaidRequest,
  response: ServerResponse,
  { options, account }: GatewayContext,
): Promise<number | (RefusedModelRequest & { readonly why: AgentEndingRefusal })> {
  const spent = { status: 400 };
  const isInUsd = options.usdLimit > 0 || options.sharesUsd;
  if (isInUsd && findTokenPrice(prompt.model, 0, options.configuredModel.prices) === null)
    return {
      ...spent,
      why: 'no-price',
      message: `The price of the model ${JSON.stringify(prompt.model)} is not known, and the budget is in dollars: ${setUnknownPriceHint}`,
    };
  const isGone = (): boolean => response.destroyed;
  const own = await account.turns.take(id, demand, isGone);
  if (own === null) {
    account.noteUnpaid(demand);
    return {
      ...spent,
      why: 'budget',
      message: "The rest of the agent's budget is too little for this request.",
    };
  }
  const shared = await options.share(id, { ...demand, most: own }, isGone);
  if (shared === null)
    return {
      ...spent,
      why: 'session-budget',
      message: "The rest of the session's budget is too little for this request.",
    };
  if (shared < own) account.turns.reduce(id, demand, shared);
  return shared;
}
