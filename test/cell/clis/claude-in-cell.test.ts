import { test } from 'uvu';
import { findClaude } from '../../support/model-namespace.ts';
import { testHookedCli } from './hooked-cli.ts';

const claude = findClaude();
const { keep } = testHookedCli(
  test,
  {
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
  },
  // Whole sessions with it have the rest (test/e2e/claude-failures).
  ['canary', 'work', 'budget', 'killed', 'stopped', 'replaced', 'without'],
);

keep();
test.run();
