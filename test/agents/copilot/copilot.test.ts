import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copilotCallFacts } from '../../../lib/agents/copilot/copilot-calls.ts';
import { createStreamViewer, getAdapter } from '../../../lib/agents/get-adapter.ts';
import type { ToolCall } from '../../../lib/domain/agent-policy.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import { fullLeadToolName, leadTools } from '../../../lib/domain/lead-tools.ts';
import { type AgentEnd, type AgentResultParts, findModelApiOfAdapter } from '../../../lib/domain/ports/adapter.ts';
import type { ConversationResult } from '../../../lib/domain/ports/call-facts.ts';
import { makePaths, makePolicy, makeRequest } from '../../support/model-agent.ts';

const adapter = getAdapter('copilot', configSchema.parse({}));

function does(toolName: string, toolArgs: unknown): readonly ToolCall[] | undefined {
  return copilotCallFacts.read({ toolName, toolArgs, cwd: '/w' })?.does;
}

test('WAT-1: its tools are judged with the fields the policy knows', () => {
  const cwd = '/w';
  assert.equal(does('bash', { command: 'ls', mode: 'async' }), [
    { tool_name: 'Bash', tool_input: { command: 'ls', mode: 'async' }, cwd },
  ]);
  assert.equal(does('create', { path: 'a', file_text: 'x' }), [
    { tool_name: 'Write', tool_input: { file_text: 'x', file_path: 'a' }, cwd },
  ]);
  assert.equal(does('rg', { pattern: 'x', paths: ['src'] }), [
    { tool_name: 'Grep', tool_input: { pattern: 'x', paths: ['src'] }, cwd },
  ]);
  const patch = '*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch';
  assert.equal(
    does('apply_patch', patch)?.map(({ tool_name, tool_input }) => [tool_name, tool_input.file_path]),
    [
      ['Write', 'a'],
      ['Edit', 'b'],
    ],
  );
  assert.is(does('flame-get_status', {})?.[0]?.tool_name, 'mcp__flame__get_status');
  assert.is(does('other-get_status', {})?.[0]?.tool_name, 'other-get_status');
  assert.equal(does('task', { prompt: 'x' })?.[0]?.tool_name, 'task');
  for (const [name, input] of [
    ['apply_patch', { patch }],
    ['apply_patch', 'nonsense'],
    ['bash', 'touch raw'],
    ['', {}],
  ] as const)
    assert.is(does(name, input), undefined, `${name} ${JSON.stringify(input)}`);
});

function told(name: string, text: string, input: ConversationResult['input'] = { command: 'ls' }): ConversationResult {
  return { id: '1', name, input, text, isError: false, isNew: true };
}

test('WAT-1: what a command prints can not excuse it, though it says what the CLI would', () => {
  const died = 'Denied by preToolUse hook from "/cell/home/.copilot/hooks/flame.json" (hook errored)';
  assert.ok(copilotCallFacts.neverRan(told('bash', died)));
  assert.not(copilotCallFacts.neverRan(told('bash', `${died}\n<shellId: 0 completed with exit code 0>`)));
  const look = told('read_bash', 'late\n<shellId: 2 completed with exit code 0>', { shellId: '2', delay: 0 });
  assert.ok(copilotCallFacts.neverRan(look));
  assert.not(copilotCallFacts.neverRan({ ...look, name: 'write_bash' }));
  const cleared =
    'The arguments for the tool call \'bash\' were not valid JSON. The arguments have been cleared. Arguments: "x".';
  assert.ok(copilotCallFacts.neverRan(told('bash', cleared, {})));
  assert.not(copilotCallFacts.neverRan(told('bash', cleared)), 'a command that could run');
  assert.ok(copilotCallFacts.wasBlocked(told('bash', 'Denied by preToolUse hook: no. (0) [path-blocked]')));
  assert.not(copilotCallFacts.wasBlocked(told('bash', 'x\nDenied by preToolUse hook: no.')));
});

