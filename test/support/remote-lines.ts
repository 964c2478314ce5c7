import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A way to a bare repository: what its remote is called, and what git needs for it. */
export interface RemoteLine {
  /** As it is called where the server is found by that address. */
  readonly url: (host: string) => string;
  readonly env: Readonly<Record<string, string>>;
  /** Kills the server with all it was doing, and starts another one once `down` resolves. */
  crash(down: () => Promise<void>): Promise<void>;
  close(): void;
}

/** The bare repository itself, with no server. */
export function byPath(path: string): RemoteLine {
  return { url: () => path, env: {}, crash: async () => undefined, close: () => undefined };
}

export interface LineFaults {
  /** There and back, in milliseconds. */
  readonly roundTripMs: number;
  /** How many of a hundred pushes lose their answer after the server took them. */
  readonly lostAnswers: number;
  readonly chance: (probability: number) => boolean;
}

/**
 * What becomes of one request: it never arrives, its answer never does, the server is killed while it answers, or it
 * wants to know first who asks.
 */
export type Fate = 'lost' | 'unanswered' | 'killed' | 'unauthorized';

export async function listening(server: Server, port = 0): Promise<number> {
  server.unref();
  await new Promise<void>((resolve) => server.listen(port, '0.0.0.0', resolve));
  return (server.address() as AddressInfo).port;
}

/** Stock git over HTTP. */
export async function serveHttp(
  path: string,
  faults: LineFaults | null,
  fateOf: (address: string, credentials: string | undefined) => Fate | null = () => null,
): Promise<RemoteLine> {
  execFileSync('git', ['-C', path, 'config', 'http.receivepack', 'true']);
  const backends = new Set<ChildProcess>();
  const server = createServer((request, response) => {
    const fate = fateOf(request.url ?? '', request.headers.authorization);
    if (fate !== null) return void suffer(fate, path, request, response);
    const backend = answer(path, request, response);
    backends.add(backend);
    backend.once('close', () => backends.delete(backend));
  });
  const port = await listening(server);
  const line = faults === null ? null : await slowLine(port, faults);
  return {
    url: (host) => `http://${host}:${line?.port ?? port}/${basename(path)}`,
    env: {},
    crash: async (down) => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const { pid } of backends) if (pid !== undefined) endTree(pid);
      server.closeAllConnections();
      await closed;
      await down();
      removeLocks(path);
      await listening(server, port);
    },
    close: () => {
      line?.server.close();
      server.close();
    },
  };
}

function suffer(fate: Fate, path: string, request: IncomingMessage, response: ServerResponse): void {
  if (fate === 'lost') return void request.socket.destroy();
  if (fate === 'unauthorized') return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  const backend = answer(path, request, response);
  // Half of it is out by then.
  if (fate === 'killed') backend.stdout?.once('data', () => endTree(backend.pid ?? 0));
  response.write = () => true;
  response.end = () => response;
  backend.once('close', () => request.socket.destroy());
}

/** A process and all that came of it. */
export function treeOf(pid: number): readonly number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = readStat(name);
    if (stat !== null) parents.set(stat, [...(parents.get(stat) ?? []), Number(name)]);
  }
  const all = [pid];
  for (const one of all) all.push(...(parents.get(one) ?? []));
  return all;
}

/** Kills a process and all that came of it, at once. */
export function endTree(pid: number): void {
  for (const one of treeOf(pid)) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

function readStat(pid: string): number | null {
  try {
    const [, parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\) \S (\d+) /) ?? [];
    return Number(parent);
  } catch {
    return null;
  }
}

/** What who runs a server does after a crash: git leaves its locks when it is killed. */
export function removeLocks(path: string): void {
  for (const file of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.lock')) rmSync(join(path, file), { force: true });
}

/** CGI, as any web server speaks with git http-backend. */
function answer(path: string, request: IncomingMessage, response: ServerResponse): ChildProcess {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const { 'content-type': type, 'content-encoding': encoding, 'git-protocol': protocol } = request.headers;
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROJECT_ROOT: dirname(path),
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      REMOTE_ADDR: '127.0.0.1',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: type ?? '',
      HTTP_CONTENT_ENCODING: encoding ?? '',
      GIT_PROTOCOL: String(protocol ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin).on('error', () => undefined);
  let head = Buffer.alloc(0);
  let isBody = false;
  backend.stdout.on('data', (chunk: Buffer) => {
    if (isBody) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    isBody = true;
    const fields = head.subarray(0, end).toString().split('\r\n');
    for (const field of fields) {
      const [, name = '', value = ''] = field.match(/^([^:]+): ?(.*)$/) ?? [];
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  // Killed in the middle, it is no answer: the connection breaks, as that of a dead server does.
  backend.on('close', (code) => (code === 0 ? response.end() : response.destroy()));
  return backend;
}

/** A line to a port that takes its time each way, and loses what a push was answered. */
export async function slowLine(
  port: number,
  { roundTripMs, lostAnswers, chance }: LineFaults,
): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createTcpServer((near) => {
    const far = connect(port, '127.0.0.1');
    let isLost = false;
    const carry = (from: Socket, to: Socket, look: (chunk: Buffer) => boolean): void => {
      from.on('data', (chunk: Buffer) => {
        if (look(chunk)) void wait(roundTripMs / 2).then(() => to.write(chunk));
      });
      from.on('end', () => void wait(roundTripMs / 2).then(() => to.end()));
      from.on('error', () => to.destroy());
    };
    carry(near, far, (chunk) => {
      isLost ||= chunk.includes('POST ') && chunk.includes('git-receive-pack') && chance(lostAnswers / 100);
      return true;
    });
    // By then the refs have moved.
    carry(far, near, () => {
      if (isLost) near.destroy();
      return !isLost;
    });
  });
  return { port: await listening(server), server };
}
