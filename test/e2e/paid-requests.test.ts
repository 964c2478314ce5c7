import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { anthropicDialect } from '../../lib/cell/gateway/dialects/anthropic.ts';
import { type Gateway, startGateway } from '../../lib/cell/gateway/gateway.ts';
import { readUpstream } from '../../lib/cell/gateway/upstream-model-api.ts';
import { priceTokens } from '../../lib/domain/config/token-price.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import type { AgentRequest, SharedBudget } from '../../lib/domain/ports/agent-port.ts';
import { runWorkWave } from '../../lib/engine/work/work-wave.ts';
import { makeTempDir } from '../support/repo.ts';
import { closeWorkshops, openTestWorkshop } from '../support/workshop.ts';

// What agents of one session are served, against what is booked: their requests go through gateways, to a server that
// counts as the model API does, with a cache of its own.

const token = 'token-of-the-agent';
const limit = 4;
const closing: (() => unknown)[] = [];
test.after(async () => {
  for (const close of closing) await close();
  await closeWorkshops();
});

interface Block {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: { readonly type: 'ephemeral' };
}

interface Asked {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

/** Emits the first system text of a request that the server leaves without an answer. */
const unanswered = new EventEmitter();

/** Tokens of a block: of words about four letters each, of random letters more. */
function tokensOf({ text }: Block): number {
  return Math.ceil(text.length / (text.includes(' ') ? 4 : 1.5));
}

/** A model API that counts what it serves, whether the answer is heard or not. */
function startServer(): Promise<{ readonly url: string; readonly served: { usd: number; answers: number } }> {
  const served = { usd: 0, answers: 0 };
  const kept = new Set<string>();
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const asked = JSON.parse(text) as Asked;
      const isCut = text.includes('cut this off');
      const output = isCut ? 0 : Math.min(asked.max_tokens, 1_500);
      const usage = { ...countInput(asked, kept), output_tokens: output };
      served.usd += priceTokens(asked.model, usage) ?? Number.NaN;
      served.answers += 1;
      if (isCut) unanswered.emit(nameOf(asked));
      else answer(response, usage);
    });
  });
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, served }),
    ),
  );
}

function countInput({ model, system, messages }: Asked, kept: Set<string>): Record<string, number> {
  const blocks = [...system, ...messages.flatMap(({ content }) => content)];
  const prefixes: string[] = [];
  const sums: number[] = [];
  let [read, marked, all] = [0, 0, 0];
  for (const [index, block] of blocks.entries()) {
    prefixes.push(`${prefixes.at(-1) ?? model}\n${block.text}`);
    all += tokensOf(block);
    sums.push(all);
    if (block.cache_control === undefined) continue;
    // From a mark it looks back for what it has kept.
    for (let at = Math.max(0, index - 20); at <= index; at += 1)
      if (kept.has(prefixes[at] ?? '')) read = Math.max(read, sums[at] ?? 0);
    marked = all;
    kept.add(prefixes[index] ?? '');
  }
  const written = marked - read;
  return {
    input_tokens: all - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
  };
}

function nameOf({ system }: Asked): string {
  return system[0]?.text ?? '';
}

function answer(response: ServerResponse, usage: Record<string, number>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const start = { type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } };
  response.write(`data: ${JSON.stringify(start)}\n\n`);
  response.end(`data: ${JSON.stringify({ type: 'message_delta', usage })}\n\n`);
}

/** Resolves to the status; null where it was cut off. */
function send(socketPath: string, asked: Asked, isCut = false): Promise<number | null> {
  return new Promise((resolve) => {
    const request = requestHttp({
      ...{ socketPath, agent: false, method: 'POST', path: '/v1/messages' },
      headers: { 'x-api-key': token },
    });
    request.on('response', (response: IncomingMessage) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode ?? null));
    });
    request.on('error', () => resolve(null));
    request.end(JSON.stringify({ ...asked, stream: true }));
    // No answer comes: the client loses its patience.
    if (isCut) unanswered.once(nameOf(asked), () => request.destroy());
  });
}

const mark = { cache_control: { type: 'ephemeral' } } as const;
const words = (count: number): string => 'read the words of this file '.repeat(count);

