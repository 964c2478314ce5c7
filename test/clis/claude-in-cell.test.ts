import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findClaude } from '../support/model-namespace.ts';
import type { HookedCli } from './cli-stage.ts';
import { testHookedCli } from './hooked-cli.ts';
import { testReaching } from './reaching.ts';

const claude = findClaude();
const keyed: HookedCli = {
  name: 'claude',
  command: claude === null ? null : [claude],
  needs: 'needs bubblewrap and the pinned Claude Code',
  model: 'sonnet',
  dialect: 'anthropic',
  key: 'sk-real-and-outside',
  env: (url) => ({ ANTHROPIC_API_KEY: 'sk-real-and-outside', ANTHROPIC_BASE_URL: url }),
  shown: (headers) => headers['x-api-key'],
  write: (file_path, content) => ({ name: 'Write', input: { file_path, content } }),
  edit: (file_path, old_string, new_string) => ({
    name: 'Edit',
    input: { file_path, old_string, new_string },
  }),
  shell: (command) => ({ name: 'Bash', input: { command, description: 'x' } }),
  absent: {
    'sub-agent': { name: 'Agent', input: { prompt: 'x', description: 'x', subagent_type: 'x' } },
    'MCP server': { name: 'mcp__evil__y', input: {} },
    'second shell tool': { name: 'PowerShell', input: { command: 'touch secret.key', description: 'x' } },
    web: { name: 'WebFetch', input: { url: 'https://example.com', prompt: 'x' } },
  },
  unknown: /^<tool_use_error>Error: No such tool available: /,
  offered: ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write'],
  blocked: /^PreToolUse:\w+ hook error: /,
  unhook: `echo '{"disableAllHooks":true}' > "$HOME/../control/settings.json"
mkdir -p "$HOME/.claude" && echo '{"disableAllHooks":true}' > "$HOME/.claude/settings.json"`,
  // Until 2.1.197 it ran a call whose hook was killed.
  failsOpen: false,
};

const token = 'sk-ant-oat01-outside-b7e20c94';
const subscribed: HookedCli = {
  ...keyed,
  key: token,
  env: (url) => ({ CLAUDE_CODE_OAUTH_TOKEN: token, ANTHROPIC_BASE_URL: url }),
  shown: (headers) => `${headers.authorization}`.replace('Bearer ', ''),
};

const kit = testHookedCli(test, keyed);

const { live, open, proves } = testHookedCli(test, subscribed, [], kit.proof);

testReaching('claude', kit, {
  change: (launch) => ({
    ...launch,
    argv: launch.argv.map((word, index) =>
      ['--tools', '--allowed-tools'].includes(launch.argv[index - 1] ?? '') ? `${word},WebSearch` : word,
    ),
  }),
  call: { name: 'WebSearch', input: { query: 'what is new' } },
  tool: 'web_search_20250305',
});

live('BUD-1 SBX-5: with the token of a subscription it works as with a key, and the token stays outside', async () => {
  const stage = await open([
    { calls: [keyed.shell('env')] },
    { calls: [keyed.write('secret.key', 'x')] },
    { text: 'All done.' },
  ]);
  const { failure, text, tokens } = await stage.run();
  assert.equal([failure, text], [null, 'All done.']);
  const { seen } = stage.model;
  assert.is(tokens, seen.length * 110);
  for (const { headers } of seen) {
    assert.is(subscribed.shown(headers), token);
    assert.is(headers['x-api-key'], undefined);
    assert.match(String(headers['anthropic-beta']), 'oauth-2025-04-20');
  }
  assert.not.match(JSON.stringify(seen.map(({ body }) => body)), token);
  assert.match(stage.model.results().at(-1)?.text ?? '', keyed.blocked);
  proves('token of a subscription: stays outside');
});

kit.keep();
test.run();
