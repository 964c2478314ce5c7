import type { IncomingHttpHeaders } from 'node:http';
import { isJsonRecord, type JsonRecord, parseJson } from '../../../util/json.ts';
import type { Dialect, ModelApiEndpoint, PromptText } from './dialect.ts';
import { createMediaReplacer } from './media.ts';
import { asListOfValues, selectHeadersByName, textOrEmpty } from './request-fields.ts';

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
export function selectOpenaiHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return selectHeadersByName(headers, known);
}

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
};

/** The body of an error as OpenAI's APIs, and those that speak like them, send it. */
export function renderOpenaiError(status: number, message: string): JsonRecord {
  return { error: { message, type: types[status] ?? 'server_error', param: null, code: null } };
}

/** One way to ask, and the list of models. Others cost as much without a count in their answers: batches run for a day. */
export function findOpenaiEndpoint(method: string, path: string, paid: string): ModelApiEndpoint | null {
  const free = { isPaid: false, model: null, isStreamed: null };
  if (method === 'POST') return path === paid ? { ...free, isPaid: true } : null;
  return method === 'GET' && /^\/v1\/models(?:\/[\w.:@-]+)?$/.test(path) ? free : null;
}

/** Of lists. */
export const openaiListParameters: Dialect['parameters'] = {
  limit: /^\d{1,4}$/,
  after: /^[\w.:@-]{1,100}$/,
};

/** Reads the input of a call, as it was sent: JSON as text; returns the text where that is broken. */
export function parseToolCallInput(given: unknown): JsonRecord | string {
  if (isJsonRecord(given)) return given;
  const text = textOrEmpty(given);
  const value = parseJson(text === '' ? '{}' : text);
  return isJsonRecord(value) ? value : text;
}

/** The text of a result: one text, or parts of which some are text. */
export function joinTextParts(content: unknown): string {
  if (typeof content === 'string') return content;
  return asListOfValues(content)
    .map((part) => (isJsonRecord(part) ? textOrEmpty(part.text) : ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** A prompt in the order in which it is read: what stands before the conversation, then its parts. Nothing asks for a cache: these APIs keep what they like. */
export function buildPromptText(before: readonly unknown[], parts: readonly unknown[]): PromptText {
  let extra = 0;
  const plain = createMediaReplacer((tokens) => {
    extra += tokens;
  });
  const text = [before, ...parts].map((part) => JSON.stringify(part, plain) ?? '').join('\n');
  return { text, extra, marks: [] };
}
