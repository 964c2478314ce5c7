import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createStreamViewer, getAdapter } from '../../../lib/agents/get-adapter.ts';
import { kimiCallFacts } from '../../../lib/agents/kimi/kimi-calls.ts';
import type { ToolCall } from '../../../lib/domain/agent-policy.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import type { AgentEnd, AgentResultParts } from '../../../lib/domain/ports/adapter.ts';
import type { ConversationResult } from '../../../lib/domain/ports/call-facts.ts';
import { makePaths, makePolicy, makeRequest } from '../../support/model-agent.ts';

const adapter = getAdapter('kimi', configSchema.parse({}));

function does(tool_name: string, tool_input: object): ToolCall | undefined {
  return kimiCallFacts.read({ tool_name, tool_input, cwd: '/w', tool_call_id: '1' })?.does[0];
}

test('WAT-1: its tools are judged with the fields the policy knows, in the folder they name', () => {
  assert.equal(does('Bash', { command: 'ls', cwd: '../x' }), {
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    cwd: '/x',
  });
  assert.equal(does('Bash', { command: 'ls', cwd: 1 })?.tool_input, { command: 'ls', cwd: 1 });
  assert.equal(does('Write', { path: 'a', content: 'x' })?.tool_input, { content: 'x', file_path: 'a' });
  assert.equal(does('Grep', { pattern: 'x', path: 'src', glob: '*.ts' })?.tool_input, {
    pattern: 'x',
    path: 'src',
    glob: '*.ts',
  });
  assert.is(kimiCallFacts.read({ tool_name: 'Bash', tool_input: {}, cwd: '/w' }), null, 'it names no call');
});

const head = '<system>ERROR: Tool execution failed.</system>\n';
const timed = `Wall time: 0.001 seconds\n${head}`;

function told(text: string, name: string, input: ConversationResult['input'] = { command: 'ls' }): ConversationResult {
  return { id: '1', name, input, text, isError: false, isNew: true };
}

test('WAT-1: what a command prints can not excuse it, though it says what the CLI would', () => {
  const invalid = 'Invalid args for tool "Bash": must have required property \'command\'';
  assert.ok(kimiCallFacts.neverRan(told(`${timed}${invalid}`, 'Bash', {})));
  assert.ok(kimiCallFacts.neverRan(told(`${timed}${invalid}`, 'Bash', '{broken')));
  assert.not(kimiCallFacts.neverRan(told(`${timed}${invalid}`, 'Bash')), 'a command that could run');
  assert.ok(kimiCallFacts.neverRan(told(`${head}Invalid args for tool "Write": x`, 'Write', { path: 'a' })));
  assert.ok(kimiCallFacts.neverRan(told(`${head}Tool "Agent" not found`, 'Agent')));
  assert.not(kimiCallFacts.neverRan(told(`${timed}Tool "Bash" not found`, 'Bash')));
  assert.ok(kimiCallFacts.neverRan(told(`${head}Tool "Bash" not found`, 'Bash'), false), 'who leads has no commands');
  const secret = 'matches a sensitive-file pattern (env / credential / SSH key). Access is blocked to protect secrets.';
  const outside =
    'is not an absolute path. You must provide an absolute path to write or edit a file outside the working directory.';
  for (const why of [secret, outside]) {
    assert.ok(kimiCallFacts.neverRan(told(`${head}"../.env" ${why}`, 'Write', { path: '../.env' })));
    assert.not(kimiCallFacts.neverRan(told(`${timed}"../.env" ${why}`, 'Bash')), 'a command prints what it likes');
    assert.not(kimiCallFacts.neverRan(told(`"../.env" ${why}`, 'Read')), 'a file may hold the same');
  }
  const interrupted = `${head}Tool execution was interrupted before its result was recorded. Do not assume the tool completed successfully.`;
  assert.ok(kimiCallFacts.neverRan(told(interrupted, 'Bash')));
  assert.not(kimiCallFacts.neverRan(told(`Wall time: 0.009 seconds\n${interrupted}`, 'Bash')));
});

