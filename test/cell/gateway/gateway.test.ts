import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { anthropicDialect } from '../../../lib/cell/gateway/dialects/anthropic.ts';
import { getDialect } from '../../../lib/cell/gateway/dialects/get-dialect.ts';
import { type Gateway, startGateway } from '../../../lib/cell/gateway/gateway.ts';
import type { GatewayLogLine, GatewayOptions } from '../../../lib/cell/gateway/gateway-options.ts';
import { readUpstream } from '../../../lib/cell/gateway/upstream-model-api.ts';
import type { PriceList } from '../../../lib/domain/config/token-price.ts';
import { type JsonRecord, parseJsonRecord } from '../../../lib/util/json.ts';
import { makeTempDir } from '../../support/repo.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** What the agent's CLI was given for a key. */
const token = 'token-of-the-agent';
const opened: (() => void)[] = [];
test.after.each(() => {
  for (const close of opened.splice(0)) close();
});

test('SBX-5: the dummy credential is replaced by the real one, in its own form', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const upstream = await startUpstream((request, response) => {
    seen.push(request.headers);
    answerJson(response, {});
  });
  const dummy = {
    'x-api-key': token,
    authorization: 'Bearer dummy',
    cookie: 'a=b',
    'anthropic-beta': 'effort-2025-11-24',
  };
  for (const env of [
    { ANTHROPIC_API_KEY: 'real' },
    { ANTHROPIC_AUTH_TOKEN: 'token' },
    { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat-1' },
    {},
  ]) {
    const { gateway } = await start(upstream, { env });
    assert.is((await ask(gateway, { headers: dummy })).status, 200);
  }
  assert.equal(
    seen.map((headers) => [
      headers['x-api-key'],
      headers.authorization,
      headers['anthropic-beta'],
      headers.cookie,
      headers.host,
    ]),
    [
      ['real', undefined, 'effort-2025-11-24', undefined, upstream.replace('http://', '')],
      [undefined, 'Bearer token', 'effort-2025-11-24', undefined, upstream.replace('http://', '')],
      [
        undefined,
        'Bearer sk-ant-oat-1',
        'effort-2025-11-24,oauth-2025-04-20',
        undefined,
        upstream.replace('http://', ''),
      ],
      [undefined, undefined, 'effort-2025-11-24', undefined, upstream.replace('http://', '')],
    ],
  );
});

test('SBX-1: nothing but the model API can be asked for', async () => {
  const asked: string[] = [];
  const upstream = await startUpstream((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answerJson(response, {});
  });
  const { gateway, log, forbidden } = await start(`${upstream}/base/`);
  const wrong = [
    '/',
    '/v2/x',
    '/v1',
    '/v1/../admin',
    '/v1/%2e%2e/admin',
    '/v1//x',
    '/v1/a\\b',
    'http://evil.example/v1/x',
    '/v1/models/../messages',
    '/v1/files',
    `/v1/models?${'x'.repeat(3_000)}`,
  ];
  for (const path of wrong) assert.is((await ask(gateway, { path, method: 'GET' })).status, 403, path);
  // Their answers don't say what they cost, and some run on for a day.
  const posted = ['/v1/messages/batches', '/v1/messages/', '/v1/complete', '/v1/files', '/v1/messages/count_tokens/x'];
  for (const path of posted) assert.is((await ask(gateway, { path })).status, 403, path);
  assert.is((await ask(gateway, { path: '/', method: 'HEAD' })).status, 200);
  assert.is((await ask(gateway, { path: '/v1/models?limit=1', method: 'GET' })).status, 200);
  // Whether anybody answers is no question for the model API.
  assert.equal(asked, ['GET /base/v1/models?limit=1']);
  assert.is(log.filter(({ refused }) => refused === 'path').length, wrong.length + posted.length);
  assert.ok(log.every(({ path }) => path.length < 300));
  // For the audit, what the agent itself asked for; who has no key of the cell is no agent.
  await ask(gateway, { path: '/v1/nothing', headers: {} });
  assert.equal(
    forbidden.map((target) => target.split('?')[0]),
    [...wrong.map((path) => `GET ${path}`), ...posted.map((path) => `POST ${path}`)].map(
      (target) => target.split('?')[0],
    ),
  );
});

test('a stream is passed on as it comes, part by part', async () => {
  let goOn: () => void = () => undefined;
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: message_start\ndata: {"message":{"usage":{"input_tokens":7}}}\n\n');
    goOn = () => response.end('event: message_delta\ndata: {"usage":{"output_tokens":5}}\n\n');
  });
  const { gateway } = await start(upstream);
  let parts = 0;
  // The upstream sends its second part only when the first has arrived: a gateway that holds back never ends.
  const { body } = await ask(gateway, {
    onData: () => {
      parts += 1;
      if (parts === 1) goOn();
    },
  });
  assert.match(body, /message_start[\s\S]*message_delta/);
  assert.is(gateway.tokens(), 12);
});

