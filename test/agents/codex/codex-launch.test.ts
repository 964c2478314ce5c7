import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  buildAgentModelCatalog,
  dropNullProperties,
  parseCodexModelCatalog,
  toOpenAiStrictSchema,
} from '../../../lib/agents/codex/codex-launch.ts';
import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import { plannerAnswerJsonSchema } from '../../../lib/domain/config/agent-answers.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import { makePaths, makeRequest } from '../../support/model-agent.ts';

const adapter = getAdapter('codex', configSchema.parse({}));
const listed = {
  models: [
    { slug: 'gpt-6', tool_mode: 'code_mode_only', context_window: 1, use_responses_lite: true },
    { slug: 'gpt-6-sol', tool_mode: 'code_mode_only', context_window: 2, multi_agent_version: 'v2' },
  ],
};
const prepared = parseCodexModelCatalog(JSON.stringify(listed));
const paths = makePaths({ command: ['/usr/bin/codex'], prepared });

test('ADP-1: all that matters is said in arguments: no file that an agent could change is read', () => {
  const { argv, env, files } = adapter.launch(makeRequest({ model: 'gpt-6-sol' }), paths);
  for (const option of ['--ignore-user-config', '--ignore-rules', '--dangerously-bypass-hook-trust'])
    assert.ok(argv.includes(option), option);
  const settings = argv.filter((_, index) => argv[index - 1] === '-c');
  const hook = settings.find((one) => one.startsWith('hooks.PreToolUse=')) ?? '';
  assert.match(hook, /matcher="\.\*",hooks=\[\{type="command",command="\/cell\/control\/watcher \|\| \{ /);
  assert.match(hook, "echo 'The watcher failed. [watcher-failed]' >&2; exit 2; }");
  assert.ok(settings.includes('model_providers.flame.base_url="http://127.0.0.1:8787/openai/v1"'));
  assert.is(argv.at(-1), 'Carry out task task-001.');
  assert.is(env.CODEX_HOME, '/cell/home/.codex');
  assert.equal(
    files.map(({ dir, path }) => `${dir}/${path}`),
    ['home/.codex/.keep', 'control/models.json'],
  );
});

test('ADP-1: a prompt is no option, and a long one comes through stdin', () => {
  assert.is(adapter.launch(makeRequest({ prompt: '-m x' }), paths).argv.at(-1), 'Your task:\n-m x');
  const long = adapter.launch(makeRequest({ prompt: 'x'.repeat(200_000) }), paths);
  assert.is(long.argv.at(-1), '-');
  assert.is(long.stdin?.length, 200_000);
});

test('WAT-1: the catalog holds the one model, with tools whose calls hooks can name', () => {
  const entry = (model: string): Record<string, unknown> =>
    JSON.parse(buildAgentModelCatalog(prepared ?? '', { model, instructions: 'You work.', hasShell: true })).models[0];
  const sol = entry('gpt-6-sol');
  assert.is(sol.slug, 'gpt-6-sol');
  assert.is(sol.tool_mode, null);
  assert.is(sol.use_responses_lite, false);
  assert.is(sol.base_instructions, 'You work.');
  assert.not('multi_agent_version' in sol);
  assert.is(entry('gpt-6-sol-2026-11-01').context_window, 2, 'a dated version has the facts of its model');
  assert.is(entry('gpt-60').slug, 'no-model', 'an unknown one has those of none');
});

test('ADP-1: a catalog that can not be read is none', () => {
  for (const output of ['', 'error: unknown command', '{"models":[]}', '{"models":[{}]}'])
    assert.is(parseCodexModelCatalog(output), null, output);
});

test('PLN-1: an answer is asked for in the strict form, and read back without what was left out', () => {
  const { required, properties } = toOpenAiStrictSchema(plannerAnswerJsonSchema);
  assert.equal(required, ['tasks']);
  const { items } = (properties as { tasks: { items: Record<string, unknown> } }).tasks;
  assert.is(items.additionalProperties, false);
  assert.equal(items.required, Object.keys(items.properties as object));
  const { dependencies, title } = items.properties as Record<string, unknown>;
  assert.equal(dependencies, { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] });
  assert.equal(title, { type: 'string' });
  assert.equal(dropNullProperties({ tasks: [{ id: 'a', cohesion_group: null, file_locks: ['x'] }] }), {
    tasks: [{ id: 'a', file_locks: ['x'] }],
  });
});

test.run();
