import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { priceTokens } from '../domain/token-price.ts';
import { countTokens, type TokenUsage } from '../domain/token-usage.ts';

/** Reads how many tokens one response of the model API used while it passes by. */
export interface UsageMeter {
  push(chunk: Buffer): void;
  /** Resolves to the total once all that was pushed is read. */
  finish(): Promise<number>;
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
  const reader = contentType.includes('event-stream') ? eventReader(note) : bodyReader(note);
  const decoder = decoderFor(encoding);
  if (decoder === null) {
    return {
      push: (chunk) => reader.push(chunk),
      finish: async () => {
        reader.finish();
        return countTokens(usage as TokenUsage);
      },
    };
  }
  decoder.on('data', (chunk: Buffer) => reader.push(chunk));
  const read = new Promise<void>((resolve) => decoder.on('close', () => resolve()));
  decoder.on('error', () => undefined);
  return {
    push: (chunk) => decoder.write(chunk),
    finish: async () => {
      decoder.end();
      await read;
      reader.finish();
      return countTokens(usage as TokenUsage);
    },
  };
}

type Note = (usage: unknown, model: unknown) => void;

interface Reader {
  push(chunk: Buffer): void;
  finish(): void;
}

function eventReader(note: Note): Reader {
  let rest = '';
  const decoder = new TextDecoder();
  const readLine = (line: string): void => {
    if (!line.startsWith('data:') || !line.includes('"usage"')) return;
    const event = parse(line.slice('data:'.length));
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
      const { usage, model } = parse(Buffer.concat(chunks).toString());
      note(usage, model);
    },
  };
}

function decoderFor(encoding: string): Transform | null {
  if (/gzip/i.test(encoding)) return createGunzip();
  if (/br/i.test(encoding)) return createBrotliDecompress();
  return /deflate/i.test(encoding) ? createInflate() : null;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
