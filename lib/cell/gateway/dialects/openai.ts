import type { IncomingHttpHeaders } from 'node:http';
import type { JsonRecord } from '../../../util/json.ts';
import type { Dialect, Endpoint } from './dialect.ts';

// Headers that clients of OpenAI's APIs and of similar ones send; those that identify a machine are left out.
const known: readonly string[] = [
  'accept',
  'accept-language',
  'content-type',
  'user-agent',
  'originator',
  'session-id',
  'thread-id',
  'session_id',
  'conversation_id',
  'x-client-request-id',
  ...['arch', 'lang', 'os', 'package-version', 'retry-count', 'runtime', 'runtime-version', 'timeout'].map(
    (name) => `x-stainless-${name}`,
  ),
  'x-msh-platform',
  'x-msh-version',
];

/** See Dialect.passHeaders. */
export function passOpenaiHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return passKnown(headers, known);
}

/** The headers with these names. */
export function passKnown(
  headers: IncomingHttpHeaders,
  names: readonly string[],
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
};

/** The body of an error as OpenAI's APIs, and those that speak like them, send it. */
export function refuseLikeOpenai(status: number, message: string): JsonRecord {
  return { error: { message, type: types[status] ?? 'server_error', param: null, code: null } };
}

/** One way to ask, and the list of models. Others cost as much without a count in their answers: batches run for a day. */
export function findOpenaiEndpoint(method: string, path: string, paid: string): Endpoint | null {
  const free = { isPaid: false, model: null, isStreamed: null };
  if (method === 'POST') return path === paid ? { ...free, isPaid: true } : null;
  return method === 'GET' && /^\/v1\/models(?:\/[\w.:@-]+)?$/.test(path) ? free : null;
}

/** Of lists. */
export const listParameters: Dialect['parameters'] = {
  limit: /^\d{1,4}$/,
  after: /^[\w.:@-]{1,100}$/,
};
