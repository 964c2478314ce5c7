import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claudeCallFacts } from '../../../lib/agents/claude-calls.ts';
import { readAnthropicConversation } from '../../../lib/cell/gateway/dialects/anthropic-conversation.ts';
import type { ReportedConversation } from '../../../lib/cell/gateway/dialects/dialect.ts';
import { createCallLedger } from '../../../lib/cell/watcher/call-ledger.ts';
import type { CallDecision } from '../../../lib/domain/agent-policy.ts';
import type { ConversationCall } from '../../../lib/domain/ports/call-facts.ts';

const decided = (decision: CallDecision['decision']): CallDecision => ({ decision, rule: 'x', details: '' });

interface Result {
  readonly id: string;
  readonly error?: string;
}

/** A request in which these results follow the calls they are of. */
function requestWith(results: readonly Result[], before: readonly unknown[] = []): ReportedConversation {
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

/** A call as the hook reports it. */
function asked(id: string | null, command = id ?? ''): ConversationCall {
  return { id, name: 'Bash', input: { command } };
}

function openLedger(): ReturnType<typeof createCallLedger> {
  const ledger = createCallLedger(claudeCallFacts);
  ledger.note(asked('allowed'), decided('allow'));
  ledger.note(asked('blocked'), decided('block'));
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
  ledger.note(asked('replayed'), decided('allow'), 'c0ffee');
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
  ledger.note(asked(null, 'nobody-knows'), decided('allow'));
  ledger.note(asked('blocked'), decided('allow'));
  assert.is(ledger.findUnwatched(requestWith([{ id: 'nobody-knows' }, { id: 'blocked' }])).length, 2);
});

/** Hooks, or an API, that have no ids: calls are known by what they are. */
const nameless = { ...claudeCallFacts, namesCalls: false };

interface Told {
  readonly command: string;
  readonly error?: string;
  readonly isOld?: boolean;
}

function tell(...results: readonly Told[]): Pick<ReportedConversation, 'results'> {
  return {
    results: results.map(({ command, error, isOld }) => ({
      ...{ id: null, name: 'Bash', input: { command } },
      ...{ text: error ?? 'output', isError: error !== undefined, isNew: isOld !== true },
    })),
  };
}

const denied = 'PreToolUse:Bash hook error: [watcher]: not allowed';

test('WAT-1: where calls have no names, those of one kind are counted over the whole conversation', () => {
  const ledger = createCallLedger(nameless);
  const count = (...results: readonly Told[]): number => ledger.findUnwatched(tell(...results)).length;
  assert.is(count({ command: 'ls' }), 1, 'nobody was asked');
  ledger.note(asked(null, 'ls'), decided('allow'));
  assert.is(count({ command: 'ls' }), 0);
  assert.is(count({ command: 'ls' }), 0, 'the same request again, after a failed one');
  assert.is(count({ command: 'ls', isOld: true }, { command: 'ls' }), 1, 'once more than it was allowed');
  ledger.note(asked(null, 'ls'), decided('allow'));
  assert.is(count({ command: 'ls', isOld: true }, { command: 'ls' }), 0);
  assert.is(count({ command: 'ls' }), 0, 'the conversation was shortened');
  assert.is(count({ command: 'ls -a' }), 1, 'another input is another kind');
});

test('WAT-1: where calls have no names, a blocked one excuses none that ran, and none is blocked twice', () => {
  const ledger = createCallLedger(nameless);
  const count = (...results: readonly Told[]): number => ledger.findUnwatched(tell(...results)).length;
  ledger.note(asked(null, 'rm'), decided('block'));
  assert.is(count({ command: 'rm', error: denied }), 0);
  assert.is(count({ command: 'rm' }), 1);
  assert.is(count({ command: 'rm', isOld: true, error: denied }, { command: 'rm', error: denied }), 1);
  assert.is(count({ command: 'rm', error: '<tool_use_error>no such tool</tool_use_error>' }), 0);
  ledger.note(asked(null, 'rm'), decided('allow'));
  assert.is(count({ command: 'rm', isOld: true, error: denied }, { command: 'rm' }), 0);
});

