import { test } from 'uvu';
import { findCli, needsCli } from '../support/clis.ts';
import { testHookedCli } from './hooked-cli.ts';
import { testReaching } from './reaching.ts';

const kit = testHookedCli(test, {
  name: 'gemini',
  command: findCli('gemini'),
  needs: needsCli('gemini'),
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
  absent: {
    'sub-agent': { name: 'invoke_agent', input: { agent_name: 'x', prompt: 'x' } },
    'MCP server': { name: 'mcp_evil_y', input: {} },
    'second shell tool': { name: 'shell', input: { command: 'touch secret.key' } },
    web: { name: 'web_fetch', input: { prompt: 'https://example.com' } },
  },
  unknown: /^Tool "\w+" not found/,
  offered: [...['list_directory', 'read_file', 'grep_search', 'glob', 'replace', 'write_file', 'run_shell_command']],
  blocked: /^Tool execution blocked: /,
  unhook: `sed -i s/BeforeTool/AfterTool/ "$HOME/.gemini/settings.json"`,
  failsOpen: true,
});

testReaching('gemini', kit, {
  change: (launch) => ({
    ...launch,
    files: launch.files.map((file) => ({
      ...file,
      content: file.content.replace('"run_shell_command"', '"run_shell_command", "google_web_search"'),
    })),
  }),
  call: { name: 'google_web_search', input: { query: 'x' } },
  tool: 'googleSearch',
});

kit.keep();
test.run();
