import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type EventStream, type PageServer, servePage } from '../../../lib/ui/page/page-server.ts';
import { until } from '../../support/until.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as a browser would never let a page make it: any Host, any Origin. */
function ask(server: PageServer, { path = '/', method = 'GET', headers = {}, body }: Asked): Promise<Answer> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function withServer(
  work: (server: PageServer, token: string, asked: string[]) => Promise<void>,
  options: Parameters<typeof servePage>[1] = {},
): Promise<void> {
  const asked: string[] = [];
  const server = await servePage(async ({ method, path }) => {
    asked.push(`${method} /${path.join('/')}`);
    return path.length === 0
      ? { kind: 'page', render: (nonce) => `<style nonce="${nonce}"></style>` }
      : { kind: 'json', value: {} };
  }, options);
  try {
    await work(server, new URL(server.url).searchParams.get('token') ?? '', asked);
  } finally {
    await server.close();
  }
}

test('REV-2: nothing is answered without the token: not the page, not its parts, not a decision', async () => {
  await withServer(async (server, token, asked) => {
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/);
    const wrong: readonly Asked[] = [
      {},
      { path: '/?token=' },
      { path: `/?token=${token}x` },
      { path: `/?token=${token.slice(1)}` },
      { path: '/api/events' },
      // The address of the page is not enough for what acts: a header of its own can't come from another page.
      { path: `/api/decide?token=${token}`, method: 'POST', body: '{}' },
      { path: '/api/decide', method: 'POST', body: '{}', headers: { 'x-flame-token': 'x' } },
    ];
    for (const one of wrong) assert.is((await ask(server, one)).status, 403, JSON.stringify(one));
    assert.equal(asked, []);
    assert.is((await ask(server, { path: `/?token=${token}` })).status, 200);
    assert.is((await ask(server, { path: '/api/x', headers: { 'x-flame-token': token } })).status, 200);
  });
});

test('a name that was pointed at the loopback address, and another page, are refused whatever they know', async () => {
  await withServer(async (server, token, asked) => {
    const { port } = new URL(server.url);
    const known = { 'x-flame-token': token };
    for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`, '127.0.0.1:1'])
      assert.is((await ask(server, { path: '/api/x', headers: { ...known, host } })).status, 403, host);
    for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${Number(port) + 1}`])
      assert.is((await ask(server, { path: '/api/x', headers: { ...known, origin } })).status, 403, origin);
    assert.equal(asked, []);
  });
});

test('DSK-1: by the address of a tunnel of the person it is reached as by its own, and by no other', async () => {
  const address = new URL('https://box.example:8443/ignored');
  await withServer(
    async (server, token) => {
      const statusOf = async (headers: Readonly<Record<string, string>>, path = '/api/x'): Promise<number> =>
        (await ask(server, { path, headers })).status;
      const known = { 'x-flame-token': token };
      const there = { host: 'box.example:8443' };
      assert.is(await statusOf({ ...known, ...there, origin: 'https://box.example:8443' }), 200);
      assert.is(await statusOf(known), 200);
      assert.is(await statusOf({ ...known, ...there, origin: 'http://box.example:8443' }), 403);
      assert.is(await statusOf({ ...known, host: 'box.example' }), 403);
      // It is a way here, not a word that lets in.
      assert.is(await statusOf({ ...there, origin: 'https://box.example:8443' }), 403);
    },
    { address },
  );
});

test('each page takes the token in its address, what is no page does not', async () => {
  await withServer(
    async (server, token) => {
      assert.is((await ask(server, { path: `/review?token=${token}` })).status, 200);
      assert.is((await ask(server, { path: `/review/api?token=${token}` })).status, 403);
    },
    { pages: ['/', '/review'] },
  );
});

