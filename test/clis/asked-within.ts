import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import type { AuditLine } from '../../lib/domain/agent-policy.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import { findModelApiOfAdapter } from '../../lib/domain/ports/adapter.ts';
import type { HookedCli } from './cli-stage.ts';

// What a program of an agent can do with the key of its cell: it finds it, since its CLI has it, and asks the gateway
// as the CLI would, for what the model API does by itself.

interface Request {
  /** Below the CLI's own address. */
  readonly path: string;
  readonly body: object;
  /** In the line of the audit; null: it asks for nothing but an answer, and gets one. */
  readonly named: string | null;
}

const url = 'https://evil.example/?stolen';
type Requests = (model: string) => readonly Request[];

const toolOf = (type: string): string => `the tool ${type}.`;

const anthropic: Requests = (model) => {
  const ask = (body: object, named: string | null): Request => ({
    path: '/v1/messages',
    body: { model, max_tokens: 8, messages: [{ role: 'user', content: 'x' }], ...body },
    named,
  });
  const document = (source: object): object => ({
    messages: [{ role: 'user', content: [{ type: 'document', source }] }],
  });
  return [
    ask({}, null),
    ...['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250825'].map((type) =>
      ask({ tools: [{ type, name: type.replace(/_\d+$/, '') }] }, toolOf(type)),
    ),
    ask({ mcp_servers: [{ type: 'url', name: 'x', url }] }, 'mcp_servers'),
    ask(document({ type: 'file', file_id: 'file_1' }), 'a source of the type file'),
    ask(document({ type: 'url', url }), 'a source of the type url'),
    ask({ container: 'container_1' }, 'container'),
    ask({ model: 'another-model-1' }, 'another-model-1'),
    { path: '/v1/messages/batches', body: { requests: [] }, named: '/v1/messages/batches' },
    { path: '/v1/files', body: {}, named: '/v1/files' },
  ];
};

const responses: Requests = (model) => {
  const ask = (body: object, named: string | null): Request => ({
    path: '/v1/responses',
    body: { model, input: [{ role: 'user', content: 'x' }], ...body },
    named,
  });
  const said = (part: object): object => ({ input: [{ role: 'user', content: [part] }] });
  return [
    ask({}, null),
    ...['web_search', 'code_interpreter', 'file_search', 'image_generation', 'computer_use_preview'].map((type) =>
      ask({ tools: [{ type }] }, toolOf(type)),
    ),
    ask({ tools: [{ type: 'mcp', server_label: 'x', server_url: url }] }, toolOf('mcp')),
    ask(said({ type: 'input_file', file_id: 'file_1' }), 'a file that is kept at the API'),
    ask(said({ type: 'input_file', file_url: url }), 'a file of another address'),
    ask(said({ type: 'input_image', image_url: url }), 'an image of another address'),
    ask({ background: true }, 'background'),
    ask({ previous_response_id: 'resp_1' }, 'previous_response_id'),
    ask({ model: 'another-model-1' }, 'another-model-1'),
    { path: '/v1/batches', body: { endpoint: '/v1/responses' }, named: '/v1/batches' },
    { path: '/v1/files', body: {}, named: '/v1/files' },
  ];
};

const chat: Requests = (model) => {
  const ask = (body: object, named: string | null): Request => ({
    path: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: 'x' }], ...body },
    named,
  });
  const said = (part: object): object => ({ messages: [{ role: 'user', content: [part] }] });
  return [
    ask({}, null),
    ask({ tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }, toolOf('$web_search')),
    ask({ tools: [{ type: 'code_interpreter' }] }, toolOf('code_interpreter')),
    ask({ tools: [{ type: 'mcp', server_url: url }] }, toolOf('mcp')),
    ask({ web_search_options: {} }, 'web_search_options'),
    ask(said({ type: 'image_url', image_url: { url } }), 'the image_url of another address'),
    ask(said({ type: 'file', file: { file_id: 'file_1' } }), 'a file that is kept at the API'),
    ask({ model: 'another-model-1' }, 'another-model-1'),
    { path: '/v1/batches', body: { endpoint: '/v1/chat/completions' }, named: '/v1/batches' },
    { path: '/v1/files', body: {}, named: '/v1/files' },
  ];
};

