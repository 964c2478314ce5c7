import { relative } from 'node:path';
import type { TokenUsage } from '../domain/config/token-price.ts';
import { isJsonRecord, type JsonRecord } from '../util/json.ts';

// The event stream is outside text: each field is looked at before it's used, and what isn't known is passed over.

/** The text blocks of a message's content. */
export function joinTextBlocks(content: unknown): string {
  return listContentBlocks(content)
    .filter(({ type, text }) => type === 'text' && typeof text === 'string')
    .map(({ text }) => text)
    .join('');
}

export function listContentBlocks(content: unknown): readonly JsonRecord[] {
  return Array.isArray(content) ? content.filter(isJsonRecord) : [];
}

export function readTokenUsage(value: unknown): TokenUsage {
  if (!isJsonRecord(value)) return {};
  return {
    input_tokens: readNumberOrZero(value.input_tokens),
    output_tokens: readNumberOrZero(value.output_tokens),
    cache_creation_input_tokens: readNumberOrZero(value.cache_creation_input_tokens),
    cache_read_input_tokens: readNumberOrZero(value.cache_read_input_tokens),
  };
}

export function readNumberOrZero(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function readStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

// Of any CLI: what a call is about, the most telling first.
const targetFields = ['file_path', 'filePath', 'command', 'pattern', 'path', 'dir_path', 'skill'];

/** A tool call in a few words, `Edit src/a.ts`; paths relative to the worktree. */
export function describeToolCall(name: unknown, input: unknown, worktree: string): string {
  const fields = isJsonRecord(input) ? input : {};
  const target = targetFields.map((field) => fields[field]).find((value) => typeof value === 'string') ?? '';
  const shown = target.startsWith(`${worktree}/`) ? relative(worktree, target) : target;
  return shortenToPrintableLine(`${name} ${shown}`);
}

/** One printable line of at most 160 characters. */
export function shortenToPrintableLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const printable = line.replace(/\p{Cc}+/gu, ' ').trim();
  return printable.length <= 160 ? printable : `${printable.slice(0, 159)}…`;
}

/** Renders an event of claude's output for a person, its lines without their ends; null: nothing to show. */
export function renderClaudeEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  if (event.type !== 'assistant' || !isJsonRecord(event.message)) return null;
  return listContentBlocks(event.message.content).flatMap((block) => {
    if (block.type === 'tool_use') return [`> ${describeToolCall(block.name, block.input, worktree)}`];
    return block.type === 'text' && typeof block.text === 'string' ? block.text.trimEnd().split('\n') : [];
  });
}

/** Puts the lines of a stream together again; `rest` is what has no line break yet. */
export function createLineSplitter(): { push(chunk: string): string[]; rest(): string[] } {
  let pending = '';
  return {
    push: (chunk) => {
      const lines = `${pending}${chunk}`.split('\n');
      pending = lines.pop() ?? '';
      return lines;
    },
    rest: () => [pending],
  };
}
