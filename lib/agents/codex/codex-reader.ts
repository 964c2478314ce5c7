import { relative } from 'node:path';
import { countTokens, priceTokens, type TokenUsage } from '../../domain/config/token-price.ts';
import type { AgentEnd, AgentResultParts, StreamReader } from '../../domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest } from '../../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../util/json.ts';
import { parseAnswerFromText } from '../answer-from-text.ts';
import { createLineSplitter, readNumberOrZero, shortenToPrintableLine } from '../event-fields.ts';
import { findRunFailure } from '../find-run-failure.ts';
import { dropNullProperties } from './codex-launch.ts';

/** Follows the events of `codex exec --json`. They report no blocked call; the audit does. */
export function createCodexReader(request: AgentRequest): StreamReader {
  const lines = createLineSplitter();
  const seen: Seen = { hasBegun: false, ends: 0, broken: 0, lastText: '', error: '', usage: {} };

  const cost = (): number => priceTokens(request.model, seen.usage) ?? 0;
  const read = (complete: readonly string[]): AgentActivity[] =>
    complete
      .map((line) => {
        const event = parseJsonRecord(line);
        // Something else wrote into the same line, or it was cut: beside another end it is a second one.
        if (event.type === undefined && /"type":"turn\.(?:completed|failed)"/.test(line)) seen.broken += 1;
        return take(seen, event, request.worktree.path);
      })
      .filter((text) => text !== null)
      .map((text) => ({ text, tokens: countTokens(seen.usage), cost_usd: cost() }));

  return {
    push: (chunk) => read(lines.push(chunk)),
    finish: (end: AgentEnd): AgentResultParts => {
      read(lines.rest());
      const endCount = seen.ends === 0 ? 0 : seen.ends + seen.broken;
      const answer = request.answerSchema === null || endCount > 1 ? null : readAnswer(seen.lastText);
      return {
        failure: findRunFailure({
          request,
          end,
          answer,
          hasBegun: seen.hasBegun,
          endCount,
          text: seen.lastText,
          error: seen.error === '' ? null : { status: statusOf(seen.error), text: seen.error },
        }),
        answer,
        text: seen.lastText,
        cost_usd: cost(),
        tokens: countTokens(seen.usage),
        warnings: [],
      };
    },
  };
}

/** The events' outcome so far. */
interface Seen {
  hasBegun: boolean;
  ends: number;
  broken: number;
  lastText: string;
  error: string;
  usage: TokenUsage;
}

/** Takes in an event. Returns what the agent does by it, '' where that is nothing new; null: no event of an agent at work. */
function take(seen: Seen, event: JsonRecord, worktree: string): string | null {
  switch (event.type) {
    case 'thread.started':
      seen.hasBegun = true;
      return 'started';
    case 'turn.completed':
      seen.ends += 1;
      seen.usage = readUsage(event.usage);
      return '';
    case 'turn.failed':
      seen.ends += 1;
      seen.error = messageOf(event.error);
      return null;
    case 'error':
      seen.error = messageOf(event);
      return null;
    case 'item.started':
    case 'item.completed': {
      const item = isJsonRecord(event.item) ? event.item : {};
      if (item.type === 'agent_message' && typeof item.text === 'string') seen.lastText = item.text;
      return describeItem(event, worktree).map(asActivity)[0] ?? null;
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

function asActivity(line: string): string {
  return shortenToPrintableLine(line.replace(/^> /, ''));
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

function messageOf(error: unknown): string {
  return isJsonRecord(error) && typeof error.message === 'string' ? error.message : '';
}

/** `unexpected status 401 Unauthorized: …`, `exceeded retry limit, last status: 429 Too Many Requests`. */
function statusOf(error: string): number | null {
  const status = /\b(?:unexpected|last) status:? (\d{3})\b/.exec(error)?.[1];
  return status === undefined ? null : Number(status);
}

/** With a schema the last words are the answer. Not every service behind the API holds its model to it: words may stand around. */
function readAnswer(text: string): unknown {
  const answer = parseAnswerFromText(text);
  return answer === null ? null : dropNullProperties(answer);
}
