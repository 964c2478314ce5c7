import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findJsonBySchema } from '../../../lib/agents/answer-from-text.ts';
import { geminiCallFacts } from '../../../lib/agents/gemini/gemini-calls.ts';
import { createStreamViewer, getAdapter } from '../../../lib/agents/get-adapter.ts';
import type { ToolCall } from '../../../lib/domain/agent-policy.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import type { AgentEnd, AgentResultParts } from '../../../lib/domain/ports/adapter.ts';
import type { ConversationResult } from '../../../lib/domain/ports/call-facts.ts';
import { makePaths, makePolicy, makeRequest } from '../../support/model-agent.ts';

const adapter = getAdapter('gemini', configSchema.parse({}));

function does(tool_name: string, tool_input: unknown): ToolCall | undefined {
  return geminiCallFacts.read({ hook_event_name: 'BeforeTool', tool_name, tool_input, cwd: '/w' })?.does[0];
}

test('WAT-1: its tools are judged as those the policy knows, in the folder they name', () => {
  const at = (tool_name: string, tool_input: object, cwd = '/w'): ToolCall => ({
    tool_name,
    tool_input: { ...tool_input },
    cwd,
  });
  assert.equal(does('run_shell_command', { command: 'ls' }), at('Bash', { command: 'ls' }));
  assert.equal(does('run_shell_command', { command: 'ls', dir_path: '../x' }), at('Bash', { command: 'ls' }, '/x'));
  assert.equal(does('run_shell_command', { command: 'ls', dir_path: 1 }), at('Bash', { command: 'ls', dir_path: 1 }));
  assert.equal(does('write_file', { file_path: 'a' }), at('Write', { file_path: 'a' }));
  assert.equal(does('replace', { file_path: 'a' }), at('Edit', { file_path: 'a' }));
  assert.equal(does('list_directory', { dir_path: '/etc' }), at('LS', { path: '/etc' }));
  assert.equal(
    does('grep_search', { pattern: 'x', dir_path: 'src', include_pattern: '*.ts' }),
    at('Grep', { pattern: 'x', path: 'src', include: '*.ts' }),
  );
  // What isn't known is judged under its own name, by which nothing is allowed.
  assert.equal(does('toString', { x: 1 }), at('toString', { x: 1 }));
  assert.equal(does('invoke_agent', { prompt: 'x' }), at('invoke_agent', { prompt: 'x' }));
});

test('WAT-2: what names no tool, input or folder is no call that can be judged', () => {
  for (const reported of [null, {}, { tool_name: 'x', tool_input: {} }, { tool_name: '', tool_input: {}, cwd: '/' }])
    assert.is(geminiCallFacts.read(reported), null);
  assert.is(does('write_file', 'text'), undefined);
});

test('WAT-1: of a command only what says that it was not started excuses a call nobody was asked about', () => {
  const told = (text: string, name: string, isError = true): ConversationResult => ({
    ...{ id: null, name, input: {}, text, isError, isNew: true },
  });
  for (const text of [
    "params must have required property 'command'",
    'Tool "x" not found.',
    'Path not in workspace: x',
  ])
    assert.ok(geminiCallFacts.neverRan(told(text, 'run_shell_command')), text);
  assert.ok(geminiCallFacts.neverRan(told('File not found: x', 'replace')));
  assert.not(geminiCallFacts.neverRan(told('Something else', 'run_shell_command')));
  assert.not(geminiCallFacts.neverRan(told('Tool "x" not found.', 'run_shell_command', false)));
  assert.not(geminiCallFacts.neverRan(told('Tool execution blocked: x', 'replace')));
  assert.ok(geminiCallFacts.wasBlocked(told('Tool execution blocked: x', 'replace')));
  assert.not(geminiCallFacts.wasBlocked(told('Tool execution blocked: x', 'run_shell_command', false)));
});

