import { type IncomingMessage, type RequestOptions, request as requestHttp, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import {
  type CellTrafficContext,
  type EgressRefusal,
  findAllowedAddress,
  findHostRefusal,
  isEgressRefusal,
  type NetworkAddress,
} from './egress-rules.ts';
import {
  hostAndPortOfUrl,
  hostNameOfUrl,
  isPackageFile,
  isPackageReadPath,
  portOfUrl,
  type Registry,
  registryOriginInCell,
} from './package-registry.ts';

// Of what a client says, no more than a registry needs: nothing of the cell leaves with it.
const sentHeaders = ['accept', 'accept-encoding', 'if-none-match', 'if-modified-since', 'range', 'user-agent'];
const droppedHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'set-cookie', 'upgrade', 'trailer']);

interface ProxyRequest {
  /** Where it is really sent: to the registry's origin, if it is one. */
  readonly url: URL;
  readonly registry: Registry | null;
  /** It is for reading packages: the registry's credential goes along. */
  readonly isOwn: boolean;
}

/**
 * Answers a request in the form of proxies: `GET http://host/path`. It only reads. A request to a registry of the
 * person goes to the registry's address as that is written, with its credential, if its path is one by which packages
 * are read. The client gets a redirect only if it may follow.
 */
export async function forwardPlainHttpRequest(
  traffic: CellTrafficContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? '';
  const proxied = readTarget(traffic, request.url ?? '');
  const shown = proxied === null ? (request.url ?? '') : `${hostAndPortOfUrl(proxied.url)}${proxied.url.pathname}`;
  const target = shown.slice(0, 300);
  const refuse = ({ status, why }: EgressRefusal): void => {
    const isNoted = traffic.logConnection({ method, target, status, bytes: 0, sent: 0, refused: why });
    if (!isNoted || response.headersSent) response.destroy();
    else response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`git-flame: ${why}.\n`);
  };
  request.resume();
  if (proxied === null) return refuse({ status: 400, why: 'this is a proxy for http:// addresses and CONNECT' });
  if (method !== 'GET' && method !== 'HEAD')
    return refuse({ status: 405, why: `${method} does more than read, and cells may only read this way` });
  const host = { host: hostNameOfUrl(proxied.url), port: portOfUrl(proxied.url) };
  const refused = refuseRequest(traffic, proxied);
  if (refused !== null) return refuse(refused);
  const found = await findAllowedAddress(traffic.rules, host, traffic.resolve);
  if (isEgressRefusal(found)) return refuse(found);
  send(traffic, { method, proxied, address: found, request, response, target, refuse });
}

/** Reads the address that a cell asks for; null where it is no http address. */
function readTarget({ rules }: CellTrafficContext, text: string): ProxyRequest | null {
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return null;
  // Of two that differ by their protocol alone, the secure one; of several, the one whose path is the longest.
  const there = rules.registries
    .filter((one) => registryOriginInCell(one) === url.origin)
    .sort((a, b) => Number(b.url.protocol === 'https:') - Number(a.url.protocol === 'https:'));
  const [first] = there;
  if (first === undefined) return { url, registry: null, isOwn: false };
  const own = [...there]
    .sort((a, b) => b.url.pathname.length - a.url.pathname.length)
    .find((one) => isPackageReadPath(one, url.pathname));
  const registry = own ?? first;
  // Not resolved against it: a path that begins with `//` would be another host.
  const real = new URL(registry.url);
  real.pathname = url.pathname;
  // Packages are read without one, and more than a name has no business there.
  real.search = own === undefined ? url.search : registry.url.search;
  real.hash = '';
  return real.origin === registry.url.origin ? { url: real, registry, isOwn: own !== undefined } : null;
}

/** Why it is not sent by the rules; null: it may be. */
function refuseRequest(
  { rules, volume }: CellTrafficContext,
  { url, registry, isOwn }: ProxyRequest,
): EgressRefusal | null {
  const host = hostAndPortOfUrl(url);
  if (registry === null) return findHostRefusal(rules, host) ?? volume.count('out', 0);
  if (isOwn && /[^\x20-\x7e]/.test(registry.authorization ?? ''))
    return {
      status: 502,
      why: `the credential for ${host} in your own settings of ${registry.tool} contains a character that can't be sent: a control character or one outside ASCII`,
    };
  const isFile = rules.registries.some(
    (one) => registryOriginInCell(one) === registryOriginInCell(registry) && isPackageFile(one.tool, url.pathname),
  );
  if (isOwn || isFile || rules.hosts.has(host)) return volume.count('out', 0);
  return {
    status: 403,
    why: `${url.pathname.slice(0, 200)} of ${host} is not an address that ${registry.tool} reads packages from, and from-config allows only those; to allow the rest of that host, without its credential, list ${host} in sandbox.egress.${rules.phase} of .blueflame.yml`,
  };
}

