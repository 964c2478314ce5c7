import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { DialectName } from '../../lib/domain/config/known-clis.ts';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { type HookedName, hands } from '../support/cli-hands.ts';
import { findCli } from '../support/clis.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { testIf } from '../support/skip.ts';

// The lines of docs/models.md, with the real CLIs: each service is a server on loopback that is at the path, wants the
// credential and has the model that the page says.

interface Service {
  readonly title: string;
  readonly cli: HookedName;
  readonly dialect: DialectName;
  /** What stands before `/v1` in the addresses it answers. */
  readonly path: string;
  readonly model: RegExp;
  isPaidBy(headers: IncomingHttpHeaders): boolean;
}

// Of a subscription, by which the gateway knows one; other services take any.
const key = 'sk-ant-oat01-made-up-0123456789';
const withKey = (headers: IncomingHttpHeaders): boolean => headers['x-api-key'] === key;
const withToken = (headers: IncomingHttpHeaders): boolean =>
  headers.authorization === `Bearer ${key}` && headers['x-api-key'] === undefined;
const withNone = (headers: IncomingHttpHeaders): boolean => headers.authorization === undefined;

const ofClaude = { cli: 'claude', dialect: 'anthropic', path: '' } as const;
const services: readonly Service[] = [
  {
    ...{ ...ofClaude, title: 'A subscription of Claude', model: /^claude-sonnet-/ },
    isPaidBy: (headers) => withToken(headers) && /oauth-/.test(String(headers['anthropic-beta'])),
  },
  { ...ofClaude, title: 'An API key', model: /^claude-sonnet-/, isPaidBy: withKey },
  { ...ofClaude, title: 'A proxy: LiteLLM', model: /^team-sonnet$/, isPaidBy: withToken },
  {
    ...{ ...ofClaude, title: 'A proxy: OpenRouter', path: '/api' },
    ...{ model: /^anthropic\/claude-sonnet-4\.5$/, isPaidBy: withToken },
  },
  {
    ...{ title: 'A local model: Ollama', cli: 'opencode', dialect: 'responses', path: '' },
    ...{ model: /^qwen3-coder$/, isPaidBy: withNone },
  },
  {
    ...{ title: 'A local model: llama.cpp', cli: 'codex', dialect: 'responses', path: '' },
    ...{ model: /^qwen3-coder$/, isPaidBy: withNone },
  },
  {
    ...{ ...ofClaude, title: 'Amazon Bedrock', path: '/anthropic' },
    ...{ model: /^anthropic\.claude-sonnet-5$/, isPaidBy: withKey },
  },
  {
    ...{ ...ofClaude, title: 'Microsoft Foundry', path: '/anthropic' },
    ...{ model: /^my-deployment$/, isPaidBy: withKey },
  },
];

const page = readFileSync(join(packageRoot(), 'docs/models.md'), 'utf8');
const isThere = findClaude() !== null && ['codex', 'opencode'].every((name) => findCli(name) !== null);
const place = isThere ? enterNetworkNamespace() : 'none';

