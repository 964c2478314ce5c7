import { test } from 'uvu';
import { findCli, needsCli } from '../support/clis.ts';
import type { HookedCli } from './cli-stage.ts';
import { testHookedCli } from './hooked-cli.ts';

// opencode speaks four APIs. All of it is proven with one of them, and with the others what depends on the API: how
// calls are told of, and found in the conversation.

const realKey = 'sk-real-and-outside';
const offered = ['bash', 'edit', 'glob', 'grep', 'read', 'write'];

const anthropic: HookedCli = {
  name: 'opencode',
  command: findCli('opencode'),
  needs: needsCli('opencode'),
  model: 'anthropic/claude-sonnet-4-5',
  dialect: 'anthropic',
  key: realKey,
  env: (url) => ({ ANTHROPIC_API_KEY: realKey, ANTHROPIC_BASE_URL: url }),
  shown: (headers) => headers['x-api-key'],
  write: (filePath, content) => ({ name: 'write', input: { filePath, content } }),
  edit: (filePath, oldString, newString) => ({ name: 'edit', input: { filePath, oldString, newString } }),
  shell: (command) => ({ name: 'bash', input: { command, description: 'run' } }),
  absent: {
    'sub-agent': { name: 'task', input: { description: 'x', prompt: 'y', subagent_type: 'general' } },
    'MCP server': { name: 'evil_x', input: {} },
    'second shell tool': { name: 'shell', input: { command: 'touch secret.key' } },
    web: { name: 'webfetch', input: { url: 'https://example.com', format: 'text' } },
  },
  unknown: /unavailable tool/,
  offered,
  blocked: /\[[a-z-]+\]$/,
  unhook: `echo '{}' > "$HOME/../control/opencode.json"
mkdir -p "$HOME/.config/opencode/plugin"
echo 'export const E = async () => ({ "tool.execute.before": async () => undefined })' > "$HOME/.config/opencode/plugin/e.js"`,
  // What asks the hook is a plugin: a hook that doesn't answer is a refusal.
  failsOpen: false,
};

const bearer = (headers: Readonly<Record<string, unknown>>): unknown =>
  `${headers.authorization}`.replace('Bearer ', '');
const patch = (path: string, lines: readonly string[]): string =>
  ['*** Begin Patch', `*** ${path}`, ...lines, '*** End Patch'].join('\n');

const openai: HookedCli = {
  ...anthropic,
  model: 'openai/gpt-5.5',
  dialect: 'responses',
  env: (url) => ({ OPENAI_API_KEY: realKey, OPENAI_BASE_URL: `${url}/v1` }),
  shown: bearer,
  write: (path, content) => ({
    name: 'apply_patch',
    input: { patchText: patch(`Add File: ${path}`, [`+${content.trimEnd()}`]) },
  }),
  edit: (path, from, to) => ({
    name: 'apply_patch',
    input: { patchText: patch(`Update File: ${path}`, ['@@', `-${from}`, `+${to}`]) },
  }),
  offered: ['apply_patch', 'bash', 'glob', 'grep', 'read'],
};

const google: HookedCli = {
  ...anthropic,
  model: 'google/gemini-2.5-pro',
  dialect: 'gemini',
  env: (url) => ({ GEMINI_API_KEY: realKey, GOOGLE_GEMINI_BASE_URL: url }),
  shown: (headers) => headers['x-goog-api-key'],
};

const moonshot: HookedCli = {
  ...anthropic,
  model: 'moonshotai/kimi-k2.6',
  dialect: 'chat',
  env: (url) => ({ MOONSHOT_API_KEY: realKey, MOONSHOT_BASE_URL: `${url}/v1` }),
  shown: bearer,
};

const { proof, keep } = testHookedCli(test, anthropic);

for (const api of [openai, google, moonshot]) {
  // Where the API names no calls the ledger counts them.
  const parts = api === google ? (['work', 'replaced'] as const) : (['work'] as const);
  testHookedCli(test, api, parts, proof);
}

keep();
test.run();
