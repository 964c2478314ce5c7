import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type EgressProxy, openEgressProxy } from '../../../lib/cell/egress/egress-proxy.ts';
import type { EgressLogLine, EgressRules } from '../../../lib/cell/egress/egress-rules.ts';
import type { Registry } from '../../../lib/cell/egress/package-registry.ts';
import { testIf } from '../../support/skip.ts';
import { hasOpenssl, makeCertificate } from './tls.ts';

const opened: (() => void)[] = [];
test.after.each(() => {
  for (const close of opened.splice(0)) close();
});

const withTls = testIf(test, hasOpenssl, 'openssl is missing');

withTls('EGR-1 a host of the list is reached by TLS, whose inside is not read; it is one line of the log', async () => {
  const { port, file } = await secureServer('registry.test', (name) => `hello from ${name}`);
  const { door, lines } = await open({ hosts: [`registry.test:${port}`] });
  const answer = await overTls(door, `registry.test:${port}`, { name: 'registry.test', ca: file });
  assert.match(answer, /hello from registry\.test/);
  await lines.until(1);
  const [line] = lines.all;
  assert.equal([line?.method, line?.target, line?.refused], ['CONNECT', `registry.test:${port}`, null]);
  assert.ok((line?.bytes ?? 0) > 100);
  assert.ok((line?.sent ?? 0) > 100);
});

withTls('EGR-1 what is not on the list is refused by name and port, with the key that would allow it', async () => {
  const { port } = await secureServer('registry.test', () => 'never');
  const { door, lines } = await open({ hosts: [`registry.test:${port}`] });
  for (const target of ['elsewhere.test:443', 'registry.test:443', '127.0.0.1:443', 'sub.registry.test:443']) {
    const answer = await askTunnel(door, target);
    assert.match(answer, /^HTTP\/1\.1 403 git-flame: /);
    assert.ok(answer.includes(`${target} is not in sandbox.egress.setup of .blueflame.yml`));
  }
  assert.equal(
    lines.all.map(({ target }) => target),
    ['elsewhere.test:443', 'registry.test:443', '127.0.0.1:443', 'sub.registry.test:443'],
  );
});

withTls(
  'EGR-1 who is refused over and over gets no more answers, only ends; what is on the list is reached as before',
  async () => {
    const { port } = await secureServer('registry.test', () => 'inside');
    const { door, lines } = await open({ hosts: [`registry.test:${port}`] });
    for (let at = 0; at < 100; at += 1) assert.match(await askTunnel(door, 'elsewhere.test:443'), / 403 /);
    for (let at = 0; at < 3; at += 1) assert.is(await askTunnel(door, 'elsewhere.test:443').catch(() => ''), '');
    assert.is(lines.all.length, 103);
    assert.is(door.refusals().length, 1);
    (await tunnel(door, `registry.test:${port}`)).destroy();
  },
);

test('EGR-1 where from-config adds no registry, who is refused for that is told', async () => {
  const { door } = await open({ isOwnEmpty: true });
  const answer = await askTunnel(door, 'registry.example:443');
  assert.match(
    answer,
    /in sandbox\.egress\.setup of \.blueflame\.yml; from-config adds no host, because your own settings name no registry/,
  );
  const { door: plain } = await open({});
  assert.not.match(await askTunnel(plain, 'registry.example:443'), /from-config/);
});

withTls('EGR-1 a name that leads to loopback or a private network is refused, unless that is configured', async () => {
  const { port } = await secureServer('registry.test', () => 'inside');
  const host = `registry.test:${port}`;
  const addresses = ['127.0.0.1', '10.1.2.3', '192.168.7.7', '172.20.1.1', '169.254.169.254', '100.64.3.2', '0.0.0.0'];
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
    assert.ok(answer.includes(`registry.test resolves to ${address}, which is not a public address`), address);
  }
});

