import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { openCellFixture } from '../cell/fixture.ts';
import { copilotFiles, findCli, needsCli } from '../support/clis.ts';
import { makeTempDir } from '../support/repo.ts';
import type { HookedCli } from './cli-stage.ts';
import { testHookedCli } from './hooked-cli.ts';

// The Copilot CLI takes every text that is its key out of what it prints: this one stands nowhere else.
const realKey = 'sk-real-and-outside-5d1c9a7e';
const patch = (path: string, lines: readonly string[]): string =>
  ['*** Begin Patch', `*** ${path}`, ...lines, '*** End Patch'].join('\n');

const openai: HookedCli = {
  name: 'copilot',
  command: findCli('copilot'),
  needs: needsCli('copilot'),
  model: 'gpt-5.5',
  dialect: 'responses',
  key: realKey,
  env: (url) => ({
    ...copilotFiles,
    COPILOT_PROVIDER_API_KEY: realKey,
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'sk-of-another-place',
  }),
  shown: (headers) => `${headers.authorization}`.replace('Bearer ', ''),
  write: (path, content) => ({
    name: 'apply_patch',
    input: patch(`Add File: ${path}`, [`+${content.trimEnd()}`]),
  }),
  edit: (path, from, to) => ({
    name: 'apply_patch',
    input: patch(`Update File: ${path}`, ['@@', `-${from}`, `+${to}`]),
  }),
  shell: (command) => ({ name: 'bash', input: { command, description: 'x' } }),
  absent: {
    'sub-agent': { name: 'task', input: { prompt: 'x', description: 'x', agent_type: 'task' } },
    'MCP server': { name: 'evil-y', input: {} },
    'second shell tool': { name: 'write_bash', input: { shellId: '0', input: 'touch secret.key{enter}' } },
    web: { name: 'web_fetch', input: { url: 'https://example.com' } },
  },
  // Its hook is asked before it looks whether there is such a tool.
  unknown: /^Denied by preToolUse hook: /,
  offered: ['apply_patch', 'bash', 'glob', 'rg', 'view'],
  blocked: /^Denied by preToolUse hook\b/,
  unhook: `echo '{"version":1,"disableAllHooks":true}' > "$HOME/.copilot/hooks/flame.json"
echo '{"disableAllHooks":true}' > "$HOME/.copilot/settings.json"`,
  failsOpen: false,
};

const anthropic: HookedCli = {
  ...openai,
  model: 'anthropic/claude-sonnet-4-6',
  dialect: 'anthropic',
  env: (url) => ({ ...copilotFiles, ANTHROPIC_API_KEY: realKey, ANTHROPIC_BASE_URL: url }),
  shown: (headers) => headers['x-api-key'],
  write: (path, file_text) => ({ name: 'create', input: { path, file_text } }),
  edit: (path, old_str, new_str) => ({ name: 'edit', input: { path, old_str, new_str } }),
  offered: ['bash', 'create', 'edit', 'glob', 'grep', 'view'],
};

const { proof, keep, live, proves } = testHookedCli(test, openai);
testHookedCli(test, anthropic, ['work'], proof);

live('PLN-1: files that were never unpacked are no reason to do so in each cell', async () => {
  const adapters = { copilot: { command: findCli('copilot') } };
  const { runner } = await openCellFixture({
    adapter: getAdapter('copilot', configSchema.parse({ adapters })),
    env: { HOME: makeTempDir('flame-home'), ...openai.env('http://127.0.0.1:9'), COPILOT_PKG_CACHE_HOME: '' },
  });
  const refusal = await runner.checkAdapter('copilot').then(
    (version) => version,
    (error: unknown) => error,
  );
  const { code, hints } = refusal instanceof FlameError ? refusal : { code: String(refusal), hints: [] };
  assert.is(code, 'agent-unprepared');
  assert.match(hints[0] ?? '', / --version$/);
  proves('files not unpacked: refused with the command that does it');
});

keep();
test.run();
