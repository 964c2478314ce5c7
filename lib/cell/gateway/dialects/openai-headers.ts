import type { IncomingHttpHeaders } from 'node:http';

// What clients of OpenAI's APIs send, and of those that speak like it; what identifies a machine is left out.
const known: readonly string[] = [
  ...['accept', 'accept-language', 'content-type', 'user-agent', 'originator'],
  ...['session-id', 'thread-id', 'session_id', 'conversation_id', 'x-client-request-id'],
  ...['arch', 'lang', 'os', 'package-version', 'retry-count', 'runtime', 'runtime-version', 'timeout'].map(
    (name) => `x-stainless-${name}`,
  ),
  ...['x-msh-platform', 'x-msh-version'],
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
