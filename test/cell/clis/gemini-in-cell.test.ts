import { test } from 'uvu';
import { testHookedCli } from './hooked-cli.ts';

testHookedCli(test, {
  name: 'gemini',
  model: 'gemini-2.5-pro',
  dialect: 'gemini',
  key: 'AIza-real-and-outside',
  env: (url) => ({ GEMINI_API_KEY: 'AIza-real-and-outside', GOOGLE_GEMINI_BASE_URL: url }),
  shown: (headers) => headers['x-goog-api-key'],
  write: (file_path, content) => ({ name: 'write_file', input: { file_path, content } }),
  edit: (file_path, old_string, new_string) => ({
    name: 'replace',
    input: { file_path, old_string, new_string, instruction: 'x' },
  }),
  shell: (command) => ({ name: 'run_shell_command', input: { command } }),
  absent: [
    { name: 'invoke_agent', input: { agent_name: 'x', prompt: 'x' } },
    { name: 'mcp_x_y', input: {} },
    { name: 'web_fetch', input: { prompt: 'https://example.com' } },
    { name: 'shell', input: { command: 'touch secret.key' } },
  ],
  unknown: /^Tool "\w+" not found/,
  offered: [
    ...['list_directory', 'read_file', 'grep_search', 'glob', 'replace', 'write_file', 'run_shell_command'],
  ],
  blocked: /^Tool execution blocked: /,
  unhook: `sed -i s/BeforeTool/AfterTool/ "$HOME/.gemini/settings.json"`,
});

test.run();
