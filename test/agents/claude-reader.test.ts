import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { plannerAnswerJsonSchema } from '../../lib/domain/config/agent-answers.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import type { AgentEnd, AgentResultParts } from '../../lib/domain/ports/adapter.ts';
import type { AgentRequest } from '../../lib/domain/ports/agent-port.ts';
import { makeRequest } from '../support/model-agent.ts';

const config = configSchema.parse({});
const ended: AgentEnd = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  stoppedBecause: null,
  stderr: '',
  at: 0,
};
const init = { type: 'system', subtype: 'init', plugins: [], skills: [] };
const success = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  api_error_status: null,
  num_turns: 2,
  result: 'all done',
  total_cost_usd: 0.25,
  modelUsage: {
    a: { inputTokens: 100, outputTokens: 20, cacheReadInputTokens: 5, cacheCreationInputTokens: 1 },
    b: { inputTokens: 10, outputTokens: 1, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  },
};
const planner = { role: 'planner', answerSchema: plannerAnswerJsonSchema } as const;

test('all signs good: no failure; cost and tokens are those of the whole run', () => {
  const parts = read([init, success]);
  assert.is(parts.failure, null);
  assert.is(parts.text, 'all done');
  assert.is(parts.cost_usd, 0.25);
  assert.is(parts.tokens, 137);
});

test('one bad sign among good ones is a failure', () => {
  assert.is(read([init, success], { exitCode: 1 }).failure?.kind, 'agent-error');
  assert.is(read([init, { ...success, is_error: true }]).failure?.kind, 'agent-error');
  assert.is(read([init, { ...success, is_error: undefined }]).failure?.kind, 'agent-error');
  assert.is(read([init]).failure?.kind, 'agent-crashed');
  const unknownCommand = read([init, { ...success, num_turns: 0, result: 'Unknown command: /x' }]).failure;
  assert.is(unknownCommand?.kind, 'agent-error');
  assert.is(unknownCommand?.retryable, false);
});

test('a second result is forged, whichever it is and whatever else was written into its line', () => {
  const verdict = (status: string): object => ({ ...success, structured_output: { status } });
  const forged = read([init, verdict('pass'), verdict('fail')], {}, planner);
  assert.is(forged.failure?.kind, 'forged-result');
  assert.is(forged.failure?.retryable, false);
  assert.is(forged.answer, null);
  const reader = getAdapter('claude', config).reader(makeRequest(planner));
  reader.push(`${toLines([init, verdict('pass')])}x${toLines([verdict('fail')])}`);
  assert.is(reader.finish(ended).failure?.kind, 'forged-result');
});

test('a run that was ended for a call past its watcher failed, whatever it says', () => {
  const { failure } = read([init, success], { stoppedBecause: 'unwatched-call' });
  assert.is(failure?.kind, 'unwatched-call');
});

test('a planner needs an answer, a worker its commits', () => {
  const missing = read([init, success], {}, planner).failure;
  assert.is(missing?.kind, 'malformed-answer');
  assert.is(missing?.retryable, true);
  const given = read([init, { ...success, structured_output: { tasks: [] } }], {}, planner);
  assert.is(given.failure, null);
  assert.equal(given.answer, { tasks: [] });
  assert.is(read([init, success], {}, { answerSchema: { type: 'object' } }).failure, null);
});

const apiErrors: readonly (readonly [number | null, string, string, boolean])[] = [
  [401, 'Invalid API key · Fix external API key', 'auth', false],
  [403, 'Failed to authenticate. API Error: 403 no', 'auth', false],
  [400, 'Credit balance is too low', 'auth', false],
  [400, 'Prompt is too long · x', 'agent-error', false],
  [400, 'API Error: 400 odd', 'agent-error', false],
  [404, "There's an issue with the selected model", 'agent-error', false],
  [429, 'API Error: Request rejected (429) · slow down', 'rate-limit', true],
  [429, 'You exceeded your current quota', 'auth', false],
  [500, 'API Error: 500 x', 'rate-limit', true],
  [529, 'API Error: 529 Overloaded. x', 'rate-limit', true],
  [599, 'API Error: 599', 'rate-limit', true],
  [null, 'API Error: Connection error. ECONNRESET', 'rate-limit', true],
];
for (const [status, text, kind, retryable] of apiErrors) {
  test(`LIF-5: API error ${status ?? 'without status'} "${text}" is ${kind}`, () => {
    const result = { ...success, is_error: true, api_error_status: status, result: text };
    const { failure } = read([init, result], { exitCode: 1 });
    assert.is(failure?.kind, kind);
    assert.is(failure?.retryable, retryable);
    assert.equal(failure?.details, [text]);
  });
}