test('BUD-1: tokens are counted from streams, cut anywhere, and from plain and packed answers', async () => {
  const usage = {
    input_tokens: 1,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 300,
    output_tokens: 4_000,
  };
  const events = [
    `data: ${JSON.stringify({ type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } })}`,
    'data: {"type":"content_block_delta","delta":{"text":"ü \\"usage\\" "}}',
    'data: {"type":"message_delta","usage":{"output_tokens":4000}}',
    '',
  ].join('\r\n\r\n');
  const plain = Buffer.from(JSON.stringify({ usage }));
  const upstream = await startUpstream((request, response) => {
    if (request.headers['user-agent'] === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const byte of Buffer.from(events)) response.write(Buffer.from([byte]));
      response.end();
    } else if (request.headers['user-agent'] === 'packed') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(plain));
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(plain);
    }
  });
  const { gateway, log } = await start(upstream);
  for (const kind of ['stream', 'plain', 'packed'])
    await ask(gateway, { headers: { 'x-api-key': token, 'user-agent': kind } });
  assert.equal(
    log.map(({ tokens }) => tokens),
    [4_321, 4_321, 4_321],
  );
  assert.is(gateway.tokens(), 3 * 4_321);
});

test('UNI-8: the request after the limit is refused, and reported', async () => {
  let sent = 0;
  const upstream = await startUpstream((_request, response) => {
    sent += 1;
    answerJson(response, { usage: { input_tokens: 60, output_tokens: 0 } });
  });
  const { gateway, refused } = await start(upstream, { tokenLimit: 130 });
  const statuses = [];
  for (let turn = 0; turn < 4; turn += 1) statuses.push((await ask(gateway, {})).status);
  assert.equal(statuses, [200, 200, 400, 400]);
  assert.is(sent, 2);
  assert.equal(refused, ['budget', 'budget']);
  assert.is(gateway.trouble()?.kind, 'unpaid');
});

test('BUD-1 BUD-2: a budget that others share is asked before each request, and told of each answer', async () => {
  let sent = 0;
  const upstream = await startUpstream((request, response) => {
    if (request.method === 'GET') return answerJson(response, {});
    sent += 1;
    answerJson(response, { model: 'claude-sonnet-5', usage: { input_tokens: 60, output_tokens: 0 } });
  });
  const sentWhenAsked: number[] = [];
  const { gateway, spending, refused } = await start(upstream, {
    share: async (_id, { most }) => {
      // A person thinks while another request comes and goes: nothing of this one leaves the cell before the answer.
      assert.is((await ask(gateway, { path: '/v1/models', method: 'GET' })).status, 200);
      sentWhenAsked.push(sent);
      return sent < 2 ? most : null;
    },
  });
  const answers = [await ask(gateway, {}), await ask(gateway, {}), await ask(gateway, {})];
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 400],
  );
  assert.match(answers[2]?.body ?? '', /rest of the session's budget is too little/);
  assert.equal(sentWhenAsked, [0, 1, 2]);
  assert.equal(
    spending.map(({ tokens }) => tokens),
    [60, 120],
  );
  assert.ok((spending[1]?.cost_usd ?? 0) > 0);
  assert.equal(refused, ['session-budget']);
});

test('WAT-1: a request that is judged to be none is never sent; what is no message is not judged', async () => {
  const sent: (string | undefined)[] = [];
  const upstream = await startUpstream(({ url }, response) => {
    sent.push(url);
    answerJson(response, { usage: { input_tokens: 1, output_tokens: 1 } });
  });
  const judged: string[] = [];
  const { gateway } = await start(upstream, {
    inspect: ({ results }) => {
      judged.push(results.map(({ name }) => name).join());
      return judged.length < 2;
    },
  });
  const statuses = [];
  const [paid, free, last] = ['/v1/messages?beta=true', '/v1/messages/count_tokens', '/v1/messages'];
  for (const path of [paid, free, last, free]) {
    const content = [{ type: 'tool_use', id: '1', name: path, input: {} }];
    const result = [{ type: 'tool_result', tool_use_id: '1', content: 'done' }];
    const messages = [
      { role: 'assistant', content },
      { role: 'user', content: result },
    ];
    const body = JSON.stringify({ messages });
    statuses.push((await ask(gateway, { path, body })).status);
  }
  assert.equal(statuses, [200, 200, 403, 200]);
  assert.equal(judged, [paid, last]);
  assert.equal(sent, [paid, free, free]);
});

test('UNI-8 BUD-1 a limit in dollars is kept by prices, of the list or ones own; without one nothing is sent', async () => {
  const prices = { 'our-': { input: 2, output: 10 } };
  for (const [model, statuses] of [
    ['claude-sonnet-5', [200, 200, 400]],
    ['our-model', [200, 200, 400]],
    ['some-model', [400, 400, 400]],
  ] as const) {
    const upstream = await startUpstream((_request, response) => {
      answerJson(response, { model, usage: { input_tokens: 100_000, output_tokens: 10_000 } });
    });
    const { gateway, refused } = await start(upstream, { model, usdLimit: 0.6, prices });
    const got = [];
    const body = JSON.stringify({ model });
    for (let turn = 0; turn < 3; turn += 1) got.push((await ask(gateway, { body })).status);
    assert.equal(got, [...statuses], model);
    assert.is(Math.round(gateway.cost() * 100), model === 'some-model' ? 0 : 60);
    assert.is(refused[0], model === 'some-model' ? 'no-price' : 'budget');
    if (model === 'some-model') assert.match((await ask(gateway, { body })).body, /models\.prices/);
  }
});

