import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { explainForbidden, mayAskFor } from '../../domain/config/asked-model.ts';
import type { JsonRecord } from '../../util/json-record.ts';
import type { Context, GatewayOptions, Refused } from './gateway-options.ts';
import { judgeModelRequest, readBody } from './model-request.ts';

// In the log, of what was asked for and isn't there.
export const longestPath = 200;

/** The path to ask upstream, null for what isn't the model API. */
export function allowedPath(method: string, url: string, options: GatewayOptions): string | null {
  const prefix = options.socketPath === null ? `/${options.secret}` : '';
  if (!url.startsWith(prefix)) return null;
  const path = url.slice(prefix.length) || '/';
  if (method === 'HEAD' && path === '/') return path;
  const plain = path.split('?', 1)[0] ?? '';
  if (path.length > 2_000 || !(known[method]?.test(plain) ?? false)) return null;
  return plain + knownQuery(path.slice(plain.length + 1));
}

/** Like headers, parameters that aren't known are not passed on. */
function knownQuery(text: string): string {
  const kept = [...new URLSearchParams(text)].filter(
    ([name, value]) => parameters[name]?.test(value) ?? false,
  );
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
}

// What an agent's CLI asks for. Others cost as much, and their answers don't say so: batches run for a day.
const known: Readonly<Record<string, RegExp>> = {
  POST: /^\/v1\/messages(?:\/count_tokens)?$/,
  GET: /^\/v1\/models(?:\/[\w.:@-]+)?$/,
};
const parameters: Readonly<Record<string, RegExp>> = {
  beta: /^true$/,
  limit: /^\d{1,4}$/,
  before_id: /^[\w.:@-]{1,100}$/,
  after_id: /^[\w.:@-]{1,100}$/,
};

/** Whether a request is one that costs something. */
export function isMessage(path: string): boolean {
  return /^\/v1\/messages(?:\?|$)/.test(path);
}

/**
 * The token takes the place of the key: compared in constant time, so timing doesn't reveal how much of it
 * was right.
 */
export function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(token);
  const shown = [`${headers['x-api-key'] ?? ''}`, `${headers.authorization ?? ''}`.replace(/^Bearer /i, '')];
  return shown.some((one) => timingSafeEqual(digest(one), wanted));
}

/** Reads a request to a known path and judges what it asks for. */
export async function admitRequest(
  request: IncomingMessage,
  { options, path }: Context & { readonly path: string },
): Promise<Refused | { readonly request: JsonRecord }> {
  if (!(await options.isWatched())) {
    options.onRefused('canary-failed');
    return forbidden('canary-failed', 'The watcher is not active in this agent.');
  }
  const bad = { status: 415, type: 'invalid_request_error', why: 'body' };
  if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? ''))
    return { ...bad, message: 'A request must be sent uncompressed.' };
  const text = await readBody(request);
  if (text === null)
    return {
      ...bad,
      status: 413,
      type: 'request_too_large',
      message: 'The request is larger than 32 MB.',
    };
  const judged = judgeModelRequest(text, options.allowedTools);
  if (judged.kind === 'refused') return forbidden(judged.why, judged.message);
  const model = modelOf(judged.request);
  if (!mayAskFor(options.meant, model)) {
    const why = explainForbidden(options.meant, model);
    options.onForbidden(model, why);
    return forbidden('model', why);
  }
  if (isMessage(path) && !options.inspect(judged.request))
    return forbidden('unwatched-call', 'A tool call ran without the watcher.');
  return judged;
}

function modelOf({ model }: JsonRecord): string {
  return typeof model === 'string' ? model.slice(0, longestPath) : '';
}

/** A request that is not let through. */
export function forbidden<Why extends string>(why: Why, message: string): Refused & { readonly why: Why } {
  return { status: 403, type: 'permission_error', why, message };
}
