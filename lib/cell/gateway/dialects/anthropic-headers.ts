import type { IncomingHttpHeaders } from 'node:http';

// What the claude CLI sends, but for its credential and what concerns the connection.
const known: readonly string[] = [
  ...['accept', 'accept-language', 'content-type', 'user-agent', 'x-app', 'x-claude-code-session-id'],
  ...['anthropic-version', 'anthropic-dangerous-direct-browser-access'],
  ...['arch', 'lang', 'os', 'package-version', 'retry-count', 'runtime', 'runtime-version'].map(
    (name) => `x-stainless-${name}`,
  ),
  ...['timeout', 'helper-method', 'async'].map((name) => `x-stainless-${name}`),
];

// Betas by their names without the day: of the versions 2.1 of the claude CLI, and of what its SDK offers.
// None lets the API reach elsewhere, or cost what its answers don't report.
const knownBetas: readonly string[] = [
  ...['claude-code', 'interleaved-thinking', 'thinking-token-count', 'thinking-display-updates'],
  ...['context-management', 'prompt-caching-scope', 'prompt-caching', 'extended-cache-ttl'],
  ...['mid-conversation-system', 'per-turn-control', 'effort', 'context-1m', 'fallback-credit', 'oauth'],
  ...['fine-grained-tool-streaming', 'structured-outputs', 'token-efficient-tools', 'token-counting'],
  ...['advanced-tool-use', 'tool-search-tool', 'tool-examples', 'redact-thinking', 'task-budgets'],
  ...['output-128k', 'max-tokens-3-5-sonnet', 'dev-full-thinking', 'web-search', 'pdfs'],
];

/** The headers of an agent's request that are passed on: those that are known, with the betas that are. */
export function passAnthropicHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const name of known) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  const betas = [headers['anthropic-beta'] ?? []].flat().join(',').split(',');
  const passed = betas.map((beta) => beta.trim()).filter((beta) => knownBetas.includes(undated(beta)));
  return passed.length === 0 ? kept : { ...kept, 'anthropic-beta': passed.join(',') };
}

function undated(beta: string): string {
  return beta.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');
}