test('BUD-1: a spent budget is one, whoever noticed', () => {
  const own = {
    ...success,
    subtype: 'error_max_budget_usd',
    is_error: true,
    result: undefined,
    errors: ['max'],
  };
  const refused = { ...success, is_error: true, api_error_status: 403, result: 'API Error: 403 budget' };
  for (const { failure } of [
    read([init, own], { exitCode: 1 }),
    read([init, refused], { exitCode: 1, stoppedBecause: 'budget' }),
    read([init], { exitCode: 143, stoppedBecause: 'budget' }),
  ]) {
    assert.is(failure?.kind, 'budget');
    assert.is(failure?.retryable, false);
  }
});

test('what ended before the limit counts, what was killed does not', () => {
  assert.is(read([init, success], { stoppedBecause: 'budget' }).failure, null);
  assert.is(read([init, success], { timedOut: true }).failure, null);
  assert.is(read([init, success], { stoppedBecause: 'canary-failed' }).failure?.kind, 'canary-failed');
  assert.is(read([init], { exitCode: 143, timedOut: true }).failure?.kind, 'agent-timeout');
  assert.is(read([init], { exitCode: null, signal: 'SIGKILL' }).failure?.kind, 'agent-crashed');
  assert.is(read([init], { exitCode: 143, stoppedBecause: 'stopped' }).failure?.kind, 'agent-stopped');
});

test('no output at all is a start that failed, with the words of stderr', () => {
  const { failure } = read([], { exitCode: 1, stderr: 'Error: settings file not found\n' });
  assert.is(failure?.kind, 'agent-error');
  assert.is(failure?.retryable, false);
  assert.equal(failure?.details, ['Error: settings file not found']);
});

test('tokens are counted live per message, whatever assistant events repeat', () => {
  const reader = getAdapter('claude', config).reader(makeRequest());
  const lines = [
    init,
    streamed('message_start', { message: { id: 'm1', usage: { input_tokens: 100, output_tokens: 1 } } }),
    assistant('m1', [{ type: 'text', text: 'Looking.\nMore.' }]),
    assistant('m1', [{ type: 'tool_use', name: 'Edit', input: { file_path: '/repo/.trees/worker-1a2b3c4d/src/a' } }]),
    streamed('message_delta', { usage: { output_tokens: 40 } }),
    streamed('message_start', { message: { id: 's1', usage: { input_tokens: 7, output_tokens: 1 } } }, 'toolu_1'),
    streamed('message_delta', { usage: { output_tokens: 3 } }, 'toolu_1'),
    streamed('message_start', { message: { id: 'm1', usage: { input_tokens: 100, output_tokens: 1 } } }),
    streamed('message_delta', { usage: { output_tokens: 40 } }),
  ];
  const activity = reader.push(toLines(lines));
  assert.equal(
    activity.map(({ text }) => text).filter((text) => text !== ''),
    ['started', 'Looking.', 'Edit src/a'],
  );
  assert.is(activity.at(-1)?.tokens, 150);
  const parts = reader.finish({ ...ended, exitCode: 137 });
  assert.is(parts.tokens, 150);
  assert.is(parts.text, 'Looking.\nMore.');
});

test('a line cut anywhere is read when its rest comes, garbage is passed over', () => {
  const reader = getAdapter('claude', config).reader(makeRequest());
  const text = `not json\n[1]\nnull\n${toLines([init, success])}`.trimEnd();
  for (const character of text) reader.push(character);
  assert.is(reader.finish(ended).failure, null);
});

test('control characters of an agent never reach the terminal', () => {
  const reader = getAdapter('claude', config).reader(makeRequest());
  const [activity] = reader.push(toLines([assistant('m', [{ type: 'text', text: 'a\u001b[31mb\u0007' }])]));
  assert.is(activity?.text, 'a [31mb');
});

test('PRM-3: a plugin that was not loaded is said', () => {
  const superpowers = { enabled: true, plugin_dir: '/opt/sp', skills: ['test-driven-development', 'nosuch'] };
  const adapter = getAdapter('claude', configSchema.parse({ superpowers }));
  const warningsOf = (event: object): readonly string[] => {
    const reader = adapter.reader(makeRequest());
    reader.push(toLines([event]));
    return reader.finish(ended).warnings;
  };
  assert.match(warningsOf(init)[0] ?? '', '/opt/sp was not loaded');
  const loaded = {
    ...init,
    plugins: [{ name: 'superpowers', path: '/opt/sp' }],
    skills: ['superpowers:test-driven-development'],
  };
  assert.equal(warningsOf(loaded), ['The plugin has no skill superpowers:nosuch: the worker works without it.']);
});

function read(
  events: readonly object[],
  end: Partial<AgentEnd> = {},
  request: Partial<AgentRequest> = {},
): AgentResultParts {
  const reader = getAdapter('claude', config).reader(makeRequest(request));
  reader.push(toLines(events));
  return reader.finish({ ...ended, ...end });
}

function toLines(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

function streamed(type: string, fields: object, parent: string | null = null): object {
  return { type: 'stream_event', parent_tool_use_id: parent, event: { type, ...fields } };
}

function assistant(id: string, content: readonly object[]): object {
  return { type: 'assistant', message: { id, content, usage: { input_tokens: 100, output_tokens: 1 } } };
}

test.run();