test('a tab that takes nothing any more is let go, whatever there is to say', async () => {
  const closing: (() => Promise<void>)[] = [];
  let isOver = false;
  const begun = new Promise<EventStream>((resolve) => {
    void servePage(async () => ({ kind: 'events', open: resolve })).then((server) => {
      const { port, host, searchParams } = new URL(server.url);
      const socket = connect(Number(port), '127.0.0.1');
      socket.pause();
      socket.on('error', () => undefined);
      socket.write(`GET /api/events HTTP/1.1\r\nHost: ${host}\r\nX-Flame-Token: ${searchParams.get('token')}\r\n\r\n`);
      closing.push(
        () => server.close(),
        async () => void socket.destroy(),
      );
    });
  });
  const stream = await begun;
  const closed = new Promise<void>((resolve) => {
    stream.onClose(() => {
      isOver = true;
      resolve();
    });
  });
  for (let sent = 0; !isOver && sent < 200; sent += 1) {
    stream.send('x'.repeat(1_000_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  for (const close of closing) await close();
});
test('LIM-1 connections that say nothing, or begin a request and stop, leave room for those with the token', async () => {
  await withServer(async (server, token) => {
    const { port } = new URL(server.url);
    let closed = 0;
    const all = Array.from({ length: 300 }, () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      socket.write('POST /api/decide HTTP/1.1\r\nHo');
      return socket.on('close', () => (closed += 1));
    });
    await until('the oldest are closed', () => closed === 300 - 64);
    assert.is((await ask(server, { path: `/?token=${token}` })).status, 200);
    for (const one of all) one.destroy();
    await until('all are closed', () => closed >= 300);
  });
});

test('a body that never ends is read no further than it can be answered, one that is cut decides nothing', async () => {
  await withServer(async (server, token, asked) => {
    const { port, host } = new URL(server.url);
    const head = `POST /api/decide HTTP/1.1\r\nHost: ${host}\r\nx-flame-token: ${token}\r\n`;
    const endless = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => endless.resume().on('close', resolve));
    const body = function* (): Generator<string> {
      yield `${head}Transfer-Encoding: chunked\r\n\r\n`;
      for (;;) yield `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    };
    Readable.from(body()).pipe(endless);
    await closed;
    const cut = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    cut.resume().end(`${head}Content-Length: 20\r\n\r\n{"decision":`);
    await once(cut, 'close');
    assert.equal(asked, []);
  });
});

test('a request that is refused is read no further', async () => {
  await withServer(async (server) => {
    const { port, host } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.write(`POST /api/decide HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 403 /);
    socket.resume();
    await once(socket, 'close');
  });
});

test('the address a browser is started with works once', async () => {
  await withServer(async (server) => {
    let used = 0;
    const opening = new URL(
      server.openingUrl(() => {
        used += 1;
      }),
    );
    const first = await ask(server, { path: opening.pathname + opening.search });
    assert.equal([first.status, first.headers.location], [302, server.url]);
    assert.is(used, 1);
    const again = await ask(server, { path: opening.pathname + opening.search });
    assert.is(again.status, 403);
  });
});

test('REV-1: the policy lets in one style and one script by a number used once, and nothing from elsewhere', async () => {
  await withServer(async (server, token) => {
    const policies = new Set<string>();
    for (const _ of [1, 2]) {
      const { headers, text } = await ask(server, { path: `/?token=${token}` });
      const policy = String(headers['content-security-policy']);
      const nonce = /nonce="([^"]+)"/.exec(text)?.[1] ?? '';
      assert.ok(policy.startsWith("default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"));
      assert.ok(policy.includes(`script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'`));
      assert.not.match(policy, /unsafe|https?:|\*/);
      policies.add(policy);
      assert.is(headers['referrer-policy'], 'no-referrer');
      assert.is(headers['cache-control'], 'no-store');
      assert.is(headers['x-content-type-options'], 'nosniff');
    }
    assert.is(policies.size, 2);
  });
});

test('what is not asked properly is refused, and the server goes on', async () => {
  await withServer(async (server, token) => {
    const headers = { 'x-flame-token': token };
    assert.is((await ask(server, { path: '/api/x', method: 'DELETE', headers })).status, 405);
    assert.is((await ask(server, { path: '/api/x', method: 'POST', headers, body: '{"a' })).status, 400);
    assert.is((await ask(server, { path: '/%E0%A4%A', headers })).status, 400);
    assert.is((await ask(server, { path: '//', headers })).status, 400);
    const large = await ask(server, { path: '/api/x', method: 'POST', headers, body: 'x'.repeat(3_000_000) });
    assert.is(large.status, 400);
    assert.is((await ask(server, { path: '/api/x', headers })).status, 200);
  });
});

test('LIF-3 a request that comes in while the server closes is answered, and ends nothing', async () => {
  const server = await servePage(async () => ({ kind: 'json', value: 'late' }));
  const { port, host, searchParams } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  let answers = '';
  socket.on('data', (chunk) => {
    answers += String(chunk);
  });
  const begun = `GET /api/x HTTP/1.1\r\nHost: ${host}\r\n`;
  const known = `X-Flame-Token: ${searchParams.get('token')}\r\n`;
  // The server has read the begun one once it answers the one before.
  socket.write(`${begun}${known}\r\n${begun}`);
  await once(socket, 'data');
  const closed = server.close();
  socket.write(`${known}Connection: close\r\n\r\n`);
  await once(socket, 'close');
  await closed;
  assert.is(answers.match(/^HTTP\/1\.1 200 /gm)?.length, 2, answers);
  assert.is(answers.match(/"late"/g)?.length, 2, answers);
});

test.run();
