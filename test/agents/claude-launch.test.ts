import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import type { AgentLaunch, PathsInsideCell } from '../../lib/domain/ports/adapter.ts';
import type { AgentRequest } from '../../lib/domain/ports/agent-port.ts';
import { makePaths, makePolicy, makeRequest } from '../support/model-agent.ts';

const config = configSchema.parse({});

test('ADP-1: the safe invocation, option by option', () => {
  const { argv, stdin, transcript } = launch({ answerSchema: { type: 'object' } });
  assert.equal(argv, [
    '/usr/bin/claude',
    '--print',
    'Carry out task task-001.',
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-partial-messages',
    '--include-hook-events',
    '--no-session-persistence',
    '--json-schema',
    '{"type":"object"}',
    '--max-budget-usd',
    '1.5',
    '--model',
    'sonnet',
    '--system-prompt',
    'You are a worker of git-flame.',
    '--setting-sources',
    '',
    '--strict-mcp-config',
    '--settings',
    '/cell/control/settings.json',
    '--permission-mode',
    'acceptEdits',
    '--tools',
    'Read,Write,Edit,Glob,Grep,Bash',
    '--allowed-tools',
    'Bash',
    '--disallowed-tools',
    'WebFetch,Task,Agent',
  ]);
  assert.is(stdin, null);
  assert.is(transcript, null);
});

test('the environment is a list of its own and holds no real key', () => {
  const { env } = launch({});
  assert.is(env.HOME, '/cell/home');
  assert.is(env.TMPDIR, '/cell/tmp');
  assert.is(env.ANTHROPIC_BASE_URL, 'http://127.0.0.1:8787');
  assert.match(env.ANTHROPIC_API_KEY ?? '', /^f{64}-inside-the-cell-only$/);
  assert.is(env.SHELL, '/bin/bash');
  assert.is(env.CLAUDE_CODE_SHELL, '/bin/bash');
  assert.is(env.CLAUDE_CODE_DISABLE_ATTACHMENTS, '1');
  assert.not('CLAUDE_CODE_SIMPLE' in env);
});

test('WAT-3: the settings are of the form the CLI takes, and every trouble of the watcher blocks', () => {
  assert.equal(JSON.parse(launch({}).files[0]?.content ?? ''), {
    disableAllHooks: false,
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: 'touch /cell/canary', timeout: 10 }] }],
      PreToolUse: [
        {
          matcher: '*',
          hooks: [
            {
              type: 'command',
              command:
                "/cell/control/watcher || { [ $? -eq 2 ] || echo 'The watcher failed. [watcher-failed]' >&2; exit 2; }",
              timeout: 1_000_000,
              onFailure: 'block',
            },
          ],
        },
      ],
    },
  });
});

test('BUD-1: an unlimited budget or one in tokens gives no USD limit, a tiny one is never 0', () => {
  assert.not(launch({ budget: { unit: 'usd', limit: 0 } }).argv.includes('--max-budget-usd'));
  assert.not(launch({ budget: { unit: 'tokens', limit: 500 } }).argv.includes('--max-budget-usd'));
  assert.is(optionOf(launch({ budget: { unit: 'usd', limit: 10 } }), '--max-budget-usd'), '10');
  assert.is(optionOf(launch({ budget: { unit: 'usd', limit: 1e-9 } }), '--max-budget-usd'), '0.000001');
});

test('a prompt is never a command or an option of the CLI', () => {
  for (const prompt of ['/exit now', '  /exit', '--help', '!ls', '#x', '@a', '']) {
    assert.match(launch({ prompt }).argv[2] ?? '', /^Your task:\n/);
  }
});

test('a prompt too long for an argument goes by stdin, and only there', () => {
  const prompt = `Do it.\n${'ä'.repeat(60_000)}`;
  const { argv, stdin } = launch({ prompt });
  assert.is(stdin, prompt);
  assert.not(argv.includes(prompt));
  assert.is(argv[2], '--output-format');
});

test('readers may not write, and what a role may not use is not offered', () => {
  const policy = makePolicy({
    allowed_tools: ['Read', 'Grep', 'Write', 'StructuredOutput'],
    blocked_tools: ['Write'],
  });
  const launched = launch({ role: 'planner', isReadOnly: true, policy });
  assert.is(optionOf(launched, '--permission-mode'), 'default');
  assert.is(optionOf(launched, '--tools'), 'Read,Grep');
  assert.not(launched.argv.includes('--allowed-tools'));
});

test('PRM-3: with the plugin, skills can be used', () => {
  const withPlugin = configSchema.parse({ superpowers: { enabled: true, plugin_dir: '/opt/superpowers' } });
  const launched = getAdapter('claude', withPlugin).launch(makeRequest(), makePaths());
  assert.is(optionOf(launched, '--plugin-dir'), '/opt/superpowers');
  assert.equal(launched.reads, ['/opt/superpowers']);
  assert.is(optionOf(launched, '--tools'), 'Read,Write,Edit,Glob,Grep,Bash,Skill');
  assert.is(optionOf(launched, '--allowed-tools'), 'Bash,Skill');
});

test('PLN-2: an interactive planner gets a terminal, a home that asks nothing, and a transcript', () => {
  const conversation = '6f1e2c1e-0000-4000-8000-000000000001';
  const launched = launch({ role: 'planner', isInteractive: true, conversation });
  assert.not(launched.argv.includes('--print'));
  assert.not(launched.argv.includes('--no-session-persistence'));
  assert.is(optionOf(launched, '--session-id'), conversation);
  assert.is(launched.argv[1], 'Carry out task task-001.');
  assert.is(launched.transcript, `.claude/projects/-repo--trees-worker-1a2b3c4d/${conversation}.jsonl`);
  const file = launched.files.find(({ dir }) => dir === 'home');
  assert.is(file?.path, '.claude.json');
  const state = JSON.parse(file?.content ?? '');
  assert.equal(state.customApiKeyResponses.approved, ['inside-the-cell-only']);
  assert.equal(Object.keys(state.projects), ['/repo/.trees/worker-1a2b3c4d']);
});

test('adapters.claude.command replaces the program to look for', () => {
  const own = configSchema.parse({ adapters: { claude: { command: ['node', 'fake.mjs'] } } });
  assert.equal(getAdapter('claude', own).command, ['node', 'fake.mjs']);
  assert.equal(getAdapter('claude', config).command, ['claude']);
});

test('versions are read from what the CLI prints', () => {
  const { version } = getAdapter('claude', config);
  assert.is(version.parse('2.1.197 (Claude Code)\n'), '2.1.197');
  assert.is(version.parse('command not found'), null);
  assert.is(version.minimum, '2.1.0');
});

test('an unknown adapter is an error that lists those there are', () => {
  try {
    getAdapter('clawde', config);
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof FlameError);
    assert.is(error.code, 'unknown-adapter');
    assert.match(error.message, 'claude, codex');
  }
});

function launch(changes: Partial<AgentRequest>, paths: Partial<PathsInsideCell> = {}): AgentLaunch {
  return getAdapter('claude', config).launch(makeRequest(changes), makePaths(paths));
}

function optionOf({ argv }: AgentLaunch, name: string): string | undefined {
  return argv[argv.indexOf(name) + 1];
}

test.run();