test('ADP-1: settings hold the hooks in milliseconds that count, and the tools of the policy alone', () => {
  const policy = makePolicy({
    allowed_tools: ['Read', 'Bash', 'Write', 'WebFetch'],
    blocked_tools: ['Write'],
  });
  const { argv, env, files } = adapter.launch(
    makeRequest({
      policy,
      model: 'gemini-2.5-pro',
      prompt: '/x mail a@b.c',
      systemPrompt: `Use \${AvailableTools}.`,
    }),
    makePaths({ command: ['/usr/bin/gemini'], shell: '/tools/bash' }),
  );
  assert.is(argv.at(-1), 'Your task:\n/x mail a\\@b.c');
  assert.ok(argv.includes('--skip-trust'));
  assert.is(env.PATH, '/tools:/usr/bin:/bin');
  const [system, settings] = files;
  assert.is(system?.content, 'Use $ {AvailableTools}.\n');
  const { advanced, tools, hooks } = JSON.parse(settings?.content ?? '');
  assert.ok(advanced.ignoreLocalEnv, 'the file .env of a repository is read');
  assert.equal(tools.core, ['read_file', 'run_shell_command']);
  const [{ matcher, hooks: all }] = hooks.BeforeTool;
  assert.is(matcher, '.*');
  assert.ok(all[0].timeout < 2 ** 31);
  assert.match(all[0].command, "echo 'The watcher failed. [watcher-failed]' >&2; exit 2; }");
  const long = adapter.launch(makeRequest({ prompt: 'x@'.repeat(100_000) }), makePaths());
  assert.not(long.argv.includes('--prompt'));
  assert.is(long.stdin?.slice(0, 6), 'x\\@x\\@');
});

const ended: AgentEnd = {
  ...{ exitCode: 0, signal: null, timedOut: false, stoppedBecause: null },
  ...{ stderr: '', at: 0 },
};
const init = { type: 'init', session_id: 'x', model: 'gemini-2.5-pro' };
const part = (content: string): object => ({ type: 'message', role: 'assistant', content, delta: true });
const call = {
  type: 'tool_use',
  tool_name: 'write_file',
  tool_id: '1',
  parameters: { file_path: '/repo/.trees/worker-1a2b3c4d/a.txt' },
};
const done = { type: 'result', status: 'success', stats: { total_tokens: 110 } };

function read(events: readonly object[], end: Partial<AgentEnd> = {}): AgentResultParts {
  const reader = adapter.reader(makeRequest());
  reader.push(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return reader.finish({ ...ended, ...end });
}

test('ADP-1: a run that ended is success: its last words, put together, and its tokens', () => {
  const parts = read([init, part('First.'), call, part('All '), part('done.'), done]);
  assert.equal([parts.failure, parts.text, parts.tokens], [null, 'All done.', 110]);
  assert.is(read([init, part('x'), done, done]).failure?.kind, 'forged-result');
  assert.is(read([init, part('x')]).failure?.kind, 'agent-crashed');
  assert.is(read([], { exitCode: 55 }).failure?.retryable, false);
});

test('LIF-5: its exit code is what the API answered, and no signal', () => {
  const failed = (message: string): object => ({
    type: 'result',
    status: 'error',
    error: { type: 'Error', message },
  });
  for (const [exitCode, message, kind] of [
    [145, 'Request had invalid authentication credentials.', 'auth'],
    [173, 'Resource has been exhausted.', 'rate-limit'],
    [144, 'The input token count (9) exceeds the maximum number of tokens allowed (8).', 'agent-error'],
    [152, 'Request timeout', 'agent-error'],
    [1, 'models/x is not found for API version v1beta', 'agent-error'],
  ] as const)
    assert.is(read([init, failed(message)], { exitCode }).failure?.kind, kind, message);
  assert.is(read([init], { exitCode: 137 }).failure?.kind, 'agent-crashed');
});

test('PLN-2: an answer is the last object by itself, whatever stands around it', () => {
  for (const [text, wanted] of [
    ['{"a": 1}', { a: 1 }],
    ['First {"a": 1}.\n```json\n{"a": {"b": "}"}}\n```', { a: { b: '}' } }],
    ['{"a": [1, 2,], "b": "x,}",}', { a: [1, 2], b: 'x,}' }],
    ['a { brace and {"a": 2} after', { a: 2 }],
    ['no answer', null],
    ['{"a": 1', null],
    ['[1]', null],
  ] as const)
    assert.equal(findJsonBySchema(text, {}), wanted, text);
});

test('ADP-2: its stream is shown as words and calls', () => {
  const view = createStreamViewer('/repo/.trees/worker-1a2b3c4d');
  const lines = view.push([init, part('Hello.'), call, done].map((event) => `${JSON.stringify(event)}\n`).join(''));
  assert.equal(
    lines.flatMap(({ shown }) => shown),
    ['Hello.', '> write_file a.txt'],
  );
});

test.run();