withTls('EGR-1 TLS for another name than was asked, or none at all, goes no further', async () => {
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
      `the data sent to registry.test:${port} is not TLS, and tunnels are only for TLS`,
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
  assert.match(lines.all[0]?.refused ?? '', /no data for/);
  const stopping = await plainServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
  const second = await open({ hosts: [`registry.test:${stopping}`], idleMs: 50 });
  await rejects(() => get(second.door, `http://registry.test:${stopping}/pkg`));
  await second.lines.until(1);
  assert.match(second.lines.all[0]?.refused ?? '', /no data for|closed the connection|was closed/);
});

test('EGR-2 a registry of the person is asked for packages alone, with a credential that the cell never has', async () => {
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
  const { door, lines } = await open({ registries: [registry] });
  const origin = `http://registry-${new URL(upstream).port}.invalid`;
  const told = { authorization: 'Bearer of-the-cell', cookie: 'a=b' };
  for (const path of ['/npm/left-pad', '/npm/left-pad?exfil=abc', '/npm/@a%2fleft-pad'])
    assert.is((await get(door, origin + path, told)).body, 'ok', path);
  assert.is((await get(door, `${origin.toUpperCase()}/npm/left-pad`, told)).body, 'ok');
  assert.is((await get(door, `${origin}/elsewhere/left-pad/-/left-pad-1.0.0.tgz`, told)).body, 'ok');
  const secret = 'Bearer secret-of-lena';
  const answered: typeof asked = [
    ['/npm/left-pad', secret, undefined],
    ['/npm/left-pad', secret, undefined],
    ['/npm/@a%2fleft-pad', secret, undefined],
    ['/npm/left-pad', secret, undefined],
    ['/elsewhere/left-pad/-/left-pad-1.0.0.tgz', undefined, undefined],
  ];
  assert.equal(asked, answered);
  const closed = ['/npm/-/whoami', '/npm/-/npm/v1/tokens', '/npm/%2d/whoami', '/npm/x/../-/whoami', '/api/x'];
  for (const path of closed) {
    const answer = await get(door, origin + path, told);
    assert.is(answer.status, 403, path);
    assert.match(
      answer.body,
      /not an address that npm reads packages from.*sandbox\.egress\.setup of \.blueflame\.yml/,
    );
  }
  assert.is((await get(door, '/npm/left-pad', { ...told, host: new URL(origin).host })).status, 400);
  assert.equal(asked, answered);
  await lines.until(11);
  assert.ok(lines.all.slice(0, 5).every(({ sent }) => sent > 0));
  assert.ok(lines.all.slice(5).every(({ sent }) => sent === 0));
});

test('EGR-2 a credential that holds what no header may is not sent, and it is said whose it is', async () => {
  const upstream = await httpServer(() => ({ status: 200, body: 'ok' }));
  const url = new URL(`${upstream}/npm/`);
  for (const character of ['\r', '\n', '\0', '\x1b', '\u200b']) {
    const registry: Registry = { tool: 'npm', url, authorization: `Bearer se${character}cret` };
    const { door } = await open({ registries: [registry] });
    const answer = await get(door, `http://registry-${url.port}.invalid/npm/left-pad`);
    assert.is(answer.status, 502);
    assert.match(answer.body, /the credential for 127\.0\.0\.1:\d+ in your own settings of npm contains a character/);
    assert.not.match(answer.body, 'cret');
  }
});

test('EGR-2 what else the host of a registry answers is open once that host is listed, without the credential', async () => {
  const asked: [string, string | undefined][] = [];
  const upstream = await httpServer((url, { authorization }) => {
    asked.push([url, authorization]);
    return { status: 200, body: 'ok' };
  });
  const { host, port } = new URL(upstream);
  const registry: Registry = { tool: 'npm', url: new URL(`${upstream}/`), authorization: 'Bearer secret' };
  const { door } = await open({ registries: [registry], hosts: [host] });
  const origin = `http://registry-${port}.invalid`;
  assert.is((await get(door, `${origin}/-/v1/search?text=a`)).body, 'ok');
  assert.is((await get(door, `${origin}/left-pad`)).body, 'ok');
  assert.equal(asked, [
    ['/-/v1/search?text=a', undefined],
    ['/left-pad', 'Bearer secret'],
  ]);
});