test('WAT-9: a blocked call quotes its rule; a command that failed ends with how it ended', () => {
  assert.ok(kimiCallFacts.wasBlocked(told(`${timed}secret.key is blocked. [path-blocked]`, 'Bash')));
  assert.ok(kimiCallFacts.wasBlocked(told(`${head}The watcher failed. [watcher-failed]`, 'Write')));
  assert.not(kimiCallFacts.wasBlocked(told(`${timed}x [path-blocked]\nCommand failed with exit code: 1.`, 'Bash')));
  assert.not(kimiCallFacts.wasBlocked(told('Wrote 1 bytes to a [x]', 'Write')));
});

test('ADP-1: its configuration holds the hooks in seconds that count, the key of the cell and no other tools', () => {
  const policy = makePolicy({ allowed_tools: ['Read', 'Bash', 'Write'], blocked_tools: ['Write'] });
  const { argv, env, files } = adapter.launch(
    makeRequest({ policy, model: 'kimi-k2.6', systemPrompt: `Say \${x}.` }),
    makePaths({ command: ['/usr/bin/kimi'] }),
  );
  assert.equal(argv.slice(-2), ['--prompt', 'Carry out task task-001.']);
  assert.is(env.KIMI_CODE_HOME, '/cell/home/.kimi-code');
  assert.not('MOONSHOT_API_KEY' in env);
  const [agent, , config] = files.map(({ content }) => content);
  assert.match(agent ?? '', /\ntools: \[Read, Bash\]\nsubagents: \[\]\n---\nSay \$ \{x\}\./);
  assert.match(config ?? '', /base_url = "http:\/\/127\.0\.0\.1:8787\/moonshot\/v1"/);
  assert.match(config ?? '', /\[tools\]\nenabled = \["Read", "Bash"\]/);
  assert.match(config ?? '', /event = "PreToolUse"\ncommand = ".* exit 2; }"\nmatcher = "\.\*"\ntimeout = 600\n/);
  const long = adapter.launch(makeRequest({ prompt: 'x'.repeat(200_000) }), makePaths());
  assert.ok(Buffer.byteLength(long.argv.join('')) < 1_000);
  assert.ok(long.files.some(({ content }) => content.endsWith('x'.repeat(200_000))));
});

const ended: AgentEnd = {
  ...{ exitCode: 0, signal: null, timedOut: false, stoppedBecause: null },
  ...{ stderr: '', at: 0 },
};
const version = { role: 'meta', type: 'system.version', version: '2.1.0' };
const calls = [{ id: '1', function: { name: 'Write', arguments: '{"path":"a.txt"}' } }];
const hint = { role: 'meta', type: 'session.resume_hint', session_id: 'x' };

function read(events: readonly object[], end: Partial<AgentEnd> = {}): AgentResultParts {
  const reader = adapter.reader(makeRequest());
  reader.push(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return reader.finish({ ...ended, ...end });
}

test('ADP-1: a run that ended well is success; its errors come from its own channel alone', () => {
  const said = { role: 'assistant', content: 'provider.auth_error: 401 is what I was asked about.' };
  const parts = read([version, { role: 'assistant', tool_calls: calls }, said, hint]);
  assert.equal([parts.failure, parts.text], [null, said.content]);
  assert.is(read([version, said, hint, hint]).failure?.kind, 'forged-result');
  assert.is(read([version, said]).failure?.kind, 'agent-crashed');
  const failed = (stderr: string): unknown => read([version], { exitCode: 1, stderr }).failure?.kind;
  assert.is(failed('provider.auth_error: 401 Invalid Authentication'), 'auth');
  assert.is(failed('error: provider.api_error: 429 You exceeded your current quota'), 'auth');
  assert.is(failed('compaction.failed: APIContextOverflowError: 400 x'), 'agent-error');
  const retrying = {
    role: 'meta',
    type: 'turn.step.retrying',
    status_code: 429,
    error_name: 'APIProviderRateLimitError',
  };
  assert.is(read([version, retrying], { exitCode: 1 }).failure?.kind, 'rate-limit');
});

test('ADP-2: its stream is shown as words and calls', () => {
  const view = createStreamViewer('/w');
  const events = [
    version,
    { role: 'assistant', content: 'Hello.', tool_calls: calls },
    { role: 'tool', tool_call_id: '1', content: 'x' },
    hint,
  ];
  const lines = view.push(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  assert.equal(
    lines.flatMap(({ shown }) => shown),
    ['Hello.', '> Write a.txt'],
  );
});

test.run();