/** What an agent of Claude Code asks, by and by: a conversation that grows, helpers beside it, packed content, a request it gives up. */
async function* conversation(task: string): AsyncGenerator<readonly (readonly [Asked, boolean])[]> {
  const print = (text: string, marked = false): Block => ({ type: 'text', text, ...(marked ? mark : {}) });
  const ask = (model: string, texts: readonly string[]): Asked => ({
    ...{ model, max_tokens: 8_000 },
    system: [print(`You are ${task}. ${words(400)}`, true)],
    messages: [{ role: 'user', content: texts.map((text, at) => print(text, at === texts.length - 1)) }],
  });
  const told: string[] = [];
  for (let turn = 1; turn < 60; turn += 1) {
    const isLong = turn === 4 && task === 'a';
    told.push(`${turn} ${isLong ? words(32_000) : words(300)}`);
    if (turn === 3) told.push(randomBytes(30_000).toString('base64'));
    const own = [ask('claude-sonnet-4-5', told), false] as const;
    if (turn === 2)
      yield [own, ...[1, 2, 3].map((at) => [ask('claude-haiku-4-5', [`${at} look ${words(2_000)}`]), false] as const)];
    else if (turn % 5 === 0) yield [own, [ask('claude-sonnet-4-5', [...told, `cut this off ${turn}`]), true] as const];
    else yield [own];
  }
}

async function openGateway(
  url: string,
  shared: SharedBudget,
  onRefused: (why: string) => void,
): Promise<{ readonly gateway: Gateway; readonly socketPath: string }> {
  const socketPath = join(makeTempDir(), 'gateway.sock');
  const gateway = await startGateway({
    ...{ socketPath, secret: 'secret', token, allowedTools: [], tokenLimit: 0, usdLimit: 0 },
    routes: [
      {
        prefix: '',
        upstream: readUpstream({ ANTHROPIC_BASE_URL: url }, 'anthropic'),
        dialects: [anthropicDialect],
      },
    ],
    sharesUsd: shared.isInUsd,
    isWatched: async () => true,
    onSpending: (total) => shared.note(total),
    onUnderWay: () => undefined,
    share: async (id, demand, isGone) => shared.take(id, demand, isGone),
    giveBack: (id) => shared.giveBack(id),
    onRefused,
    onForbidden: () => undefined,
    configuredModel: { role: 'worker', model: 'claude-sonnet-4-5', prices: {}, helper: 'haiku' },
    hints: { list: () => [], report: () => undefined },
    inspect: () => true,
    log: () => undefined,
    now: () => new Date(),
  });
  return { gateway, socketPath };
}

test('BUD-1 BUD-2 what is booked is what was served at least, and no more than the limit, whatever agents do', async () => {
  const { url, served } = await startServer();
  const waits = (): never => {
    throw new FlameError({ kind: 'waiting', code: 'waits', message: 'Nobody.', hints: ['git flame run'] });
  };
  const bench = await openTestWorkshop({
    tasks: ['a', 'b', 'c'].map((id) => ({
      ...{ id, title: `Do ${id}`, description: 'Do it.', priority: 1, file_locks: [`src/${id}.txt`] },
    })),
    config: {
      concurrency: { development: 3 },
      models: { worker: 'claude-sonnet-4-5' },
      limits: { max_session_cost_usd: limit, token_budget: { worker_usd: 0 } },
    },
    gates: { budget: async () => waits() },
    agent: () => ({}),
  });
  let [cut, refused] = [0, 0];
  const work = async (request: AgentRequest, shared: SharedBudget) => {
    let why: string | null = null;
    const { gateway, socketPath } = await openGateway(url, shared, (reason) => {
      why = reason;
      refused += 1;
    });
    for await (const round of conversation(request.task ?? '')) {
      const statuses = await Promise.all(round.map(([asked, isCut]) => send(socketPath, asked, isCut)));
      cut += statuses.filter((status) => status === null).length;
      if (why !== null) break;
    }
    await gateway.close();
    const failure = { kind: 'session-budget', message: 'too little', details: [], retryable: true } as const;
    return { failure, cost_usd: gateway.cost(), tokens: gateway.tokens() };
  };
  const { agents } = bench.context;
  const context = {
    ...bench.context,
    agents: {
      ...agents,
      start: async (...[request, onActivity, shared]: Parameters<typeof agents.start>) => {
        const running = await agents.start(request, onActivity, shared);
        if (shared === undefined) return running;
        const rest = await running.outcome;
        return { ...running, outcome: work(request, shared).then((outcome) => ({ ...rest, ...outcome })) };
      },
    },
  };
  const error: unknown = await runWorkWave(context, bench.session).catch((reason: unknown) => reason);
  assert.is(error instanceof FlameError && error.kind, 'waiting', String(error));
  const [session] = (await bench.context.store.snapshot()).sessions;
  const booked = session?.cost_usd ?? 0;
  const told = `${served.answers} served for ${served.usd} USD, ${booked} USD booked, ${cut} cut off, ${refused} refused`;
  assert.ok(cut > 0 && refused > 0, told);
  assert.ok(served.usd > limit / 2, told);
  // Each booking is kept to a millionth.
  assert.ok(booked >= served.usd - 0.000_01, told);
  assert.ok(booked <= limit, told);
});

test.run();