test('WAT-2: a command that prints what a refusal looks like is no refused one: it can not print its mark', () => {
  const mark = 'c0ffee';
  for (const namesCalls of [true, false]) {
    const ledger = createCallLedger({ ...claudeCallFacts, namesCalls });
    ledger.note(asked('rm'), decided('block'), mark);
    const count = (error: string): number =>
      ledger.findUnwatched({
        results: tell({ command: 'rm', error }).results.map((result) => ({ ...result, id: 'rm' })),
      }).length;
    assert.is(count(denied), 1, `named: ${namesCalls}`);
    assert.is(count(`${denied} (${mark}) [rule]`), 0, `named: ${namesCalls}`);
  }
});

test('WAT-2: where ids are counted up, what was asked beforehand under the next one excuses no other call', () => {
  const ledger = createCallLedger({ ...claudeCallFacts, repeatsCalls: true });
  const count = (id: string, command: string): number =>
    ledger.findUnwatched({
      results: tell({ command }).results.map((result) => ({ ...result, id })),
    }).length;
  ledger.note(asked('Bash:7', 'ls'), decided('allow'));
  assert.is(count('Bash:7', 'rm'), 1);
  assert.is(count('Bash:7', 'ls'), 0);
  ledger.note(asked('Bash:7', 'rm'), decided('block'));
  assert.is(count('Bash:7', 'rm'), 1);
  const shortened = { ...tell({ command: 'ls' }).results[0]!, id: 'Bash:7', name: null, input: null };
  assert.is(ledger.findUnwatched({ results: [shortened] }).length, 0, 'its call is no longer told of');
});

test('WAT-1: the order of the names in an input makes no other kind of it, an id from elsewhere neither', () => {
  const ledger = createCallLedger(nameless);
  ledger.note({ id: 'local', name: 'Edit', input: { a: 1, b: [{ c: 2, d: 3 }] } }, decided('allow'));
  const result = {
    name: 'Edit',
    input: { b: [{ d: 3, c: 2 }], a: 1 },
    text: '',
    isError: false,
    isNew: true,
  };
  assert.equal(ledger.findUnwatched({ results: [{ ...result, id: 'of the API' }] }), []);
});

test('WAT-4: a call that was asked for more than its hook told of is an unwatched one', () => {
  const hidesPartOfCall = ({ input }: { readonly input: unknown }): boolean => JSON.stringify(input).includes('zsh');
  for (const namesCalls of [true, false]) {
    const ledger = createCallLedger({ ...claudeCallFacts, namesCalls, hidesPartOfCall });
    ledger.note({ id: 'a', name: 'Bash', input: { command: 'x', shell: 'zsh' } }, decided('allow'));
    const result = { id: 'a', name: 'Bash', input: { command: 'x', shell: 'zsh' } };
    const told = { ...result, text: 'output', isError: false, isNew: true };
    assert.is(ledger.findUnwatched({ results: [told] }).length, 1, String(namesCalls));
  }
});

test('WAT-1: no request stops the ledger', () => {
  const ledger = createCallLedger(claudeCallFacts);
  for (const messages of [undefined, 1, [null], [{ content: [1] }]])
    assert.equal(ledger.findUnwatched(readAnthropicConversation({ messages })), [], JSON.stringify(messages));
});

test('UNI-8: a call of a tool that was not offered is found, unless the hook was asked about it', () => {
  const ledger = openLedger();
  const told = requestWith([
    { id: 'allowed' },
    { id: 'made-up', error: '<tool_use_error>Error: No such tool available: Bash</tool_use_error>' },
  ]);
  const commands = (offered: ReadonlySet<string> | undefined): readonly unknown[] =>
    ledger
      .findNotOffered({ results: told.results, ...(offered === undefined ? {} : { offered }) })
      .map(({ tool_input }) => tool_input.command);
  assert.equal(commands(new Set(['Read'])), ['made-up']);
  assert.equal(commands(new Set(['Bash'])), []);
  assert.equal(commands(undefined), []);
});

test.run();