test('WAT-3: nothing is sent before the agent is known to be watched', async () => {
  let sent = 0;
  const upstream = await startUpstream((_request, response) => {
    sent += 1;
    answerJson(response, {});
  });
  const unwatched = await start(upstream, { isWatched: async () => false });
  assert.is((await ask(unwatched.gateway, {})).status, 403);
  assert.equal(unwatched.refused, ['canary-failed']);
  let wake: (isWatched: boolean) => void = () => undefined;
  const later = new Promise<boolean>((resolve) => {
    wake = resolve;
  });
  const waiting = await start(upstream, {
    isWatched: () => {
      assert.is(sent, 0);
      wake(true);
      return later;
    },
  });
  assert.is((await ask(waiting.gateway, {})).status, 200);
  assert.is(sent, 1);
});

test("the upstream's errors pass through; one that is gone is a 502", async () => {
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(529, { 'content-type': 'application/json', 'retry-after': '7' });
    response.end('{"type":"error","error":{"type":"overloaded_error"}}');
  });
  const { gateway } = await start(upstream);
  const answer = await ask(gateway, {});
  assert.equal([answer.status, answer.headers['retry-after']], [529, '7']);
  assert.is(answer.headers['x-should-retry'], undefined);
  const limit = gateway.limit();
  assert.is(limit?.status, 529);
  assert.ok((limit?.until ?? 0) > Date.now() - 60_000);
  assert.match(answer.body, /overloaded_error/);
  const gone = await start('http://127.0.0.1:1');
  const failed = await ask(gone.gateway, {});
  assert.is(failed.status, 502);
  assert.match(failed.body, /could not be reached/);
  assert.equal(gone.gateway.trouble(), { kind: 'unreachable', why: 'ECONNREFUSED 127.0.0.1:1' });
  assert.is(gone.log[0]?.status, null);
});

test('an answer cut off upstream is cut off for the agent too, and what it cost counts', async () => {
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"message":{"usage":{"input_tokens":9}}}\n\n', () => response.destroy());
  });
  const { gateway } = await start(upstream);
  const error = await ask(gateway, {}).catch((reason) => reason);
  assert.instance(error, Error);
  assert.is(gateway.tokens(), 9);
});

test('an agent that hangs up ends its request upstream', async () => {
  let hungUp: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    hungUp = resolve;
  });
  const upstream = await startUpstream((_request, response) => {
    response.on('close', hungUp);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {}\n\n');
  });
  const { socketPath } = await start(upstream);
  const client = connect(socketPath, () =>
    client.write(`POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ncontent-length: 2\r\n\r\n{}`),
  );
  client.once('data', () => client.destroy());
  await ended;
});

test('large bodies arrive whole', async () => {
  const upstream = await startUpstream((_request, response, body) => {
    answerJson(response, { length: body.length });
  });
  const { gateway } = await start(upstream);
  const { body } = await ask(gateway, { body: JSON.stringify({ system: 'x'.repeat(5_000_000) }) });
  assert.equal(JSON.parse(body), { length: 5_000_013 });
});

test('SBX-1: the model API is not made to reach what the cell may not', async () => {
  const bodies: string[] = [];
  const upstream = await startUpstream((_request, response, body) => {
    bodies.push(body);
    answerJson(response, {});
  });
  const { gateway, log, explained } = await start(upstream);
  const message = (content: unknown): unknown => ({ messages: [{ role: 'user', content }] });
  const url = { type: 'url', url: 'https://evil.example/?stolen' };
  const image = { type: 'image', source: url };
  const refused: unknown[] = [
    { mcp_servers: [{ type: 'url', url: 'https://evil.example', name: 'x' }] },
    { mcp_servers: {} },
    { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
    { tools: [{ name: 'fine' }, { type: 'web_search_20250305', name: 'web_search' }] },
    { tools: [{ type: 'code_execution_20250825', name: 'x' }] },
    { tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] },
    { tools: { type: 'something_new_20300101' } },
    message([image]),
    message(image),
    message([{ type: 'document', source: { type: 'file', file_id: 'x' } }]),
    message([{ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: '' }, image] }]),
    message([{ type: 'document', source: { type: 'content', content: [image] } }]),
    { system: [image], messages: [] },
    [],
    'text',
  ];
  for (const body of refused) {
    const text = JSON.stringify(body);
    assert.is((await ask(gateway, { body: text })).status, 403, text);
  }
  assert.is((await ask(gateway, { body: '{' })).status, 403);
  assert.is(
    (await ask(gateway, { body: '{}', headers: { 'x-api-key': token, 'content-encoding': 'gzip' } })).status,
    415,
  );
  assert.equal(bodies, []);
  assert.is(log.filter(({ refused: why }) => why === 'server-tool').length, refused.length - 2);
  assert.is(explained.length, refused.length - 2);
  for (const what of ['mcp_servers', 'web_fetch_20250910', 'code_execution_20250825', 'something_new'])
    assert.match(explained.join('\n'), `contact other hosts: ${what === 'mcp_servers' ? '' : 'the tool '}${what}`);
  const fine: unknown[] = [
    {
      tools: [{ name: 'Bash', input_schema: {} }, { type: 'custom' }, { type: 'bash_20250124' }],
      mcp_servers: [],
    },
    message('see https://evil.example'),
    message([{ type: 'image', source: { type: 'base64', data: 'AA==' } }]),
    message([{ type: 'tool_use', name: 'x', input: { source: url, mcp_servers: [1] } }]),
  ];
  for (const body of fine) assert.is((await ask(gateway, { body: JSON.stringify(body) })).status, 200);
  assert.equal(
    bodies,
    fine.map((body) => JSON.stringify(body)),
  );
  // Whoever reads the first of two gets the one that was judged.
  await ask(gateway, { body: '{"tools":[{"type":"web_fetch_20250910"}],"tools":[]}' });
  assert.is(bodies.at(-1), '{"tools":[]}');
  const searching = await start(upstream, { allowedTools: ['WebSearch'] });
  const search = JSON.stringify({ tools: [{ type: 'web_search_20250305' }] });
  assert.is((await ask(searching.gateway, { body: search })).status, 200);
});

