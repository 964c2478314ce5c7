import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { FlameError } from '../../domain/flame-error.ts';
import { credentialSources } from './model-credential.ts';
import { forwardedHeaders } from './request-headers.ts';

/** The model API behind a gateway, with the real credential. */
export interface Upstream {
  readonly isSecure: boolean;
  /** Host and port, or a socket file (a scripted model). */
  readonly target: RequestOptions;
  /** Put before each path. */
  readonly basePath: string;
  /** Replace what the agent sent under these names. */
  readonly credential: Readonly<Record<string, string>>;
  /** The variables it was read from. */
  readonly sources: readonly string[];
}

const defaultUrl = 'https://api.anthropic.com';
// Sent with a subscription's token, or the API doesn't take it.
const subscriptionBeta = 'oauth-2025-04-20';

/**
 * The upstream from the person's environment, as the CLI itself would find it. A proxy in the environment is
 * not used. Throws FlameError `bad-base-url`.
 */
export function readUpstream(env: Readonly<Record<string, string | undefined>>): Upstream {
  const text = env.ANTHROPIC_BASE_URL || defaultUrl;
  const url = parseUrl(text);
  return {
    isSecure: url.protocol === 'https:',
    target: { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port, headers: { host: url.host } },
    basePath: url.pathname.replace(/\/+$/, ''),
    credential: readCredential(env),
    sources: credentialSources(env),
  };
}

/** Opens a request with the agent's headers, its dummy credential replaced. */
export function openRequest(
  upstream: Upstream,
  call: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    /** '' for none. */
    readonly body: string;
  },
): ClientRequest {
  const open = upstream.isSecure ? requestHttps : requestHttp;
  return open({
    ...upstream.target,
    method: call.method,
    path: upstream.basePath + call.path,
    headers: {
      ...headersFor(call.headers, upstream.credential),
      ...upstream.target.headers,
      ...(call.body === '' ? {} : { 'content-length': Buffer.byteLength(call.body) }),
    },
  });
}

/** Headers that concern one connection only, and so are never passed on. */
export const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function headersFor(
  headers: IncomingHttpHeaders,
  credential: Readonly<Record<string, string>>,
): OutgoingHttpHeaders {
  const kept = forwardedHeaders(headers);
  const isSubscription = credential.authorization?.includes('sk-ant-oat') ?? false;
  const beta = [kept['anthropic-beta'], subscriptionBeta].flat().filter(Boolean).join(',');
  return {
    ...kept,
    ...(isSubscription ? { 'anthropic-beta': beta } : {}),
    // Compressed answers would have to be unpacked to be counted.
    'accept-encoding': 'identity',
    ...credential,
  };
}

function readCredential(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const token = env.ANTHROPIC_AUTH_TOKEN || (env.ANTHROPIC_API_KEY ? '' : env.CLAUDE_CODE_OAUTH_TOKEN);
  return {
    ...(env.ANTHROPIC_API_KEY ? { 'x-api-key': env.ANTHROPIC_API_KEY } : {}),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw new FlameError({
    kind: 'environment',
    code: 'bad-base-url',
    message: 'ANTHROPIC_BASE_URL is not an http or https address.',
    hints: ['unset ANTHROPIC_BASE_URL'],
  });
}