interface Sending {
  readonly method: string;
  readonly proxied: ProxyRequest;
  readonly address: NetworkAddress;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  refuse(refusal: EgressRefusal): void;
}

function send(
  traffic: CellTrafficContext,
  { method, proxied, address, request, response, target, refuse }: Sending,
): void {
  const { url, registry, isOwn } = proxied;
  const isSecure = url.protocol === 'https:';
  const headers = {
    ...Object.fromEntries(
      sentHeaders.flatMap((name) => (request.headers[name] === undefined ? [] : [[name, request.headers[name]]])),
    ),
    host: url.host,
    ...(isOwn && registry?.authorization != null ? { authorization: registry.authorization } : {}),
  };
  const path = url.pathname + url.search;
  const sent = Buffer.byteLength(`${method} ${path} ${Object.entries(headers).flat(2).join('    ')}`);
  const spent = traffic.volume.count('out', sent);
  if (spent !== null) return void refuse(spent);
  const options: RequestOptions = {
    method,
    host: hostNameOfUrl(url),
    port: portOfUrl(url),
    path,
    headers,
    lookup: (_host, options, done) =>
      options.all === true ? done(null, [address]) : done(null, address.address, address.family),
  };
  const call = isSecure
    ? requestHttps({ ...options, ...(traffic.ca === null ? {} : { ca: traffic.ca }) })
    : requestHttp(options);
  call.setTimeout(traffic.idleMs, () => call.destroy(new Error(`no data for ${Math.round(traffic.idleMs / 1_000)} s`)));
  call.on('error', (error) => refuse({ status: 504, why: `${url.host} gave no answer: ${error.message}` }));
  response.on('close', () => call.destroy());
  const unfit = (why: string): void =>
    refuse({ status: 502, why: `the answer of ${url.host} can't be forwarded: ${why}` });
  call.on('response', (answer) => {
    try {
      passOn(traffic, { answer, proxied, response, refuse, method, target, sent });
    } catch (error) {
      answer.destroy();
      unfit((error as Error).message);
    }
  });
  call.on('upgrade', (answer, socket) => {
    socket.destroy();
    unfit(`its status is ${answer.statusCode}`);
  });
  call.end();
}

type Passing = Pick<Sending, 'proxied' | 'response' | 'refuse' | 'method' | 'target'> & {
  readonly answer: IncomingMessage;
  readonly sent: number;
};

function passOn(
  traffic: CellTrafficContext,
  { answer, proxied, response, refuse, method, target, sent }: Passing,
): void {
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 599) throw new Error(`its status is ${status}`);
  const location = answer.headers.location === undefined ? null : followed(traffic, proxied, answer.headers.location);
  if (location !== null && typeof location !== 'string') {
    answer.destroy();
    refuse(location);
    return;
  }
  const kept = Object.entries(answer.headers).filter(([name]) => !droppedHeaders.has(name));
  response.writeHead(status, { ...Object.fromEntries(kept), ...(location === null ? {} : { location }) });
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    const spent = traffic.volume.count('in', chunk.length);
    if (spent === null) return;
    answer.destroy();
    refuse(spent);
  });
  answer.on('error', (error) =>
    refuse({ status: 502, why: `${proxied.url.host} closed the connection: ${error.message}` }),
  );
  answer.on('end', () => traffic.logConnection({ method, target, status, bytes, sent, refused: null }));
  answer.pipe(response);
}

/** Where a redirect leads, as the cell writes it; a refusal where it may not follow. */
function followed({ rules }: CellTrafficContext, { url }: ProxyRequest, location: string): string | EgressRefusal {
  if (!URL.canParse(location, url.href)) return { status: 502, why: `${url.host} redirects without an address` };
  const to = new URL(location, url);
  const registry = rules.registries.find((one) => one.url.origin === to.origin);
  if (registry !== undefined) return `${registryOriginInCell(registry)}${to.pathname}${to.search}`;
  const host = hostAndPortOfUrl(to);
  const refused = findHostRefusal(rules, host);
  return refused === null
    ? to.href
    : { ...refused, status: 502, why: `${url.host} redirects to ${host}: ${refused.why}` };
}