test('UNI-8: many requests at once spend no more than one after another', async () => {
  let sent = 0;
  const first: (() => void)[] = [];
  const upstream = await startUpstream((_request, response) => {
    sent += 1;
    const answer = (): void => answerJson(response, { usage: { input_tokens: 60, output_tokens: 0 } });
    // What the budget holds does run side by side: the first is answered only when another has come.
    if (sent === 1) first.push(answer);
    else for (const send of [answer, ...first.splice(0)]) send();
  });
  const { gateway } = await start(upstream, { tokenLimit: 250 });
  const body = JSON.stringify({ max_tokens: 90 });
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(gateway, { body })));
  assert.is(answers.filter(({ status }) => status === 200).length, sent);
  assert.ok(sent <= 5, `${sent} were sent`);
  assert.is(gateway.tokens(), sent * 60);
});

test('UNI-8: what an agent cuts off before its tokens are told counts all the same', async () => {
  let arrived = (): void => undefined;
  const text = JSON.stringify({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'x'.repeat(400) },
  });
  const upstream = await startUpstream((_request, response, body) => {
    if (body.includes('silent')) return arrived();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      `data: {"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}\n\ndata: ${text}\n\n`,
    );
  });
  for (const kind of ['silent', 'streaming']) {
    const { gateway, socketPath, spending } = await start(upstream, { tokenLimit: 300 });
    const system = kind === 'silent' ? `silent ${'x'.repeat(400)}` : '';
    const body = JSON.stringify({ max_tokens: kind === 'silent' ? 8 : 100, stream: true, system });
    const head = `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const answers: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const said = await new Promise<string>((resolve) => {
        let text = '';
        const client = connect(socketPath, () => client.write(head + body));
        client.on('data', (chunk) => {
          text += chunk;
          if (/xxx|too little for/.test(text)) client.destroy();
        });
        client.on('close', () => resolve(text));
        arrived = () => client.destroy();
      });
      answers.push(said.slice(9, 12));
    }
    assert.equal(answers, kind === 'silent' ? ['', '', '400'] : ['200', '200', '400']);
    // The session is told, so a new attempt does not begin with what this one may have used up.
    assert.ok(gateway.tokens() >= 200 && gateway.tokens() <= 300, `${kind} ${gateway.tokens()}`);
    assert.is(spending.at(-1)?.tokens, gateway.tokens(), kind);
  }
});

test('UNI-8: a request that was sent whole counts, also where the connection or the gateway ends before its answer', async () => {
  const body = JSON.stringify({ max_tokens: 8, system: 'x'.repeat(400) });
  const broken = await start(await startUpstream((request) => request.socket.destroy()));
  assert.is((await ask(broken.gateway, { body })).status, 502);
  assert.ok(broken.gateway.tokens() >= 100);
  assert.ok((broken.log[0]?.tokens ?? 0) >= 100);
  const unreached = await start('http://127.0.0.1:1');
  assert.is((await ask(unreached.gateway, { body })).status, 502);
  assert.is(unreached.gateway.tokens(), 0);
  let arrived: () => void = () => undefined;
  const arriving = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { gateway } = await start(await startUpstream(() => arrived()));
  const asked = ask(gateway, { body }).catch(() => null);
  await arriving;
  await gateway.close();
  assert.ok(gateway.tokens() >= 100, 'what it cost is known once the gateway is closed');
  assert.is(await asked, null);
});

test('BUD-1: what a request may come to is noted before it is sent, and what it cost once that is known', async () => {
  let atArrival: readonly { readonly tokens: number; readonly cost_usd: number }[] = [];
  const upstream = await startUpstream((_request, response) => {
    atArrival = [...underWay];
    answerJson(response, { usage: { input_tokens: 100, output_tokens: 10 } });
  });
  const { gateway, underWay } = await start(upstream, { model: 'claude-sonnet-4-5' });
  const messages = [{ role: 'user', content: 'Do it.' }];
  await ask(gateway, { body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 5_000, messages }) });
  const [most] = atArrival;
  assert.is(atArrival.length, 1);
  // The price of 5,000 output tokens is 0.075 USD.
  assert.ok(most !== undefined && most.tokens > 5_000 && most.cost_usd > 0.075, JSON.stringify(most));
  assert.equal(underWay.slice(1), [{ tokens: 0, cost_usd: 0 }]);
  assert.is(gateway.tokens(), 110);
});

test('BUD-1: a request is not sent where what it may come to cannot be noted', async () => {
  let asked = 0;
  const upstream = await startUpstream((_request, response) => {
    asked += 1;
    answerJson(response, {});
  });
  const givenBack: symbol[] = [];
  const { gateway } = await start(upstream, {
    model: 'claude-sonnet-4-5',
    giveBack: (id) => givenBack.push(id),
    onUnderWay: () => {
      throw new Error('ENOSPC: no space left on device');
    },
  });
  const messages = [{ role: 'user', content: 'Do it.' }];
  const body = JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 5_000, messages });
  await ask(gateway, { body }).then(
    () => assert.unreachable('it was answered'),
    () => undefined,
  );
  assert.equal([asked, givenBack.length, gateway.underWay().tokens], [0, 1, 0]);
});

test('BUD-2: what a request is granted while its client hangs up is given back, so that no other waits for it', async () => {
  const held = new Set<symbol>();
  let [asking, hungUp]: (() => void)[] = [];
  const wasAsked = new Promise<void>((resolve) => {
    asking = resolve;
  });
  const isGone = new Promise<void>((resolve) => {
    hungUp = resolve;
  });
  let settled: () => void = () => undefined;
  const settling = new Promise<void>((resolve) => {
    settled = resolve;
  });
  const { gateway } = await start(await startUpstream(() => assert.unreachable('it is not sent')), {
    share: async (id, { most }) => {
      asking?.();
      await isGone;
      held.add(id);
      setImmediate(settled);
      return most;
    },
    giveBack: (id) => {
      held.delete(id);
      hungUp?.();
    },
  });
  const request = requestHttp({
    ...{ socketPath: sockets.get(gateway), path: '/v1/messages', method: 'POST', agent: false },
    headers: { 'x-api-key': token },
  });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ max_tokens: 8 }));
  await wasAsked;
  request.destroy();
  await settling;
  assert.is(held.size, 0);
});

test('without a socket the address holds a secret', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, {}));
  const { gateway } = await start(upstream, { isTcp: true });
  const { origin, pathname } = new URL(gateway.url);
  assert.is(pathname, '/secret');
  const statuses = await Promise.all(
    [`${gateway.url}/v1/messages`, `${origin}/v1/messages`, `${origin}/secre/v1/messages`].map(
      async (url) => (await fetch(url, { method: 'POST', headers: { 'x-api-key': token }, body: '{}' })).status,
    ),
  );
  assert.equal(statuses, [200, 403, 403]);
});

test('SBX-5 who only finds the port is refused, and nothing is sent', async () => {
  let sent = 0;
  const upstream = await startUpstream((_request, response) => {
    sent += 1;
    answerJson(response, {});
  });
  const { gateway, log } = await start(upstream);
  const wrong = [{}, { 'x-api-key': 'other' }, { authorization: 'Bearer other' }, { 'x-api-key': '' }];
  for (const headers of wrong) {
    assert.is((await ask(gateway, { headers })).status, 401);
    assert.is((await ask(gateway, { headers, path: '/v1/models', method: 'GET' })).status, 401);
  }
  assert.is(sent, 0);
  assert.ok(log.every(({ refused }) => refused === 'token'));
  assert.is((await ask(gateway, { headers: { authorization: `Bearer ${token}` } })).status, 200);
});

test('SBX-1 only headers, betas and fields that are known are sent on', async () => {
  const seen: { headers: IncomingMessage['headers']; body: string }[] = [];
  const upstream = await startUpstream((request, response, body) => {
    seen.push({ headers: request.headers, body });
    answerJson(response, {});
  });
  const { gateway, log } = await start(upstream, { env: { ANTHROPIC_API_KEY: 'real' } });
  const headers = {
    ...{
      'x-api-key': token,
      'anthropic-version': '2023-06-01',
      'x-app': 'cli',
      'x-forwarded-for': '1.2.3.4',
    },
    ...{ 'anthropic-organization-id': 'other', 'x-custom': '1', 'user-agent': 'claude-cli' },
    'anthropic-beta': 'claude-code-20250219, code-execution-2025-08-25,mcp-client-2025-04-04,effort-2025-11-24',
  };
  assert.is((await ask(gateway, { headers })).status, 200);
  const { host: _host, connection: _connection, ...passed } = seen[0]?.headers ?? {};
  assert.equal(passed, {
    'accept-encoding': 'identity',
    'anthropic-beta': 'claude-code-20250219,effort-2025-11-24',
    'anthropic-version': '2023-06-01',
    'content-length': '2',
    'user-agent': 'claude-cli',
    'x-api-key': 'real',
    'x-app': 'cli',
  });
  const refused: readonly unknown[] = [
    { tools: [{ name: 'advise', model: 'claude-opus-4-8' }] },
    { tools: [{ type: 'custom', name: 'a', options: { fallback_model: 'x' } }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', models: ['x'] }] }] },
    { thinking: { type: 'enabled', model: 'x' } },
    { container: 'x' },
    { speed: 'fast' },
    { service_tier: 'priority' },
    { inference_geo: 'us' },
    { inference_geo: 'global' },
    { fallbacks: [{ model: 'claude-opus-4-8' }] },
    { something_new: 1 },
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
  ];
  for (const body of refused) {
    const answer = await ask(gateway, { body: JSON.stringify(body) });
    assert.is(answer.status, 403, JSON.stringify(body));
    assert.ok(answer.body.includes(Object.keys(body as object)[0] ?? '?'), answer.body);
  }
  assert.is(log.filter(({ refused: why }) => why === 'field').length, refused.length);
  assert.is(seen.length, 1);
  const own = {
    tools: [{ name: 'train', input_schema: { type: 'object', properties: { model: { type: 'string' } } } }],
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'train', input: { model: 'x' } }] }],
  };
  assert.is((await ask(gateway, { body: JSON.stringify(own) })).status, 200, 'what a tool calls so is its own');
});

test('SBX-1 each path of the API is asked with what is known alone: parameters, headers, no body where there is none', async () => {
  const seen: string[] = [];
  const upstream = await startUpstream((request, response, body) => {
    const odd = Object.keys(request.headers).filter((name) => /^x-(?!api-key)|cookie|referer/.test(name));
    seen.push([request.method, request.url, body, ...odd].join(' '));
    answerJson(response, {});
  });
  const { gateway } = await start(upstream);
  const headers = { 'x-api-key': token, 'x-odd': '1', cookie: 'a=b', referer: 'x' };
  const query = 'beta=true&limit=5&after_id=claude-1&organization=other&limit=%0a&webhook=https%3A%2F%2Fx';
  for (const path of ['/v1/messages', '/v1/messages/count_tokens'])
    await ask(gateway, { path: `${path}?${query}`, headers });
  for (const path of ['/v1/models', '/v1/models/claude-1'])
    await ask(gateway, { method: 'GET', path: `${path}?${query}`, headers });
  const passed = 'beta=true&limit=5&after_id=claude-1';
  assert.equal(seen, [
    `POST /v1/messages?${passed} {}`,
    `POST /v1/messages/count_tokens?${passed} {}`,
    `GET /v1/models?${passed} `,
    `GET /v1/models/claude-1?${passed} `,
  ]);
});

test('BUD-1 only the models an agent is meant to ask are asked', async () => {
  let sent = 0;
  const upstream = await startUpstream((_request, response) => {
    sent += 1;
    answerJson(response, {});
  });
  const { gateway, forbidden, explained, refused } = await start(upstream, { model: 'sonnet', usdLimit: 5 });
  const wrong = ['sonnet', 'haiku', 'claude-sonnet-4-5-evil', 'claude-opus-4-8', 'claude-sonnet-9', ''];
  for (const model of wrong) {
    const answer = await ask(gateway, { body: JSON.stringify({ model, max_tokens: 8 }) });
    assert.is(answer.status, 403, model);
    assert.match(answer.body, `the model \\"${model}\\". It may call sonnet (`);
    assert.match(answer.body, /claude-sonnet-4-5, .*models\.worker .*models\.prices/);
  }
  for (const model of ['claude-sonnet-5', 'claude-sonnet-4-5@20250929', 'claude-haiku-4-5-20251001'])
    assert.is((await ask(gateway, { body: JSON.stringify({ model, max_tokens: 8 }) })).status, 200, model);
  assert.equal([sent, forbidden, refused], [3, wrong, []]);
  assert.ok(explained.every((why) => why.includes('claude-sonnet-4-5, ')));
});

test('UNI-8 an answer may be as long as what is left pays for; what is too little for one is not sent', async () => {
  const bodies: Record<string, unknown>[] = [];
  const upstream = await startUpstream((_request, response, body) => {
    bodies.push(JSON.parse(body) as Record<string, unknown>);
    answerJson(response, { usage: { input_tokens: 1_000, output_tokens: 9_000 } });
  });
  const { gateway, refused } = await start(upstream, { model: 'haiku', tokenLimit: 20_000 });
  const thinking = { type: 'enabled', budget_tokens: 31_999 };
  const body = JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 32_000, thinking, system: 'x' });
  const statuses = [];
  for (let turn = 0; turn < 3; turn += 1) statuses.push((await ask(gateway, { body })).status);
  assert.equal(statuses, [200, 200, 400]);
  assert.equal(refused, ['budget']);
  const [first, second] = bodies.map((one) => [one.max_tokens, one.thinking] as const);
  assert.ok((first?.[0] as number) > 19_900 && (first?.[0] as number) < 20_000);
  assert.is(second?.[0], 20_000 - 10_000 - 1_000);
  assert.equal(second?.[1], { type: 'enabled', budget_tokens: 4_500 });
  // A large request is never sent, whatever is said of its answer.
  const large = await start(upstream, { model: 'opus', usdLimit: 0.5 });
  const input = JSON.stringify({ model: 'claude-opus-4-8', max_tokens: 100, system: 'x'.repeat(900_000) });
  assert.is((await ask(large.gateway, { body: input })).status, 400);
  assert.is(bodies.length, 2);
});

test('BUD-1 what is set aside for a request counts the hour its input is to be cached, and no cache it does not ask for', async () => {
  const usage = { cache_creation_input_tokens: 100_000, output_tokens: 0 };
  const upstream = await startUpstream((_request, response) => answerJson(response, { usage }));
  const bodyWith = (mark: object): string =>
    JSON.stringify({
      ...{ model: 'claude-opus-4-8', max_tokens: 100 },
      system: [{ type: 'text', text: 'x'.repeat(399_800), ...mark }],
    });
  const marked = bodyWith({ cache_control: { type: 'ephemeral' } });
  const hourly = bodyWith({ cache_control: { type: 'ephemeral', ttl: '1h' } });
  // About 0.63 USD, kept for an hour 1 USD, read from the cache 0.05 USD.
  const open = async (usdLimit: number): Promise<Gateway> =>
    (await start(upstream, { model: 'opus', usdLimit })).gateway;
  const short = await open(0.8);
  assert.is((await ask(short, { body: hourly })).status, 400);
  assert.is((await ask(short, { body: marked })).status, 200);
  const twice = await open(1);
  const statuses = [];
  for (const body of [marked, bodyWith({}), marked]) statuses.push((await ask(twice, { body })).status);
  assert.equal(statuses, [200, 400, 200]);
});

test('BUD-1 of what was answered before, only what lies before its last mark counts as cached', async () => {
  const cache_control = { type: 'ephemeral' };
  const known = { input_tokens: 100_000, cache_creation_input_tokens: 100, output_tokens: 0 };
  const upstream = await startUpstream((_request, response) => answerJson(response, { usage: known }));
  // About 0.63 USD where all is fresh, and a tenth of that where all of it comes from the cache.
  const { gateway } = await start(upstream, { model: 'opus', usdLimit: 1.2 });
  const body = JSON.stringify({
    ...{ model: 'claude-opus-4-8', max_tokens: 100 },
    system: [{ type: 'text', text: 'Be brief.', cache_control }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(399_800) }] }],
  });
  const statuses = [];
  for (let turn = 0; turn < 3; turn += 1) statuses.push((await ask(gateway, { body })).status);
  // 0.5 USD each.
  assert.equal(statuses, [200, 200, 400]);
});

test('SBX-5 UNI-8 LIF-5: each API is asked below its own prefix, with its own key, within the budget', async () => {
  const seen: { url: string | undefined; key: string; body: JsonRecord }[] = [];
  const upstream = await startUpstream((request, response, body) => {
    const { headers, url } = request;
    seen.push({
      url,
      key: `${headers.authorization ?? headers['x-goog-api-key']}`,
      body: parseJsonRecord(body),
    });
    answerJson(response, { usage: { input_tokens: 5_000, output_tokens: 1_000 } });
  });
  const env = {
    ...{ OPENAI_BASE_URL: `${upstream}/proxy/v1`, OPENAI_API_KEY: 'real-openai' },
    ...{ GOOGLE_GEMINI_BASE_URL: upstream, GEMINI_API_KEY: 'real-google' },
  };
  const routes = [
    { prefix: '/openai', upstream: readUpstream(env, 'openai'), dialects: [getDialect('responses')] },
    { prefix: '/google', upstream: readUpstream(env, 'google'), dialects: [getDialect('gemini')] },
  ] as const;
  const { gateway, refused } = await start(upstream, { routes, tokenLimit: 16_000, model: 'gpt-5.6' });
  const body = JSON.stringify({ model: 'gpt-5.6', input: 'go', max_output_tokens: 100_000 });
  const headers = { authorization: `Bearer ${token}`, 'openai-beta': 'x' };
  const path = '/openai/v1/responses';
  const answers = [];
  for (let turn = 0; turn < 3; turn += 1) answers.push(await ask(gateway, { path, headers, body }));
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 400],
  );
  assert.match(answers[2]?.body ?? '', /"type":"invalid_request_error"/);
  assert.equal(refused, ['budget']);
  assert.equal(
    seen.map(({ url, key }) => [url, key]),
    [
      ['/proxy/v1/responses', 'Bearer real-openai'],
      ['/proxy/v1/responses', 'Bearer real-openai'],
    ],
  );
  assert.ok(seen.every(({ body: { max_output_tokens: most } }) => Number(most) < 16_000));
  const key = `key=${token}`;
  const gemini = `/google/v1beta/models/gpt-5.6:countTokens?${key}`;
  assert.is((await ask(gateway, { path: gemini, headers: {}, body: '{"contents":[]}' })).status, 200);
  assert.equal([seen.at(-1)?.url, seen.at(-1)?.key], ['/v1beta/models/gpt-5.6:countTokens', 'real-google']);
  const other = gemini.replace('gpt-5.6', 'gemini-2.5-pro');
  const refusal = await ask(gateway, { path: other, headers: {}, body: '{"contents":[]}' });
  assert.match(refusal.body, /"status":"PERMISSION_DENIED"/);
  assert.is((await ask(gateway, { path: '/v1/responses', headers, body })).status, 403);
  assert.is((await ask(gateway, { path: gemini.replace(token, 'x'), headers: {}, body: '{}' })).status, 401);
});

test('LIF-5: a client that goes on asking a service which refuses is ended, and it is known why', async () => {
  const limited = { error: { message: 'x', type: 'insufficient_quota', code: 'insufficient_quota' } };
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify(limited));
  });
  const { gateway, refused } = await start(upstream);
  await ask(gateway, {});
  assert.equal(refused, []);
  await ask(gateway, {});
  assert.equal(refused, ['service-limit']);
  assert.is(gateway.limit()?.isQuota, true);
});

test('LIF-5: a client whose turns the API goes on calling wrong is ended, whatever it asks beside them', async () => {
  const tooLong = {
    error: { message: 'Your input exceeds the context window.', code: 'context_length_exceeded' },
  };
  let isWrong = true;
  const upstream = await startUpstream((_request, response, asked) => {
    if (!isWrong || !asked.includes('"tools"'))
      return answerJson(response, { usage: { input_tokens: 1, output_tokens: 1 } });
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(tooLong));
  });
  const { gateway, refused } = await start(upstream);
  const tools = [{ name: 'Read', input_schema: { type: 'object' } }];
  const turn = () => ask(gateway, { body: JSON.stringify({ tools }) });
  for (let turns = 0; turns < 9; turns += 1) await turn();
  isWrong = false;
  await turn();
  isWrong = true;
  for (let turns = 0; turns < 9; turns += 1) {
    await turn();
    // A summary.
    await ask(gateway, {});
  }
  assert.equal(refused, []);
  await turn();
  assert.equal(refused, ['rejected']);
  assert.equal(gateway.trouble(), { kind: 'refused', message: tooLong.error.message });
});

test('a base URL that is none is refused with its cure', () => {
  for (const ANTHROPIC_BASE_URL of ['nonsense', 'file:///etc', 'ftp://x']) {
    assert.throws(
      () => readUpstream({ ANTHROPIC_BASE_URL }, 'anthropic'),
      (error: { code?: string }) => error.code === 'bad-base-url',
    );
  }
  assert.is(readUpstream({}, 'anthropic').target.host, 'api.anthropic.com');
});

type Spending = Parameters<GatewayOptions['onSpending']>[0];

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly tokenLimit?: number;
  readonly allowedTools?: readonly string[];
  readonly isWatched?: GatewayOptions['isWatched'];
  readonly usdLimit?: number;
  readonly share?: GatewayOptions['share'];
  readonly prices?: PriceList;
  /** Default: requests that name none. */
  readonly model?: string;
  readonly inspect?: GatewayOptions['inspect'];
  readonly isTcp?: boolean;
  readonly routes?: GatewayOptions['routes'];
  readonly giveBack?: (id: symbol) => void;
  readonly onUnderWay?: GatewayOptions['onUnderWay'];
}

async function start(
  upstream: string,
  options: StartOptions = {},
): Promise<{
  gateway: Gateway;
  socketPath: string;
  log: GatewayLogLine[];
  refused: string[];
  forbidden: string[];
  /** Why, of each of them. */
  explained: string[];
  spending: Spending[];
  /** What requests under way may come to, at each time that changed. */
  underWay: Spending[];
}> {
  const spending: Spending[] = [];
  const underWay: Spending[] = [];
  const socketPath = join(makeTempDir(), 'gateway.sock');
  const log: GatewayLogLine[] = [];
  const refused: string[] = [];
  const forbidden: string[] = [];
  const explained: string[] = [];
  const gateway = await startGateway({
    socketPath: options.isTcp ? null : socketPath,
    secret: 'secret',
    token,
    routes: options.routes ?? [
      {
        prefix: '',
        upstream: readUpstream({ ...options.env, ANTHROPIC_BASE_URL: upstream }, 'anthropic'),
        dialects: [anthropicDialect],
      },
    ],
    allowedTools: options.allowedTools ?? [],
    tokenLimit: options.tokenLimit ?? 0,
    usdLimit: options.usdLimit ?? 0,
    isWatched: options.isWatched ?? (async () => true),
    onSpending: (total) => spending.push(total),
    onUnderWay: options.onUnderWay ?? (() => underWay.push(gateway.underWay())),
    sharesUsd: false,
    share: options.share ?? (async (_id, { most }) => most),
    giveBack: options.giveBack ?? (() => undefined),
    onRefused: (why) => refused.push(why),
    onForbidden: ({ target, why }) => {
      forbidden.push(target);
      explained.push(why);
    },
    configuredModel: {
      role: 'worker',
      model: options.model ?? '',
      prices: options.prices ?? {},
      helper: 'haiku',
    },
    hints: { list: () => [], report: () => undefined },
    inspect: options.inspect ?? (() => true),
    log: (line) => log.push(line),
    now: () => new Date(),
  });
  sockets.set(gateway, socketPath);
  opened.push(() => void gateway.close());
  return { gateway, socketPath, log, refused, forbidden, explained, spending, underWay };
}

const sockets = new Map<Gateway, string>();

function ask(
  gateway: Gateway,
  options: {
    readonly path?: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly onData?: () => void;
  },
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  const { path = '/v1/messages', method = 'POST', headers = { 'x-api-key': token } } = options;
  return new Promise((resolve, reject) => {
    const request = requestHttp(
      { socketPath: sockets.get(gateway), path, method, headers, agent: false },
      (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
          options.onData?.();
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      },
    );
    request.on('error', reject);
    request.end(method === 'POST' ? (options.body ?? '{}') : undefined);
  });
}

function startUpstream(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => handler(request, response, body));
  });
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );
}

function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

test.run();
