import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { priceTokens } from '../domain/token-price.ts';
import { countTokens, type TokenUsage } from '../domain/token-usage.ts';
import { isRecord, parseRecord } from '../util/json-record.ts';
import { type Estimate, estimateTokens } from './model-request.ts';

/** Reads how many tokens one response of the model API used while it passes by. */
export interface UsageMeter {
  push(chunk: Buffer): void;
  /**
   * Resolves to the total once all that was pushed is read. `cut`: the answer was cut off, and what it didn't tell
   * is made up from the request and from what was written so far.
   */
  finish(cut: Estimate | null): Promise<number>;
}

// Only a plain JSON answer is held as a whole, and answers of the API are far smaller.
const largestBody = 32 * 1024 * 1024;

/** A meter for a response with these headers; `onUsage` hears each new total, in tokens and in USD at list prices (0 where those aren't known). */
export function meterUsage(
  contentType: string,
  encoding: string,
  onUsage: (tokens: number, cost: number) => void,
): UsageMeter {
  const usage: Record<string, number> = {};
  let model = '';
  const note = (found: unknown, by: unknown): void => {
    if (typeof by === 'string') model = by;
    if (!isRecord(found)) return;
    // Counts of one response grow: message_delta repeats and corrects message_start.
    for (const [name, value] of Object.entries(found)) {
      if (typeof value === 'number') usage[name] = Math.max(usage[name] ?? 0, value);
    }
    onUsage(countTokens(usage as TokenUsage), priceTokens(model, usage as TokenUsage) ?? 0);
  };
  const conclude = (cut: Estimate | null): number => {
    reader.finish();
    if (cut !== null)
      note(
        {
          ...(usage.input_tokens === undefined ? { input_tokens: cut.input } : {}),
          output_tokens: estimateTokens(reader.written()),
        },
        model || cut.model,
      );
    return countTokens(usage as TokenUsage);
  };
  const reader = contentType.includes('event-stream') ? eventReader(note) : bodyReader(note);
  const decoder = decoderFor(encoding);
  if (decoder === null) {
    return {
      push: (chunk) => reader.push(chunk),
      finish: async (cut) => conclude(cut),
    };
  }
  decoder.on('data', (chunk: Buffer) => reader.push(chunk));
  const read = new Promise<void>((resolve) => decoder.on('close', () => resolve()));
  decoder.on('error', () => undefined);
  return {
    push: (chunk) => decoder.write(chunk),
    finish: async (cut) => {
      decoder.end();
      await read;
      return conclude(cut);
    },
  };
}

type Note = (usage: unknown, model: unknown) => void;

interface Reader {
  push(chunk: Buffer): void;
  finish(): void;
  /** Characters the model has written so far, as far as that can be seen. */
  written(): number;
}

// How long the line of an event is that brings no text.
const emptyDelta = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}'
  .length;

function eventReader(note: Note): Reader {
  let rest = '';
  let written = 0;
  const decoder = new TextDecoder();
  const readLine = (line: string): void => {
    if (!line.startsWith('data:')) return;
    // Close enough, and nothing has to be parsed.
    if (line.includes('"content_block_delta"')) written += Math.max(0, line.length - emptyDelta);
    if (!line.includes('"usage"')) return;
    const event = parseRecord(line.slice('data:'.length));
    note(event.usage, null);
    if (isRecord(event.message)) note(event.message.usage, event.message.model);
  };
  return {
    push(chunk) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      for (const line of lines) readLine(line);
    },
    finish: () => readLine(rest),
    written: () => written,
  };
}

function bodyReader(note: Note): Reader {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    push(chunk) {
      size += chunk.length;
      if (size <= largestBody) chunks.push(chunk);
    },
    finish: () => {
      const { usage, model } = parseRecord(Buffer.concat(chunks).toString());
      note(usage, model);
    },
    // It is written only when it is whole.
    written: () => 0,
  };
}

function decoderFor(encoding: string): Transform | null {
  if (/gzip/i.test(encoding)) return createGunzip();
  if (/br/i.test(encoding)) return createBrotliDecompress();
  return /deflate/i.test(encoding) ? createInflate() : null;
}
