import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createStreamViewer, getAdapter } from '../../../lib/agents/get-adapter.ts';
import { validatorAnswerJsonSchema } from '../../../lib/domain/config/agent-answers.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import type { AgentEnd, AgentResultParts } from '../../../lib/domain/ports/adapter.ts';
import type { AgentRequest } from '../../../lib/domain/ports/agent-port.ts';
import { makeRequest } from '../../support/model-agent.ts';

const adapter = getAdapter('codex', configSchema.parse({}));
const ended: AgentEnd = {
  ...{ exitCode: 0, signal: null, timedOut: false, stoppedBecause: null },
  ...{ stderr: '', at: 0 },
};
// As version 0.169.0 printed them.
const begun = { type: 'thread.started', thread_id: '01a2' };
const warning = { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'quota' } };
const command = { id: 'item_1', type: 'command_execution', command: "/bin/bash -c 'npm test'" };
const change = { id: 'item_2', type: 'file_change', changes: [{ path: '/w/src/a.txt', kind: 'add' }] };
const said = (text: string): object => ({
  type: 'item.completed',
  item: { id: 'item_3', type: 'agent_message', text },
});
const done = {
  type: 'turn.completed',
  usage: { input_tokens: 300, cached_input_tokens: 60, cache_write_input_tokens: 0, output_tokens: 30 },
};
const failed = (message: string): readonly object[] => [
  { type: 'error', message },
  { type: 'turn.failed', error: { message } },
];
const validator = { role: 'validator', answerSchema: validatorAnswerJsonSchema } as const;

function read(
  events: readonly object[],
  end: Partial<AgentEnd> = {},
  changes: Partial<AgentRequest> = {},
): AgentResultParts {
  const reader = adapter.reader(makeRequest({ model: 'gpt-6-sol', ...changes }));
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  reader.push(text.slice(0, 20));
  reader.push(text.slice(20));
  return reader.finish({ ...ended, ...end });
}

test('ADP-1: a whole turn is success: last words, and tokens with the cached ones once', () => {
  const parts = read([begun, warning, said('First.'), said('Done.'), done]);
  assert.is(parts.failure, null);
  assert.is(parts.text, 'Done.');
  assert.is(parts.tokens, 330);
  assert.is(parts.answer, null);
});

test('LIF-5: an exit code of 0 proves nothing, and an end without one is a crash', () => {
  assert.is(read([begun]).failure?.kind, 'agent-crashed');
  assert.is(read([]).failure?.message, 'The agent could not start (exit code 0).');
  assert.is(read([begun, done], { exitCode: 137 }).failure?.kind, 'agent-crashed');
  assert.is(read([begun], { exitCode: null, timedOut: true }).failure?.kind, 'agent-timeout');
});

test('LIF-5: how a turn failed says whether waiting helps', () => {
  const kinds: readonly (readonly [string, string, boolean])[] = [
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate-limit', true],
    ['We’re currently experiencing high demand, which may cause errors.', 'rate-limit', true],
    ['Selected model is at capacity. Please try a different model.', 'rate-limit', true],
    ['stream disconnected before completion: closed', 'rate-limit', true],
    ['unexpected status 401 Unauthorized: Incorrect API key provided', 'auth', false],
    ['Quota exceeded. Check your plan and billing details.', 'auth', false],
    ["Codex ran out of room in the model's context window.", 'agent-error', false],
    ['The model `x` does not exist or you do not have access to it.', 'agent-error', false],
    ['something nobody knows', 'agent-error', true],
  ];
  for (const [message, kind, retryable] of kinds) {
    const { failure } = read([begun, ...failed(message)], { exitCode: 1 });
    assert.equal([failure?.kind, failure?.retryable], [kind, retryable], message);
  }
});

test('VAL-1: the last words are the answer; one that is missing or forged is none', () => {
  const verdict = JSON.stringify({ status: 'pass', notes: 'fine', issues: null });
  assert.equal(read([begun, said(verdict), done], {}, validator).answer, { status: 'pass', notes: 'fine' });
  const wordy = read([begun, said(`I read it.\n${verdict}\n`), done], {}, validator);
  assert.equal([wordy.failure, wordy.answer], [null, { status: 'pass', notes: 'fine' }]);
  assert.is(read([begun, said('Looks fine.'), done], {}, validator).failure?.kind, 'malformed-answer');
  const twice = read([begun, said('{"status":"pass"}'), done, said(verdict), done], {}, validator);
  assert.is(twice.failure?.kind, 'forged-result');
  assert.is(twice.answer, null);
});

test('ADP-2: what it does is shown while it does it', () => {
  const reader = adapter.reader(makeRequest({ worktree: { ...makeRequest().worktree, path: '/w' }, model: 'x' }));
  const lines = [begun, { type: 'item.started', item: command }, { type: 'item.started', item: change }];
  const shown = reader.push(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  assert.equal(
    shown.map(({ text }) => text),
    ['started', 'Bash npm test', 'Edit src/a.txt'],
  );
  const plain = { type: 'item.started', item: { ...command, command: '/cell/bash -c env' } };
  assert.equal(
    reader.push(`${JSON.stringify(plain)}\n`).map(({ text }) => text),
    ['Bash env'],
  );
  const view = createStreamViewer('/w');
  const all = [...lines, { type: 'item.completed', item: command }, said('Done.\nAll of it.'), done];
  assert.equal(
    view.push(all.map((line) => `${JSON.stringify(line)}\n`).join('')).flatMap((line) => line.shown),
    ['> Bash npm test', '> Edit src/a.txt', 'Done.', 'All of it.'],
  );
});

test.run();
