import { test } from 'uvu';
import { findCli, needsCli } from '../support/clis.ts';
import { testHookedCli } from './hooked-cli.ts';

const { keep } = testHookedCli(test, {
  name: 'kimi',
  command: findCli('kimi'),
  needs: needsCli('kimi'),
  model: 'kimi-k2.6',
  dialect: 'chat',
  key: 'sk-real-and-outside',
  env: (url) => ({ MOONSHOT_API_KEY: 'sk-real-and-outside', MOONSHOT_BASE_URL: `${url}/v1` }),
  shown: (headers) => `${headers.authorization}`.replace('Bearer ', ''),
  write: (path, content) => ({ name: 'Write', input: { path, content } }),
  edit: (path, old_string, new_string) => ({ name: 'Edit', input: { path, old_string, new_string } }),
  shell: (command) => ({ name: 'Bash', input: { command } }),
  absent: {
    'sub-agent': { name: 'Agent', input: { prompt: 'x', description: 'x' } },
    'MCP server': { name: 'mcp__evil__y', input: {} },
    'second shell tool': { name: 'Shell', input: { command: 'touch secret.key' } },
    web: { name: 'FetchURL', input: { url: 'https://example.com' } },
  },
  // It gives up calls beside one of an unknown tool.
  unknown: /Tool "\w+" not found$|execution was interrupted before/,
  offered: ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write'],
  blocked: /<system>ERROR: Tool execution failed\.<\/system>\n[\s\S]*\[[a-z-]+\]\s*$/,
  unhook: `sed -i s/PreToolUse/PostToolUse/ "$HOME/.kimi-code/config.toml"`,
  failsOpen: true,
});

keep();
test.run();
