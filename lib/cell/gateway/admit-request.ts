import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { explainForbidden, mayAskFor } from '../../domain/config/configured-model.ts';
import { findPrice, setPriceHint } from '../../domain/config/token-price.ts';
import type { Demand } from '../../domain/state/spending.ts';
import { isRecord, type JsonRecord } from '../../util/json.ts';
import type { Conversation, Dialect } from './dialects/dialect.ts';
import type { Context, Refusal, Refused } from './gateway-options.ts';
import { demandOf, type Estimate, type Prompt, parseModelRequest, readBody } from './model-request.ts';
import type { RequestTarget } from './upstream.ts';

// In the log, of what was asked for and isn't there.
export const longestPath = 200;

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
  readonly conversation: Conversation;
}

/** Reads a request to a known path and judges what it asks for. */
export async function admitRequest(
  request: IncomingMessage,
  { options, dialect, endpoint, path }: Context & RequestTarget,
): Promise<Refused | Admitted> {
  if (!(await options.isWatched())) {
    options.onRefused('canary-failed');
    return forbidden('canary-failed', 'The watcher is not active in this agent.');
  }
  const read = await readRequest(request);
  if ('why' in read) return read;
  const objection = dialect.judge(read.request, { endpoint, allowedTools: options.allowedTools });
  if (objection !== null) {
    const target = `${request.method} ${path.slice(0, longestPath)}`;
    options.onForbidden({ rule: 'request-not-allowed', target, why: objection.message });
    return forbidden(objection.why, objection.message);
  }
  const model = endpoint.model ?? modelOf(read.request);
  if (!mayAskFor(options.configuredModel, model)) {
    const why = explainForbidden(options.configuredModel, model);
    options.onForbidden({ rule: 'model-not-allowed', target: model, why });
    return forbidden('model', why);
  }
  const conversation = { ...dialect.readConversation(read.request), offered: offeredTools(read.request) };
  if (endpoint.isPaid && !options.inspect(conversation))
    return forbidden('unwatched-call', 'A tool call ran without the watcher.');
  return { ...read, dialect, model, conversation };
}

async function readRequest(request: IncomingMessage): Promise<Refused | { readonly request: JsonRecord }> {
  if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? ''))
    return { status: 415, why: 'body', message: 'A request must be sent uncompressed.' };
  const text = await readBody(request);
  if (text === null) return { status: 413, why: 'body', message: 'The request is larger than 32 MB.' };
  const value = parseModelRequest(text);
  return value === null
    ? forbidden('body', 'A request to the model API is a JSON object.')
    : { request: value };
}

function modelOf({ model }: JsonRecord): string {
  return typeof model === 'string' ? model.slice(0, longestPath) : '';
}

/** A request that is not let through. */
export function forbidden<Why extends string>(why: Why, message: string): Refused & { readonly why: Why } {
  return { status: 403, why, message };
}

/**
 * The names of the tools a request offers, as each API has them: rather too many than too few, so that a tool which is
 * not among them was not offered.
 */
function offeredTools({ tools, input }: JsonRecord): ReadonlySet<string> {
  const names = new Set<string>();
  const added = Array.isArray(input)
    ? input.filter((item) => isRecord(item) && item.type === 'additional_tools')
    : [];
  gather([tools, added], names);
  return names;
}

function gather(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) gather(one, names);
  if (!isRecord(value)) return;
  if (typeof value.name === 'string') names.add(value.name);
  for (const one of Object.values(value)) gather(one, names);
}

/** A request that is paid for, with what it may come to. */
export interface PaidRequest {
  readonly prompt: Prompt;
  readonly estimate: Estimate;
  readonly demand: Demand;
}

/** Estimates the cost of a request, from those before it. */
export function estimateRequest(
  { request, dialect, model }: Admitted,
  { options, account }: Context,
): PaidRequest {
  const prompt = { model, ...dialect.readPrompt(request) };
  const input = account.history.estimate(prompt, options.now().getTime());
  const estimate = { ...input, ...dialect.size(request), model };
  return { prompt, estimate, demand: demandOf(estimate, options.configuredModel.prices) };
}

/** How many output tokens a request may have, by the agent's own budget and by the one it shares. */
export async function grantRequest(
  id: symbol,
  { prompt, demand }: PaidRequest,
  response: ServerResponse,
  { options, account }: Context,
): Promise<number | (Refused & { readonly why: Refusal })> {
  const spent = { status: 400 };
  const isInUsd = options.usdLimit > 0 || options.sharesUsd;
  if (isInUsd && findPrice(prompt.model, 0, options.configuredModel.prices) === null)
    return { ...spent, why: 'no-price', message: noPrice(prompt.model) };
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

/** The message about a model that can't be held to a budget in dollars. */
function noPrice(model: string): string {
  return `The price of the model ${JSON.stringify(model)} is not known, and the budget is in dollars: ${setPriceHint}`;
}