test('ADP-1: its hooks, offered tools and provider are those of the request; the prompt comes through stdin', () => {
  const policy = makePolicy({ allowed_tools: ['Read', 'Bash', 'Edit'], blocked_tools: ['Edit'] });
  const launch = (model: string) =>
    adapter.launch(
      makeRequest({ policy, model, systemPrompt: 'You work.', prompt: '/help @x' }),
      makePaths({ command: ['/usr/bin/copilot'], prepared: '/cache/copilot' }),
    );
  const { argv, env, files, stdin, reads } = launch('gpt-5.5');
  assert.equal(argv.slice(-3), ['--available-tools', 'bash', 'view']);
  assert.is(stdin, 'You work.\n\n/help @x');
  assert.equal(reads, ['/cache/copilot/pkg']);
  assert.is(env.COPILOT_PROVIDER_BASE_URL, 'http://127.0.0.1:8787/openai/v1');
  assert.not('COPILOT_ALLOW_ALL' in env, 'it would trust the folder');
  const [{ timeoutSec = 0, bash = '' } = {}] = JSON.parse(files[0]?.content ?? '').hooks.preToolUse;
  assert.ok(timeoutSec > 600);
  assert.match(bash, /\nexit 2$/);
  const other = launch('anthropic/claude-sonnet-4-6');
  assert.is(other.argv[other.argv.indexOf('--model') + 1], 'claude-sonnet-4-6');
  assert.equal(
    [other.env.COPILOT_PROVIDER_TYPE, other.env.COPILOT_PROVIDER_BASE_URL],
    ['anthropic', 'http://127.0.0.1:8787/anthropic'],
  );
  assert.equal(
    ['gpt-5.5', 'anthropic/x', 'sonnet'].map((model) => findModelApiOfAdapter(adapter, model)?.provider),
    ['copilot', 'anthropic', undefined],
  );
});

test('QUE-1: who leads is offered our tools alone, from a server whose calls may wait for a person', () => {
  const policy = makePolicy({ allowed_tools: leadTools.map(fullLeadToolName) });
  const { argv, files } = adapter.launch(
    makeRequest({ role: 'queen', policy, isReadOnly: true }),
    makePaths({ toolsCommand: ['/usr/bin/node', '/tools/bridge.cjs'] }),
  );
  const offered = argv.slice(argv.indexOf('--available-tools') + 1);
  assert.equal(
    offered,
    leadTools.map((tool) => `flame-${tool}`),
  );
  assert.is(argv[argv.indexOf('--additional-mcp-config') + 1], '@/cell/control/server.json');
  const file = files.find(({ path }) => path === 'server.json');
  assert.is(file?.dir, 'control', 'an agent can only read it');
  const { flame } = JSON.parse(file?.content ?? '').mcpServers;
  assert.equal([flame.command, flame.args], ['/usr/bin/node', ['/tools/bridge.cjs']]);
  assert.ok(flame.timeout > 3_600_000);
});

const ended: AgentEnd = {
  ...{ exitCode: 0, signal: null, timedOut: false, stoppedBecause: null },
  ...{ stderr: '', at: 0 },
};
const begun = { type: 'user.message', data: { content: 'x' } };
const said = { type: 'assistant.message', data: { content: 'Done.' } };
const done = { type: 'result', sessionId: 'x', exitCode: 0, usage: {} };
const failed = (statusCode: number, errorMessage: string): object => ({
  type: 'model.call_failure',
  data: { statusCode, errorMessage },
});

function read(events: readonly object[], end: Partial<AgentEnd> = {}): AgentResultParts {
  const reader = adapter.reader(makeRequest());
  reader.push(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return reader.finish({ ...ended, ...end });
}

test('ADP-1: a run that ended well is success, also where a request had to be sent again', () => {
  const again = [begun, failed(500, 'x'), { type: 'model.call_final_result', data: { result: 'success' } }];
  assert.equal([read([...again, said, done]).failure, read([begun, said, done]).text], [null, 'Done.']);
  assert.is(read([begun, said, done, done]).failure?.kind, 'forged-result');
  const stopped = [begun, said, { type: 'abort', data: { reason: 'user_initiated' } }, done];
  assert.is(read(stopped).failure?.kind, 'agent-crashed');
  assert.is(read(stopped, { stoppedBecause: 'budget' }).failure?.kind, 'budget');
  assert.is(read([...again, said], { exitCode: 1 }).failure?.kind, 'agent-crashed');
});

test('ADP-2: its stream is shown with what it says and calls', () => {
  const view = createStreamViewer('/w');
  const start = (toolName: string, given: unknown): object => ({
    type: 'tool.execution_start',
    data: { toolName, arguments: given },
  });
  const events = [
    begun,
    start('bash', { command: 'ls' }),
    start('view', { path: '/w/a.txt' }),
    start('apply_patch', '*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch'),
    said,
    done,
  ];
  const shown = events.flatMap((event) => view.push(`${JSON.stringify(event)}\n`)).flatMap((line) => line.shown);
  assert.equal(shown, ['> bash ls', '> view a.txt', '> apply_patch b.txt', 'Done.']);
});

test.run();
