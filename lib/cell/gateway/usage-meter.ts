import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { countTokens, type PriceList, priceTokens, type TokenUsage } from '../../domain/config/token-price.ts';
import type { Spending } from '../../domain/state/spending.ts';
import { isJsonRecord, type JsonRecord, parseJson, parseJsonRecord } from '../../util/json.ts';
import type { Dialect, UsageReportFormat } from './dialects/dialect.ts';
import { listRecordsOfValue } from './dialects/request-fields.ts';
import { buildEstimatedUsage, type RequestCostEstimate } from './model-request.ts';

/** Reads how many tokens one response of the model API used while it passes by. */
interface UsageMeter {
  push(chunk: Buffer): void;
  /**
   * Resolves to the total once all that was pushed is read. `cut`: the answer was cut off, and what it didn't
   * report is estimated from the request and from what was written so far.
   */
  finish(cut: CutAnswer | null): Promise<number>;
}

interface CutAnswer {
  readonly estimate: RequestCostEstimate;
  /** The most output tokens it may have, and can have had so far by its time. */
  readonly granted: number;
  readonly byTime: number;
}

// Only a plain JSON answer is held as a whole, and answers of the API are far smaller.
const largestBody = 32 * 1024 * 1024;

interface MeterOptions {
  readonly dialect: Pick<Dialect, 'usage'>;
  readonly contentType: string;
  readonly encoding: string;
  /** The model that was asked for; '' for none. */
  readonly model: string;
  readonly prices: PriceList;
  /** Takes each new total. */
  onUsage(total: CountedUsage): void;
}

/** The use of a response so far. */
export interface CountedUsage extends Spending {
  readonly input: number;
  /** How many of them went through the API's cache. */
  readonly cached: number;
  /** false: the input is an estimate. */
  readonly isReported: boolean;
}

export function createUsageMeter({ dialect, contentType, encoding, model, prices, onUsage }: MeterOptions): UsageMeter {
  const usage: Counted = {};
  let answering = '';
  let isReported = true;
  const note = (found: JsonRecord | null, by: string): void => {
    if (by !== '') answering = by;
    if (found === null) return;
    mergeUsage(usage, found);
    const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
    onUsage({
      tokens: countTokens(usage),
      cost_usd: priceTokens(model, usage, prices) ?? priceTokens(answering, usage, prices) ?? 0,
      input: (usage.input_tokens ?? 0) + cached,
      cached,
      isReported,
    });
  };
  const conclude = (cut: CutAnswer | null): number => {
    reader.finish();
    if (cut !== null) {
      const { estimate, granted, byTime } = cut;
      const written = Math.min(granted, Math.max(reader.written(), estimate.isHidden ? byTime : 0));
      isReported = usage.input_tokens !== undefined;
      const made = isReported ? { output_tokens: written } : buildEstimatedUsage(estimate, written);
      note({ ...made }, answering || estimate.model);
    }
    return countTokens(usage);
  };
  const reader = contentType.includes('event-stream')
    ? eventReader(dialect.usage, note)
    : bodyReader(dialect.usage, note);
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

type Counted = { -readonly [Key in keyof TokenUsage]: TokenUsage[Key] };

const counts = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const;

/** Counts of one response grow: message_delta repeats and corrects message_start. */
function mergeUsage(usage: Counted, found: JsonRecord): void {
  for (const name of counts) if (typeof found[name] === 'number') usage[name] = larger(usage[name], found[name]);
  const { cache_creation, server_tool_use, inference_geo, speed } = found;
  if (isJsonRecord(cache_creation)) {
    const before = usage.cache_creation?.ephemeral_1h_input_tokens;
    usage.cache_creation = {
      ephemeral_1h_input_tokens: larger(before, cache_creation.ephemeral_1h_input_tokens),
    };
  }
  if (isJsonRecord(server_tool_use)) {
    const before = usage.server_tool_use?.web_search_requests;
    usage.server_tool_use = { web_search_requests: larger(before, server_tool_use.web_search_requests) };
  }
  if (typeof inference_geo === 'string') usage.inference_geo = inference_geo;
  if (typeof speed === 'string') usage.speed = speed;
}

function larger(before: number | null | undefined, found: unknown): number {
  return typeof found === 'number' ? Math.max(before ?? 0, found) : (before ?? 0);
}

type Note = (usage: JsonRecord | null, model: string) => void;

interface Reader {
  push(chunk: Buffer): void;
  finish(): void;
  /** Tokens the model has written so far, as far as that can be seen. */
  written(): number;
}

function eventReader(facts: UsageReportFormat, note: Note): Reader {
  let rest = '';
  let written = 0;
  const decoder = new TextDecoder();
  const readLine = (line: string): void => {
    if (!line.startsWith('data:')) return;
    written += facts.written(line);
    if (!line.includes(facts.sign)) return;
    for (const { usage, model } of facts.read(parseJsonRecord(line.slice('data:'.length)))) note(usage, model);
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

function bodyReader(facts: UsageReportFormat, note: Note): Reader {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    push(chunk) {
      size += chunk.length;
      if (size <= largestBody) chunks.push(chunk);
    },
    finish: () => {
      const value = parseJson(Buffer.concat(chunks).toString());
      // Some APIs send their parts as a list of answers.
      for (const answer of listRecordsOfValue(value))
        for (const { usage, model } of facts.read(answer)) note(usage, model);
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