if (place !== 'outside') {
  const live = testIf(
    test,
    place === 'inside',
    'models-page: needs a network namespace, claude, and codex and opencode where FLAME_TEST_CLIS says',
  );
  test.after(closeProjects);

  for (const service of services)
    live(`CFG-3 SBX-5 the lines of docs/models.md have ${service.cli} work: ${service.title}`, async () => {
      const [shell, yaml] = [block(service.title, 'sh'), block(service.title, 'yaml')];
      const { write, run: runs } = hands[service.cli];
      const turns = [
        // Codex offers its patches only with models it knows.
        {
          calls: [service.cli === 'codex' ? runs('mkdir -p notes && echo a > notes/a.txt') : write('notes/a.txt', 'a')],
        },
        { calls: [runs('git add notes/a.txt && git commit -qm "feat: a note"')] },
      ];
      const model = await startScriptedModel(
        [service.dialect],
        (_turn, { results }) => turns[results.length] ?? { text: 'notes/a.txt is there.' },
      );
      const front = await startService(service, model.url);
      const written = parse(yaml) as { readonly roles?: object };
      const project = await openClaudeProject({
        script: () => ({ text: 'Not asked.' }),
        config: {
          ...{ adapters: commandOf(service.cli), ...written },
          roles: { ...written.roles, validator: { adapter: 'none' } },
        },
        env: { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', ...variablesOf(shell, front.url) },
      });
      const plan = writePlan(project.repo, [
        { id: 'task-001', script: 'Put a into notes/a.txt.', locks: ['notes/a.txt'], group: 'notes' },
      ]);
      const decisions = writeDecisions(project.repo, { plan: ['approve'], changesets: ['approve'] });
      const run = await project.flame('run', 'A note', '--from', plan, '--decisions-file', decisions);
      await model.close();
      front.close();
      assert.equal(front.turnedAway, [], 'what the service did not take');
      assert.ok(model.seen.some(({ body }) => service.model.test(String(body.model))));
      assert.is(tasksOf(run)[0]?.status, 'merged', run.stderr + run.stdout.slice(-2_000));
    });

  test('CFG-3 each part of docs/models.md that has lines is tried', () => {
    const parts = [...page.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title);
    const tried = services.map(({ title }) => title);
    assert.equal(
      parts.filter((title) => new RegExp(`^## ${title}\n[^#]*^\`\`\`sh`, 'm').test(page)),
      tried,
    );
  });
}

/** The lines of a part of the page for the shell, or for the configuration. */
function block(title: string, language: 'sh' | 'yaml'): string {
  const part = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  const found = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(part)?.[1];
  assert.ok(found, `${title} has lines of ${language}`);
  return found ?? '';
}

const variables = ['ANTHROPIC', 'OPENAI'].flatMap((of) => [...[`${of}_API_KEY`, `${of}_AUTH_TOKEN`, `${of}_BASE_URL`]]);

/** What a shell exports once the lines were typed, with a server of the test in the place of the service. */
function variablesOf(lines: string, url: string): Readonly<Record<string, string>> {
  const typed = lines.replace(/https?:\/\/(?:<[^>]*>|[^\s/<])+/g, url).replace(/<[^>]*>/g, key);
  const out = execFileSync('bash', ['-ec', `${typed}\nenv -0`], {
    input: `${key}\n`,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  const known = [...variables, 'CLAUDE_CODE_OAUTH_TOKEN'];
  const found = out.split('\0').map((line) => /^(\w+)=(.*)$/s.exec(line) ?? []);
  const set = found.flatMap(([, name = '', value = '']) => (known.includes(name) ? [[name, value]] : []));
  const isElsewhere = set.some(([name]) => name?.endsWith('_BASE_URL'));
  // A subscription and a key go to the service's own address, which the page doesn't name.
  return { ...(isElsewhere ? {} : { ANTHROPIC_BASE_URL: url }), ...Object.fromEntries(set) };
}

function commandOf(cli: HookedName): Readonly<Record<string, unknown>> {
  const claude = findClaude() ?? 'claude';
  return { [cli]: { command: cli === 'claude' ? [claude] : (findCli(cli) ?? [cli]) } };
}

interface Front {
  readonly url: string;
  /** What was asked at another path, or with another credential. */
  readonly turnedAway: readonly string[];
  close(): void;
}

/** The service as it is reached: it takes what is at its path and paid for, and a model behind it answers. */
async function startService({ path, isPaidBy }: Service, behind: string): Promise<Front> {
  const turnedAway: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', method = '', headers } = request;
    const isHere = url.startsWith(`${path}/v1/`) && !url.startsWith(`${path}/v1/v1/`);
    if (!isHere || !isPaidBy(headers)) {
      if (method === 'POST') turnedAway.push(`${method} ${url} ${JSON.stringify(headers)}`);
      return void response.writeHead(isHere ? 401 : 404).end('{}');
    }
    const call = requestHttp(behind + url.slice(path.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    call.on('error', () => response.destroy());
    request.pipe(call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, turnedAway, close };
}

test.run();
