import { relative } from 'node:path';
import { countTokens, priceTokens, type TokenUsage } from '../../domain/config/token-price.ts';
import type { StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord } from '../../util/json.ts';
import { readNumberOrZero, shortenToPrintableLine } from '../event-fields.ts';
import { createEventReader, type SeenRun } from '../event-reader.ts';
import type { ReportedError } from '../find-run-failure.ts';
import { dropNullProperties } from './codex-launch.ts';

/** Follows the events of `codex exec --json`. They report no blocked call; the audit does. */
export function createCodexReader(request: AgentRequest): StreamReader {
  let broken = 0;
  return createEventReader(request, {
    take(seen, event, line) {
      // Something else wrote into the same line, or it was cut: beside another end it is a second one.
      if (event.type === undefined && /"type":"turn\.(?:completed|failed)"/.test(line)) broken += 1;
      return take(seen, event, request);
    },
    conclude(seen, end) {
      if (seen.endCount > 0) seen.endCount += broken;
      return end;
    },
    // With a schema the last words are the answer. Not every service behind the API holds its model to it: words may
    // stand around.
    readAnswer: dropNullProperties,
  });
}

function take(seen: SeenRun, event: JsonRecord, { model, worktree }: AgentRequest): string | null {
  switch (event.type) {
    case 'thread.started':
      seen.hasBegun = true;
      return 'started';
    case 'turn.completed': {
      const usage = readUsage(event.usage);
      seen.endCount += 1;
      seen.tokens = countTokens(usage);
      seen.cost_usd = priceTokens(model, usage) ?? 0;
      return '';
    }
    case 'turn.failed':
      seen.endCount += 1;
      seen.error = readError(event.error);
      return null;
    case 'error':
      seen.error = readError(event);
      return null;
    case 'item.started':
    case 'item.completed': {
      const item = isJsonRecord(event.item) ? event.item : {};
      if (item.type === 'agent_message' && typeof item.text === 'string') seen.text = item.text;
      return describeItem(event, worktree.path)[0] ?? null;
    }
    default:
      return null;
  }
}

/** A line of its events for a person to read; null where it is none of Codex. */
export function renderCodexEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  const { type } = event;
  if (typeof type !== 'string' || !/^(?:thread|turn|item)\.\w+$/.test(type)) return null;
  return describeItem(event, worktree);
}

function describeItem({ type, item }: JsonRecord, worktree: string): readonly string[] {
  if (!isJsonRecord(item)) return [];
  const hasStarted = type === 'item.started';
  if (item.type === 'agent_message' && typeof item.text === 'string' && !hasStarted)
    return item.text.trimEnd().split('\n');
  if (item.type === 'command_execution' && hasStarted) return [`> Bash ${commandOf(item.command)}`];
  if (item.type === 'file_change' && hasStarted)
    return pathsOf(item.changes).map((path) => `> Edit ${relative(worktree, path)}`);
  return [];
}

/** `/bin/bash -c 'npm test'`, `/bin/bash -c env`: what it was asked to run. */
function commandOf(command: unknown): string {
  const text = typeof command === 'string' ? command : '';
  const [, quoted, word] = /^\S+ -l?c (?:'([\s\S]*)'|(\S+))$/.exec(text) ?? [];
  return shortenToPrintableLine(quoted?.replaceAll(`'\\''`, "'") ?? word ?? text);
}

function pathsOf(changes: unknown): readonly string[] {
  return (Array.isArray(changes) ? changes : [])
    .filter(isJsonRecord)
    .map(({ path }) => path)
    .filter((path) => typeof path === 'string');
}

/** Its input includes what was cached. */
function readUsage(usage: unknown): TokenUsage {
  if (!isJsonRecord(usage)) return {};
  const read = readNumberOrZero(usage.cached_input_tokens);
  const written = readNumberOrZero(usage.cache_write_input_tokens);
  return {
    input_tokens: Math.max(0, readNumberOrZero(usage.input_tokens) - read - written),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: readNumberOrZero(usage.output_tokens),
  };
}

/** `unexpected status 401 Unauthorized: …`, `exceeded retry limit, last status: 429 Too Many Requests`. */
function readError(error: unknown): ReportedError | null {
  const text = isJsonRecord(error) && typeof error.message === 'string' ? error.message : '';
  const status = /\b(?:unexpected|last) status:? (\d{3})\b/.exec(text)?.[1];
  return text === '' ? null : { status: status === undefined ? null : Number(status), text };
}