test('EGR-2 a path that begins like an address leads to no other host, and with no credential', async () => {
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
    assert.is((await get(door, `${origin}${start}${elsewhere}/x?y=1`)).status, 403, start);
  assert.equal([stolen, asked], [[], []]);
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
    assert.is((await get(door, `${origin}/elsewhere/a/-/a-1.0.0.tgz`)).status, 504);
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
    assert.match(answer.body, /can't be forwarded: its status is \d+/);
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
  const socket = connect(door.port, '127.0.0.1', () => socket.write('CONNECT elsewhere.test:443 HTTP/1.1\r\n\r\n'));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.on('close', resolve));
  assert.ok(door.refusals().includes('a connection was closed: no space left'));
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
  assert.equal(door.refusals().includes('a connection was closed: no space left'), true);
});

test('EGR-1 what uploads is refused where the gateway sees it', async () => {
  const upstream = await httpServer(() => ({ status: 200, body: 'ok' }));
  const registry: Registry = { tool: 'npm', url: new URL(`${upstream}/`), authorization: 'Bearer secret' };
  const { door, lines } = await open({ registries: [registry] });
  for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'])
    assert.is((await get(door, `http://registry-${new URL(upstream).port}.invalid/pkg`, {}, method)).status, 405);
  assert.ok(lines.all.every(({ refused }) => refused?.includes('does more than read')));
});