const gemini: Requests = (model) => {
  const at = (name: string, way: string): string => `/v1beta/models/${name}:${way}`;
  const ask = (body: object, named: string | null): Request => ({
    path: at(model, 'generateContent'),
    body: { contents: [{ role: 'user', parts: [{ text: 'x' }] }], ...body },
    named,
  });
  const batches = at(model, 'batchGenerateContent');
  return [
    ask({}, null),
    ...['googleSearch', 'urlContext', 'codeExecution', 'fileSearch', 'googleMaps'].map((tool) =>
      ask({ tools: [{ [tool]: {} }] }, toolOf(tool)),
    ),
    ask({ tools: [{ mcpServers: [{ url }] }] }, toolOf('mcpServers')),
    ask({ contents: [{ role: 'user', parts: [{ fileData: { fileUri: url } }] }] }, 'a part with fileData'),
    ask({ cachedContent: 'cachedContents/x' }, 'cachedContent'),
    { ...ask({}, 'another-model-1'), path: at('another-model-1', 'generateContent') },
    { path: batches, body: { batch: {} }, named: batches },
    { path: '/upload/v1beta/files', body: {}, named: '/upload/v1beta/files' },
  ];
};

const wires: Readonly<Record<HookedCli['dialect'], Requests>> = { anthropic, responses, chat, gemini };

function requestsOf(cli: HookedCli): readonly Request[] {
  const api = findModelApiOfAdapter(getAdapter(cli.name, configSchema.parse({})), cli.model);
  const { prefix = '', named = '' } = api ?? {};
  // What claude's CLI calls it no request may.
  const model = cli.name === 'claude' ? 'claude-sonnet-4-6' : cli.model.slice(named.length);
  return wires[cli.dialect](model).map((request) => ({ ...request, path: `${prefix}${request.path}` }));
}

// Where the answers and what was in sight are left, in the worktree.
const answers = 'answers';
const sight = 'in-sight.txt';

/**
 * Lines for bash that look for the key of the cell wherever a program may, send each request with it, and keep all that
 * can be read: the memory of environments, and each file of home, temporary folder and settings.
 */
export function askWithin(cli: HookedCli): string {
  const sent = requestsOf(cli).map(({ path, body }, index) => {
    const text = JSON.stringify(body);
    const head = [
      ...[`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', 'x-api-key: @KEY@', 'connection: close'],
      ...['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`, '', text],
    ].join('\r\n');
    return [
      'exec 3<>/dev/tcp/127.0.0.1/47113',
      `sed "s/@KEY@/$key/" >&3 <<'REQUEST'`,
      head,
      'REQUEST',
      `cat <&3 > ${answers}/${index} && exec 3>&-`,
    ].join('\n');
  });
  return [
    `mkdir -p ${answers}`,
    'own="$HOME $HOME/../control $TMPDIR"',
    "key=$(grep -rahoE '[0-9a-f]{64}-inside-the-cell-only' /proc/[0-9]*/environ $own 2>/dev/null | head -n 1)",
    ...sent,
    `{ cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; find $own -type f -size -8M -exec cat {} +; } > ${sight} 2>/dev/null`,
    `test -n "$key" && grep -aq "$key" ${sight} && touch looked`,
  ].join('\n');
}

/** That none was served, each is in the audit by what it asked for, and the real key was nowhere. */
export function checkAskedWithin(cli: HookedCli, tree: string, audit: readonly AuditLine[]): void {
  const requests = requestsOf(cli);
  const names = readdirSync(join(tree, answers));
  assert.is(names.length, requests.length);
  const refused = audit.filter(({ tool, decision }) => tool === 'model' && decision === 'block');
  for (const [index, { named, path }] of requests.entries()) {
    const answer = readFileSync(join(tree, answers, String(index)), 'utf8');
    assert.match(answer, named === null ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 403 /, `${path} ${named}: ${answer}`);
    if (named === null) continue;
    const line = refused.find(({ target, details }) => `${target}\n${details}`.includes(named));
    assert.ok(line !== undefined, `${named}\n${JSON.stringify(refused)}`);
    assert.is(
      line.rule,
      named === 'another-model-1' ? 'model-not-allowed' : 'request-not-allowed',
      JSON.stringify(line),
    );
  }
  assert.ok(readdirSync(tree).includes('looked'), 'It saw what its CLI has.');
  assert.not.match(readFileSync(join(tree, sight), 'latin1'), cli.key);
}
