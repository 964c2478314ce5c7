import { createServer, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type EgressDoor, openEgressDoor } from '../../../lib/cell/egress/egress-door.ts';
import type { EgressRules } from '../../../lib/cell/egress/egress-rules.ts';
import type { EgressLine } from '../../../lib/cell/egress/egress-traffic.ts';
import type { Registry } from '../../../lib/cell/egress/registry.ts';
import { makeCertificate } from './tls.ts';

const opened: (() => void)[] = [];
test.after.each(() => {
  for (const close of opened.splice(0)) close();
});

test('EGR-1 a host of the list is reached by TLS, whose inside nobody reads; it is one line of the log', async () => {
  const { port, file } = await secureServer('registry.test', (name) => `hello from ${name}`);
  const { door, lines } = await open({ hosts: [`registry.test:${port}`] });
  const answer = await overTls(door, `registry.test:${port}`, { name: 'registry.test', ca: file });
  assert.match(answer, /hello from registry\.test/);
  await lines.until(1);
  const [line] = lines.all;
  assert.equal([line?.method, line?.target, line?.refused], ['CONNECT', `registry.test:${port}`, null]);
  assert.ok((line?.bytes ?? 0) > 100);
});

test('EGR-1 what is not on the list is refused by name and port, with the key that would allow it', async () => {
  const { port } = await secureServer('registry.test', () => 'never');
  const { door, lines } = await open({ hosts: [`registry.test:${port}`] });
  for (const target of [
    'elsewhere.test:443',
    'registry.test:443',
    '127.0.0.1:443',
    'sub.registry.test:443',
  ]) {
    const answer = await askTunnel(door, target);
    assert.match(answer, /^HTTP\/1\.1 403 git-flame: /);
    assert.ok(answer.includes(`${target} is not in sandbox.egress.setup of .blueflame.yml`));
  }
  assert.equal(
    lines.all.map(({ target }) => target),
    ['elsewhere.test:443', 'registry.test:443', '127.0.0.1:443', 'sub.registry.test:443'],
  );
});

test('EGR-1 who is refused over and over gets no more answers, only ends; what is on the list is reached as before', async () => {
  const { port } = await secureServer('registry.test', () => 'inside');
  const { door, lines } = await open({ hosts: [`registry.test:${port}`] });
  for (let at = 0; at < 100; at += 1) assert.match(await askTunnel(door, 'elsewhere.test:443'), / 403 /);
  for (let at = 0; at < 3; at += 1)
    assert.is(await askTunnel(door, 'elsewhere.test:443').catch(() => ''), '');
  assert.is(lines.all.length, 103);
  assert.is(door.refusals().length, 1);
  (await tunnel(door, `registry.test:${port}`)).destroy();
});

test('EGR-1 where from-config adds no registry, who is refused for that is told', async () => {
  const { door } = await open({ isOwnEmpty: true });
  const answer = await askTunnel(door, 'registry.example:443');
  assert.match(
    answer,
    /in sandbox\.egress\.setup of \.blueflame\.yml; from-config adds none, since your own settings name no registry/,
  );
  const { door: plain } = await open({});
  assert.not.match(await askTunnel(plain, 'registry.example:443'), /from-config/);
});