test('EGR-1 a redirect is followed only to the list: off it, it ends in a sentence', async () => {
  const upstream = await httpServer((url) => ({
    status: 302,
    body: '',
    location: url === '/off' ? 'https://elsewhere.test/pkg' : url === '/own' ? '/other' : 'https://files.test/pkg',
  }));
  const port = new URL(upstream).port;
  const registry: Registry = { tool: 'pip', url: new URL(`${upstream}/`), authorization: null };
  const { door } = await open({ registries: [registry], hosts: ['files.test:443'] });
  const origin = `http://registry-${port}.invalid`;
  const off = await get(door, `${origin}/off`);
  assert.is(off.status, 502);
  assert.match(off.body, /redirects to elsewhere\.test:443: elsewhere\.test:443 is not in sandbox\.egress\.setup/);
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

test('EGR-1 no more is sent than the configuration allows, over all connections together, and who asks again is told', async () => {
  let arrived = 0;
  const seen = await plainServer((socket) =>
    socket.on('data', (chunk) => {
      arrived += chunk.length;
      socket.write('x');
    }),
  );
  const host = `registry.test:${seen}`;
  const plain = `registry.test:${new URL(await httpServer(() => ({ status: 200, body: 'ok' }))).port}`;
  const { door, lines } = await open({ hosts: [host, plain], maxSent: 100_000 });
  const hello = await helloOf('registry.test');
  for (let at = 1; at <= 3; at += 1) {
    const socket = await tunnel(door, host);
    socket.write(hello);
    await once(socket, 'data');
    socket.write(Buffer.alloc(40_000));
    if (at < 3) {
      const share = arrived + 40_000;
      while (arrived < share) await once(socket, 'data');
      socket.destroy();
    }
    await lines.until(at);
  }
  assert.ok(arrived > 80_000 && arrived < 100_000, `${arrived}`);
  assert.match(lines.all[2]?.refused ?? '', /this cell has sent its limit of \d+ MB over all connections/);
  assert.is(
    lines.all.reduce((sum, { sent }) => sum + sent, 0),
    arrived,
  );
  assert.match(await askTunnel(door, host), /^HTTP\/1\.1 403 .*sandbox\.egress\.max_sent_mb of \.blueflame\.yml/);
  assert.match((await get(door, `http://${plain}/x`)).body, /sandbox\.egress\.max_sent_mb/);
});

test('EGR-1 what is asked in the address or the headers of a request counts as sent', async () => {
  let asked = 0;
  const upstream = await httpServer(() => {
    asked += 1;
    return { status: 200, body: 'ok' };
  });
  const host = `registry.test:${new URL(upstream).port}`;
  const { door } = await open({ hosts: [host], maxSent: 10_000 });
  assert.is((await get(door, `http://${host}/${'x'.repeat(4_000)}`)).status, 200);
  assert.is((await get(door, `http://${host}/`, { 'user-agent': 'x'.repeat(4_000) })).status, 200);
  assert.is((await get(door, `http://${host}/?${'x'.repeat(4_000)}`)).status, 403);
  assert.is(asked, 2);
});

test('EGR-1 TLS that may ask for a hidden host by an encrypted ClientHello goes no further', async () => {
  let arrived = 0;
  const seen = await plainServer((socket) =>
    socket.on('data', (chunk) => {
      arrived += chunk.length;
    }),
  );
  const host = `registry.test:${seen}`;
  const { door, lines } = await open({ hosts: [host] });
  const socket = await tunnel(door, host);
  socket.write(withExtension(await helloOf('registry.test'), 0xfe0d, Buffer.alloc(200, 1)));
  await lines.until(1);
  assert.match(lines.all[0]?.refused ?? '', /encrypted ClientHello \(ECH\).*disable ECH in that program/);
  assert.ok(door.refusals()[0]?.includes('ECH'));
  const twice = await tunnel(door, host);
  const second = Buffer.from('\0\x0d\0\0\x0aother.test');
  twice.write(withExtension(await helloOf('registry.test'), 0, second));
  await lines.until(2);
  assert.is(arrived, 0);
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
  readonly maxSent?: number;
  readonly idleMs?: number;
  readonly secret?: string;
  readonly log?: () => void;
}

interface Lines {
  readonly all: readonly EgressLogLine[];
  /** Resolves once so many lines are there. */
  until(count: number): Promise<void>;
}

/** A door whose names all lead to loopback, which its rules allow where a test doesn't say otherwise. */
async function open(opening: Opening): Promise<{ readonly door: EgressProxy; readonly lines: Lines }> {
  const all: EgressLogLine[] = [];
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
    maxSent: opening.maxSent ?? 1_000_000,
  };
  const door = await openEgressProxy({
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
  print: (name: string) => string,
): Promise<{ readonly port: number; readonly file: string }> {
  const { key, cert } = makeCertificate(name, 'other.test');
  const server = createSecureServer({ key, cert }, (incoming, response) => {
    response.setHeader('connection', 'close');
    response.end(print((incoming.headers.host ?? '').replace(/:.*/, '')));
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
  print: (url: string, headers: Readonly<Record<string, string | undefined>>) => Answer,
): Promise<string> {
  const server = createServer((incoming, response) => {
    const { authorization, cookie } = incoming.headers;
    const { status, body, location } = print(incoming.url ?? '', { authorization, cookie });
    response.writeHead(status, { connection: 'close', ...(location === undefined ? {} : { location }) }).end(body);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

function get(
  door: EgressProxy,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: door.port, path, method, headers, agent: false }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const { location } = answer.headers;
        resolve({ status: answer.statusCode ?? 0, body, ...(location === undefined ? {} : { location }) });
      });
    });
    call.on('error', reject);
    call.end();
  });
}

/** Asks for a tunnel; what is answered as a whole. */
function askTunnel(door: EgressProxy, target: string): Promise<string> {
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
function tunnel(door: EgressProxy, target: string): Promise<Socket> {
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

/** The first message of node's own TLS. */
async function helloOf(servername: string): Promise<Buffer> {
  const received = new Promise<Buffer>((resolve) => {
    void plainServer((socket) => socket.once('data', resolve)).then((port) => {
      const client = connectTls({ port, host: '127.0.0.1', servername });
      client.on('error', () => undefined);
      opened.push(() => client.destroy());
    });
  });
  return received;
}

/** A ClientHello of one record with one more extension at its end. */
function withExtension(hello: Buffer, kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(kind, 0);
  head.writeUInt16BE(content.length, 2);
  const longer = Buffer.concat([hello, head, content]);
  const more = 4 + content.length;
  longer.writeUInt16BE(hello.readUInt16BE(3) + more, 3);
  longer.writeUIntBE(hello.readUIntBE(6, 3) + more, 6, 3);
  // Record and handshake headers, version, random, session, ciphers, compression.
  let at = 9 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  longer.writeUInt16BE(hello.readUInt16BE(at) + more, at);
  return longer;
}

async function overTls(
  door: EgressProxy,
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
