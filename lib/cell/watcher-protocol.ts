import type { Decision, ToolCall } from '../domain/policy.ts';

// One JSON line from the client, one JSON line back, then the connection ends.

/** Larger calls are blocked: no file an agent may write is near this size. */
export const largestCallBytes = 16 * 1024 * 1024;

/** How long a client waits for an answer before it blocks the call. */
export const answerTimeoutMs = 5_000;

/**
 * What a client asks: the call as the hook reported it, its JSON as a string (from a client that can't read
 * JSON), what a git hook was given, or the sign that an agent's settings were accepted.
 */
export type WatcherRequest =
  | { readonly call: unknown }
  | { readonly text: string }
  | GitHookRequest
  | { readonly canary: true };

export interface GitHookRequest {
  readonly gitHook: string;
  readonly text: string;
}

/** A request is longer than its call where that is sent as a string. */
export const largestRequestBytes = 2 * largestCallBytes + 64;

/** A call that can't be judged. */
export function blocked(rule: string, details: string): Decision {
  return { decision: 'block', rule, details };
}

/** Reads what a hook reports about a tool call; null if it isn't one. */
export function parseToolCall(value: unknown): ToolCall | null {
  if (!isRecord(value)) return null;
  const { tool_name, tool_input, cwd } = value;
  if (typeof tool_name !== 'string' || tool_name === '' || typeof cwd !== 'string') return null;
  return isRecord(tool_input) ? { tool_name, tool_input, cwd } : null;
}

/** Reads a request line. Throws a SyntaxError when it, or the call in it, isn't JSON. */
export function parseRequest(
  line: string,
): { readonly call: unknown } | { readonly canary: true } | GitHookRequest | null {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) return null;
  if (value.canary === true) return { canary: true };
  const { gitHook, text } = value;
  if (typeof gitHook === 'string') return typeof text === 'string' ? { gitHook, text } : null;
  if (typeof text === 'string') return { call: JSON.parse(text) };
  return 'call' in value ? { call: value.call } : null;
}

/** An answer line; the perl client relies on the order of its keys. */
export function renderAnswer({ decision, rule, details }: Decision): string {
  return `${JSON.stringify({ decision, rule, details })}\n`;
}

/** Reads an answer line; whatever isn't a clear permission blocks. */
export function parseAnswer(line: string): Decision {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) return blocked('watcher-failed', 'The watcher gave no usable answer.');
  const { decision, rule, details } = value;
  return {
    decision: decision === 'allow' ? 'allow' : 'block',
    rule: typeof rule === 'string' ? rule : 'watcher-failed',
    details: typeof details === 'string' ? details : 'The watcher gave no reason.',
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
