import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAnthropicConversation } from '../../../lib/cell/gateway/dialects/anthropic-conversation.ts';
import type { Conversation } from '../../../lib/cell/gateway/dialects/dialect.ts';
import { createCallLedger } from '../../../lib/cell/watcher/call-ledger.ts';
import type { Decision } from '../../../lib/domain/policy.ts';

const decided = (decision: Decision['decision']): Decision => ({ decision, rule: 'x', details: '' });

interface Result {
  readonly id: string;
  readonly error?: string;
}

/** A request in which these results follow the calls they are of. */
function requestWith(results: readonly Result[], before: readonly unknown[] = []): Conversation {
  return readAnthropicConversation(messagesWith(results, before));
}

function messagesWith(
  results: readonly Result[],
  before: readonly unknown[] = [],
): { readonly messages: readonly unknown[] } {
  const calls = results.map(({ id }) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } }));
  const content = results.map(({ id, error }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: error === undefined ? 'output' : [{ type: 'text', text: error }],
    ...(error === undefined ? {} : { is_error: true }),
  }));
  return { messages: [...before, { role: 'assistant', content: calls }, { role: 'user', content }] };
}

function openLedger(): ReturnType<typeof createCallLedger> {
  const ledger = createCallLedger();
  ledger.note({ tool_use_id: 'allowed' }, decided('allow'));
  ledger.note({ tool_use_id: 'blocked' }, decided('block'));
  return ledger;
}

const found = (result: Result): readonly unknown[] =>
  openLedger()
    .findUnwatched(requestWith([result]))
    .map(({ tool_input }) => tool_input.command);

test('WAT-1: results of allowed calls, of refused ones and of those that never ran are accounted for', () => {
  for (const result of [
    { id: 'allowed' },
    { id: 'allowed', error: 'Exit code 1' },
    { id: 'blocked', error: 'PreToolUse:Bash hook error: [watcher]: not allowed' },
    { id: 'nobody-knows', error: '<tool_use_error>InputValidationError: …</tool_use_error>' },
    { id: 'nobody-knows', error: '[Request interrupted by user for tool use]' },
  ])
    assert.equal(found(result), [], JSON.stringify(result));
});

test('WAT-1: a result nobody was asked about, or of a call that was blocked, is an unwatched call', () => {
  for (const result of [
    { id: 'blocked' },
    { id: 'blocked', error: 'Exit code 1' },
    { id: 'nobody-knows' },
    { id: 'nobody-knows', error: 'Exit code 1\n<tool_use_error>' },
    { id: 'nobody-knows', error: '' },
  ])
    assert.equal(found(result), [result.id], JSON.stringify(result));
});

test('VAL-2: what should only be shown must show its mark, or was never begun', () => {
  const ledger = openLedger();
  ledger.note({ tool_use_id: 'replayed' }, decided('allow'), 'c0ffee');
  const unwatched = (content: string, isError: boolean): number =>
    ledger.findUnwatched(
      readAnthropicConversation({
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'replayed', content, is_error: isError }],
          },
        ],
      }),
    ).length;
  assert.is(unwatched('[recorded c0ffee: …]', false), 0);
  assert.is(unwatched('Exit code 1\n[recorded c0ffee: …]', true), 0);
  assert.is(unwatched('<tool_use_error>Cancelled</tool_use_error>', true), 0);
  assert.is(unwatched('5 tests passed', false), 1);
  assert.is(unwatched('Exit code 1\nfailed', true), 1);
});

test('WAT-1: only what is new in a request counts, several results at once, under the name of their tool', () => {
  const ledger = openLedger();
  const old = messagesWith([{ id: 'older' }]).messages;
  assert.equal(ledger.findUnwatched(requestWith([{ id: 'allowed' }, { id: 'one' }, { id: 'two' }], old)), [
    { tool_name: 'Bash', tool_input: { command: 'one' } },
    { tool_name: 'Bash', tool_input: { command: 'two' } },
  ]);
  const said = [...old, { role: 'assistant', content: 'plain text' }, { role: 'user', content: 'go on' }];
  assert.equal(ledger.findUnwatched(readAnthropicConversation({ messages: said })), []);
});

test('WAT-1: a program of the agent that asks without a name, or again for a blocked call, excuses nothing', () => {
  const ledger = openLedger();
  ledger.note({ tool_name: 'Bash' }, decided('allow'));
  ledger.note({ tool_use_id: 'blocked' }, decided('allow'));
  assert.is(ledger.findUnwatched(requestWith([{ id: 'nobody-knows' }, { id: 'blocked' }])).length, 2);
});

test('WAT-1: a client whose hooks name no call is not held to it, and no request stops the ledger', () => {
  const ledger = createCallLedger();
  assert.is(ledger.findUnwatched(requestWith([{ id: 'a' }])).length, 1, 'no hook ran at all');
  ledger.note({ tool_name: 'Bash' }, decided('allow'));
  assert.equal(ledger.findUnwatched(requestWith([{ id: 'a' }])), []);
  for (const messages of [
    undefined,
    1,
    [null],
    [{ content: [1] }],
    [{ role: 'user', content: [{ type: 'tool_result' }] }],
  ])
    assert.equal(ledger.findUnwatched(readAnthropicConversation({ messages })), [], JSON.stringify(messages));
});

test.run();