test('EGR-1 a name that leads to loopback or a private network is refused, unless that is configured', async () => {
  const { port } = await secureServer('registry.test', () => 'inside');
  const host = `registry.test:${port}`;
  const addresses = [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.7.7',
    '172.20.1.1',
    '169.254.169.254',
    '100.64.3.2',
    '0.0.0.0',
  ];
  for (const address of [
    ...addresses,
    '::1',
    'fd00::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ]) {
    const { door } = await open({ hosts: [host], privateHosts: [], leadsTo: ['198.51.100.7', address] });
    const answer = await askTunnel(door, host);
    assert.match(answer, /^HTTP\/1\.1 403 /, address);
    assert.ok(answer.includes(`registry.test leads to ${address}, which is no public address`), address);
  }
});

test('EGR-1 TLS for another name than was asked, or none at all, goes no further', async () => {
  const seen: string[] = [];
  const { port, file } = await secureServer('registry.test', (name) => {
    seen.push(name);
    return 'never';
  });
  const { door, lines } = await open({ hosts: [`registry.test:${port}`] });
  await rejects(() => overTls(door, `registry.test:${port}`, { name: 'other.test', ca: file }));
  await lines.until(1);
  const plain = await tunnel(door, `registry.test:${port}`);
  plain.write('POST /upload HTTP/1.1\r\nHost: registry.test\r\n\r\n');
  await lines.until(2);
  assert.equal(
    lines.all.map(({ refused }) => refused),
    [
      `TLS asked for other.test on a connection to registry.test`,
      `what was sent to registry.test:${port} is no TLS, and for nothing else a tunnel is opened`,
    ],
  );
  assert.equal(seen, []);
});

test('EGR-1 a registry that stalls is given up, whether it accepts and says nothing or stops in its answer', async () => {
  const silent = await plainServer(() => undefined);
  const { door, lines } = await open({ hosts: [`registry.test:${silent}`], idleMs: 50 });
  const socket = await tunnel(door, `registry.test:${silent}`);
  await new Promise((resolve) => socket.on('close', resolve));
  await lines.until(1);
  assert.match(lines.all[0]?.refused ?? '', /nothing moved for/);
  const stopping = await plainServer((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  );
  const second = await open({ hosts: [`registry.test:${stopping}`], idleMs: 50 });
  await rejects(() => get(second.door, `http://registry.test:${stopping}/pkg`));
  await second.lines.until(1);
  assert.match(second.lines.all[0]?.refused ?? '', /nothing moved for|broke off/);
});

test('EGR-2 a registry of the person is asked with a credential that the cell never has, at its own address alone', async () => {
  const asked: [string, string | undefined, string | undefined][] = [];
  const upstream = await httpServer((url, headers) => {
    asked.push([url, headers.authorization, headers.cookie]);
    return { status: 200, body: 'ok' };
  });
  const registry: Registry = {
    tool: 'npm',
    url: new URL(`${upstream}/npm/`),
    authorization: 'Bearer secret-of-lena',
  };
  const { door } = await open({ registries: [registry] });
  const origin = `http://registry-${new URL(upstream).port}.invalid`;
  const told = { authorization: 'Bearer of-the-cell', cookie: 'a=b' };
  assert.is((await get(door, `${origin}/npm/left-pad`, told)).body, 'ok');
  for (const path of [
    '/api/users',
    '/npm/../api',
    '/npm/%2e%2e/api',
    '/npm/x%2f..%2f..%2fapi',
    '/npm/%252e%252e%252fapi',
    '/npmx',
  ])
    await get(door, origin + path, told);
  assert.equal(asked[0], ['/npm/left-pad', 'Bearer secret-of-lena', undefined]);
  assert.is(asked.length, 7);
  for (const [url, authorization] of asked.slice(1)) assert.is(authorization, undefined, url);
});

test('EGR-2 a path that begins like an address leads to the registry itself, never to another host', async () => {
  const asked: string[] = [];
  const upstream = await httpServer((url) => {
    asked.push(url);
    return { status: 200, body: 'of the registry' };
  });
  const stolen: unknown[] = [];
  const other = await httpServer((_url, headers) => {
    stolen.push(headers.authorization);
    return { status: 200, body: 'of another host' };
  });
  const elsewhere = `other.test:${new URL(other).port}`;
  const registry: Registry = { tool: 'npm', url: new URL(`${upstream}/`), authorization: 'Bearer secret' };
  const { door } = await open({ registries: [registry], privateHosts: [elsewhere] });
  const origin = `http://registry-${new URL(upstream).port}.invalid`;
  for (const start of ['//', '/\\', '///', '/\\/'])
    assert.is((await get(door, `${origin}${start}${elsewhere}/x?y=1`)).body, 'of the registry', start);
  assert.equal(stolen, []);
  assert.is(asked.length, 4);
  for (const url of asked) assert.match(url, /^\/{2,3}other\.test:\d+\/x\?y=1$/);
});

test('EGR-2 of two registries on one host, the credential of the one by https never goes out over http', async () => {
  const asked: [string, string | undefined][] = [];
  const upstream = await httpServer((url, { authorization }) => {
    asked.push([url, authorization]);
    return { status: 200, body: 'ok' };
  });
  const free: Registry = { tool: 'pip', url: new URL(`${upstream}/open/`), authorization: null };
  const secure = new URL(`${upstream.replace('http:', 'https:')}/npm/`);
  const closed: Registry = { tool: 'npm', url: secure, authorization: 'Bearer secret' };
  const origin = `http://registry-${new URL(upstream).port}.invalid`;
  for (const registries of [
    [free, closed],
    [closed, free],
  ]) {
    const { door } = await open({ registries });
    assert.is((await get(door, `${origin}/open/x`)).status, 200);
    // Nobody speaks TLS there.
    assert.is((await get(door, `${origin}/npm/x`)).status, 504);
    assert.is((await get(door, `${origin}/elsewhere`)).status, 504);
  }
  assert.equal(asked, [
    ['/open/x', undefined],
    ['/open/x', undefined],
  ]);
});

test('EGR-1 an answer with a status that HTTP has not is refused, and the door goes on', async () => {
  let status = '200 OK';
  const upstream = await plainServer((socket) =>
    socket.once('data', () =>
      socket.end(
        `HTTP/1.1 ${status}\r\nupgrade: x\r\nconnection: ${status.startsWith('101') ? 'upgrade' : 'close'}\r\n\r\nx`,
      ),
    ),
  );
  const host = `registry.test:${upstream}`;
  const { door, lines } = await open({ hosts: [host] });
  for (status of ['000 Zero', '099 Low', '101 Switching', '600 High', '999 Higher']) {
    const answer = await get(door, `http://${host}/pkg`);
    assert.is(answer.status, 502, status);
    assert.match(answer.body, /answered can't be passed on: its status is \d+/);
  }
  status = '200 OK';
  assert.is((await get(door, `http://${host}/pkg`)).body, 'x');
  await lines.until(6);
  assert.is(lines.all.filter(({ refused }) => refused !== null).length, 5);
});

test('EGR-1 what goes wrong in serving a connection ends that connection alone', async () => {
  const { door } = await open({
    log: () => {
      throw new Error('no space left');
    },
  });
  await rejects(() => get(door, 'http://elsewhere.test/pkg'));
  const socket = connect(door.port, '127.0.0.1', () =>
    socket.write('CONNECT elsewhere.test:443 HTTP/1.1\r\n\r\n'),
  );
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.on('close', resolve));
  assert.ok(door.refusals().includes('a connection broke off: no space left'));
});

test('EGR-1 where the log can no longer be written at the end of an answer, nothing more comes in', async () => {
  const upstream = await httpServer(() => ({ status: 200, body: 'x' }));
  const host = `registry.test:${new URL(upstream).port}`;
  const { door } = await open({
    hosts: [host],
    log: () => {
      throw new Error('no space left');
    },
  });
  assert.is((await get(door, `http://${host}/a`)).status, 200);
  await rejects(() => get(door, `http://${host}/b`));
  assert.equal(door.refusals().includes('a connection broke off: no space left'), true);
});

test('EGR-1 what uploads is refused where the gateway sees it', async () => {
  const upstream = await httpServer(() => ({ status: 200, body: 'ok' }));
  const registry: Registry = { tool: 'npm', url: new URL(`${upstream}/`), authorization: 'Bearer secret' };
  const { door, lines } = await open({ registries: [registry] });
  for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'])
    assert.is(
      (await get(door, `http://registry-${new URL(upstream).port}.invalid/pkg`, {}, method)).status,
      405,
    );
  assert.ok(lines.all.every(({ refused }) => refused?.includes('is no reading')));
});

test('EGR-1 a redirect is followed only to the list: off it, it ends in a sentence', async () => {
  const upstream = await httpServer((url) => ({
    status: 302,
    body: '',
    location:
      url === '/off' ? 'https://elsewhere.test/pkg' : url === '/own' ? '/other' : 'https://files.test/pkg',
  }));
  const port = new URL(upstream).port;
  const registry: Registry = { tool: 'pip', url: new URL(`${upstream}/`), authorization: null };
  const { door } = await open({ registries: [registry], hosts: ['files.test:443'] });
  const origin = `http://registry-${port}.invalid`;
  const off = await get(door, `${origin}/off`);
  assert.is(off.status, 502);
  assert.match(
    off.body,
    /redirects to elsewhere\.test:443: elsewhere\.test:443 is not in sandbox\.egress\.setup/,
  );
  assert.is((await get(door, `${origin}/own`)).location, `${origin}/other`);
  assert.is((await get(door, `${origin}/on`)).location, 'https://files.test/pkg');
});

test('EGR-1 no more is downloaded than the configuration allows, over all connections together', async () => {
  const upstream = await httpServer(() => ({ status: 200, body: 'x'.repeat(60_000) }));
  const host = `registry.test:${new URL(upstream).port}`;
  const { door } = await open({ hosts: [host], maxBytes: 100_000 });
  assert.is((await get(door, `http://${host}/a`)).status, 200);
  await rejects(() => get(door, `http://${host}/b`));
  const third = await get(door, `http://${host}/c`);
  assert.is(third.status, 403);
  assert.match(third.body, /sandbox\.egress\.max_mb/);
});

test('EGR-1 where the door is a port of this machine, it asks for its password', async () => {
  const upstream = await httpServer(() => ({ status: 200, body: 'ok' }));
  const host = `registry.test:${new URL(upstream).port}`;
  const { door } = await open({ hosts: [host], secret: 'abc' });
  assert.is((await get(door, `http://${host}/`)).status, 407);
  assert.match(await askTunnel(door, host), /^HTTP\/1\.1 407 /);
  const header = { 'proxy-authorization': `Basic ${Buffer.from('cell:abc').toString('base64')}` };
  assert.is((await get(door, `http://${host}/`, header)).body, 'ok');
});

async function rejects(work: () => Promise<unknown>): Promise<void> {
  const failed = await work().then(
    () => false,
    () => true,
  );
  assert.ok(failed, 'it was answered');
}

interface Opening {
  readonly isOwnEmpty?: boolean;
  readonly hosts?: readonly string[];
  readonly privateHosts?: readonly string[];
  readonly registries?: readonly Registry[];
  readonly leadsTo?: readonly string[];
  readonly maxBytes?: number;
  readonly idleMs?: number;
  readonly secret?: string;
  readonly log?: () => void;
}

interface Lines {
  readonly all: readonly EgressLine[];
  /** Resolves once so many lines are there. */
  until(count: number): Promise<void>;
}

/** A door whose names all lead to loopback, which its rules allow where a test doesn't say otherwise. */
async function open(opening: Opening): Promise<{ readonly door: EgressDoor; readonly lines: Lines }> {
  const all: EgressLine[] = [];
  let tell = (): void => undefined;
  const hosts = opening.hosts ?? [];
  const registries = opening.registries ?? [];
  const own = registries.map(({ url }) => `${url.hostname}:${url.port}`);
  const rules: EgressRules = {
    phase: 'setup',
    hosts: new Set(hosts),
    privateHosts: new Set([...(opening.privateHosts ?? hosts), ...own]),
    registries,
    isOwnEmpty: opening.isOwnEmpty ?? false,
    maxBytes: opening.maxBytes ?? 1_000_000,
  };
  const door = await openEgressDoor({
    rules,
    socketPath: null,
    secret: opening.secret ?? null,
    ca: null,
    log: (line) => {
      all.push(line);
      tell();
      opening.log?.();
    },
    resolve: async () =>
      (opening.leadsTo ?? ['127.0.0.1']).map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
    ...(opening.idleMs === undefined ? {} : { idleMs: opening.idleMs }),
  });
  opened.push(() => void door.close());
  const until = async (count: number): Promise<void> => {
    while (all.length < count) await new Promise<void>((resolve) => (tell = resolve));
  };
  return { door, lines: { all, until } };
}

async function listen(server: Server | ReturnType<typeof createPlainServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function secureServer(
  name: string,
  say: (name: string) => string,
): Promise<{ readonly port: number; readonly file: string }> {
  const { key, cert } = makeCertificate(name, 'other.test');
  const server = createSecureServer({ key, cert }, (incoming, response) => {
    response.setHeader('connection', 'close');
    response.end(say((incoming.headers.host ?? '').replace(/:.*/, '')));
  });
  return { port: await listen(server), file: cert };
}

async function plainServer(onSocket: (socket: Socket) => void): Promise<number> {
  return listen(
    createPlainServer((socket) => {
      socket.on('error', () => undefined);
      opened.push(() => socket.destroy());
      onSocket(socket);
    }),
  );
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly location?: string;
}

async function httpServer(
  say: (url: string, headers: Readonly<Record<string, string | undefined>>) => Answer,
): Promise<string> {
  const server = createServer((incoming, response) => {
    const { authorization, cookie } = incoming.headers;
    const { status, body, location } = say(incoming.url ?? '', { authorization, cookie });
    response
      .writeHead(status, { connection: 'close', ...(location === undefined ? {} : { location }) })
      .end(body);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

function get(
  door: EgressDoor,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port: door.port, path, method, headers, agent: false },
      (answer) => {
        let body = '';
        answer.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const { location } = answer.headers;
          resolve({ status: answer.statusCode ?? 0, body, ...(location === undefined ? {} : { location }) });
        });
      },
    );
    call.on('error', reject);
    call.end();
  });
}

/** Asks for a tunnel; what is answered as a whole. */
function askTunnel(door: EgressDoor, target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(door.port, '127.0.0.1', () =>
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(text));
  });
}

/** A tunnel that was opened. */
function tunnel(door: EgressDoor, target: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(door.port, '127.0.0.1', () =>
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`),
    );
    opened.push(() => socket.destroy());
    socket.on('error', reject);
    socket.once('data', (chunk) =>
      chunk.toString().startsWith('HTTP/1.1 200') ? resolve(socket) : reject(new Error(chunk.toString())),
    );
  });
}

async function overTls(
  door: EgressDoor,
  target: string,
  { name, ca }: { readonly name: string; readonly ca: string },
): Promise<string> {
  const socket = await tunnel(door, target);
  return new Promise((resolve, reject) => {
    const secure = connectTls({ socket, servername: name, ca }, () =>
      secure.write(`GET / HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`),
    );
    let text = '';
    secure.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    secure.on('error', reject);
    secure.on('end', () => (text === '' ? reject(new Error('closed before an answer')) : resolve(text)));
  });
}

test.run();
