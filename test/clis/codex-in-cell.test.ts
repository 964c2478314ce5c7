import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findCli, needsCli } from '../support/clis.ts';
import type { Call } from './cli-stage.ts';
import { testHookedCli } from './hooked-cli.ts';
import { testReaching } from './reaching.ts';

const realKey = 'sk-real-and-outside';
const patch = (path: string, lines: readonly string[]): Call => ({
  name: 'apply_patch',
  input: ['*** Begin Patch', `*** ${path}`, ...lines, '*** End Patch'].join('\n'),
});
const run = (cmd: string, more: object = {}): Call => ({ name: 'exec_command', input: { cmd, ...more } });

const kit = testHookedCli(test, {
  name: 'codex',
  command: findCli('codex'),
  needs: needsCli('codex'),
  model: 'gpt-6-sol',
  dialect: 'responses',
  key: realKey,
  env: (url) => ({ OPENAI_API_KEY: realKey, OPENAI_BASE_URL: `${url}/v1` }),
  shown: (headers) => `${headers.authorization}`.replace('Bearer ', ''),
  write: (path, content) => patch(`Add File: ${path}`, [`+${content.trimEnd()}`]),
  edit: (path, from, to) => patch(`Update File: ${path}`, ['@@', `-${from}`, `+${to}`]),
  shell: run,
  absent: {
    'sub-agent': { name: 'spawn_agent', input: { task: 'x' } },
    'MCP server': { name: 'mcp__evil__y', input: {} },
    'second shell tool': { name: 'shell', input: { command: ['touch', 'secret.key'] } },
    web: { name: 'web_search', input: { query: 'x' } },
  },
  unknown: /^unsupported (?:custom tool )?call: /,
  offered: ['exec_command', 'write_stdin', 'request_user_input', 'apply_patch'],
  blocked: /^Command blocked by PreToolUse hook: /,
  unhook: `mkdir -p "$HOME/.codex" && printf '[hooks]\\nPreToolUse = []\\n' > "$HOME/.codex/config.toml"`,
  failsOpen: true,
});

const { live, open, proves, keep } = kit;

testReaching('codex', kit, {
  change: (launch) => ({
    ...launch,
    argv: launch.argv.map((word) => (word === 'web_search="disabled"' ? 'web_search="live"' : word)),
  }),
  call: null,
  tool: 'web_search',
});

live('WAT-4: a command for another shell, and text for a running one, end the agent', async () => {
  const stage = await open([{ calls: [run('cat README.md', { shell: 'sh' })] }]);
  assert.is((await stage.run()).failure?.kind, 'unwatched-call');
  const started = run('cat', { yield_time_ms: 250, tty: true });
  const second = await open((turn, { results }) => {
    if (turn === 1) return { calls: [started] };
    const session_id = Number(/session ID (\d+)/.exec(results[0]?.text ?? '')?.[1]);
    return turn === 2 ? { calls: [{ name: 'write_stdin', input: { session_id, chars: 'x\n' } }] } : {};
  });
  const outcome = await second.run();
  assert.is(outcome.failure?.kind, 'unwatched-call', JSON.stringify(second.model.results()));
  proves('shell named by a call: the agent is ended', 'text for a running command: the agent is ended');
});

keep();
test.run();
