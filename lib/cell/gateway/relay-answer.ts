import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PriceList } from '../../domain/config/token-price.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { Estimate } from './model-request.ts';
import type { ServiceLimit } from './service-limit.ts';
import { connectionHeaders } from './upstream.ts';
import { type CountedUsage, meterUsage } from './usage-meter.ts';

// A client that waits longer would only hold its memory; the wave waits instead.
export const longestClientWaitMs = 30_000;

interface Relay {
  readonly dialect: Dialect;
  readonly limit: ServiceLimit | null;
  readonly now: number;
  readonly estimate: Estimate | null;
  /** See CutAnswer. */
  readonly granted: number;
  byTime(): number;
  readonly prices: PriceList;
  onUsage(total: CountedUsage): void;
  /** Takes the whole message of a refusal. */
  onRefusal(body: string): void;
  settle(status: number, tokens: number): void;
}

/** Passes an answer on. Tokens are counted before the agent sees the part that reports them. */
export async function relay(
  answer: IncomingMessage,
  response: ServerResponse,
  relayed: Relay,
): Promise<void> {
  const { headers, statusCode = 502 } = answer;
  const type = headers['content-type'] ?? '';
  const meter = meterUsage({
    dialect: relayed.dialect,
    contentType: type,
    encoding: headers['content-encoding'] ?? '',
    model: relayed.estimate?.model ?? '',
    prices: relayed.prices,
    onUsage: relayed.onUsage,
  });
  const held: Buffer[] = [];
  const isLong = (relayed.limit?.until ?? 0) - relayed.now > longestClientWaitMs;
  response.writeHead(statusCode, [
    ...withoutConnection(answer.rawHeaders),
    ...(isLong ? ['x-should-retry', 'false'] : []),
  ]);
  response.flushHeaders();
  answer.on('data', (chunk: Buffer) => {
    meter.push(chunk);
    // A plain answer reports its tokens only when it is whole.
    if (type.includes('json')) held.push(chunk);
    else if (!response.write(chunk)) {
      answer.pause();
      response.once('drain', () => answer.resume());
    }
  });
  await new Promise<void>((resolve) => answer.on('close', () => resolve()));
  // The model wrote, and charges for, an answer that an agent cuts off before its end.
  const isCut = statusCode === 200 && !answer.complete;
  const { estimate, granted } = relayed;
  const cut = isCut && estimate !== null ? { estimate, granted, byTime: relayed.byTime() } : null;
  if (statusCode >= 400) relayed.onRefusal(Buffer.concat(held).toString());
  relayed.settle(statusCode, await meter.finish(cut));
  if (!answer.complete) return void response.destroy();
  response.end(Buffer.concat(held));
}

function withoutConnection(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter(
    (_, index) => !connectionHeaders.has(rawHeaders[index - (index % 2)]?.toLowerCase() ?? ''),
  );
}
