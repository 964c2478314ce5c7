import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../lib/cell/gateway/dialects/dialect.ts';
import { getDialect } from '../../../lib/cell/gateway/dialects/get-dialect.ts';
import { createHintInserter } from '../../../lib/cell/gateway/hint-inserter.ts';
import type { Hint } from '../../../lib/domain/agent-messages.ts';
import type { JsonRecord } from '../../../lib/util/json.ts';

const hintOf = (id: string, text: string): Hint => ({ id, by: 'Lea', at: '2026-01-01T00:00:00Z', text });

function open(hints: readonly Hint[]) {
  const left = [...hints];
  const news: string[] = [];
  const placing = createHintInserter({
    list: () => left,
    report: ({ hint, state, next }) => news.push([state, hint.id, ...next].join(' ')),
  });
  const send = (dialect: Dialect, request: JsonRecord, { isHeard = true, isTurn = true } = {}): string => {
    const conversation = dialect.readConversation(request);
    const placed = placing.insertHints({ dialect, request, conversation, isTurn });
    if (isHeard) placed.onHeard();
    return JSON.stringify(placed.request);
  };
  return { left, news, send, close: () => placing.close() };
}

const use = (id: string, name = 'Read'): JsonRecord => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input: {} }],
});
const result = (id: string): JsonRecord => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }],
});
const begin: JsonRecord = { role: 'user', content: 'Do it.' };
const turns = (...ids: readonly string[]): JsonRecord => ({
  messages: [begin, ...ids.flatMap((id) => [use(id), result(id)])],
});
const anthropic = getDialect('anthropic');
const timesIn = (text: string, part: string): number => text.split(part).length - 1;

test('a hint waits for results, stays behind them, and what came of it is reported once', () => {
  const { send, news } = open([hintOf('a', 'be brief')]);
  assert.is(timesIn(send(anthropic, { messages: [begin] }), 'be brief'), 0);
  const [first, second] = [send(anthropic, turns('1')), send(anthropic, turns('1', '2'))];
  assert.match(first, /"tool_use_id":"1","content":"x"\},\{"type":"text","text":"[^"]*be brief"\}\]\}\]/);
  assert.ok(second.startsWith(first.slice(0, -2)), 'what the model read is not changed');
  assert.is(timesIn(second, 'be brief'), 1);
  send(anthropic, turns('1', '2', '3'));
  assert.equal(news, ['seen a', 'followed a Read']);
});

test('a request that was not answered told nobody: the same one tells it again', () => {
  const { send, news, close } = open([hintOf('a', 'be brief')]);
  const first = send(anthropic, turns('1'), { isHeard: false });
  assert.equal(news, []);
  assert.is(send(anthropic, turns('1')), first);
  assert.equal(news, ['seen a']);
  close();
  assert.equal(news, ['seen a']);
});

test('what no model was told is missed, also what was left after the last request', () => {
  const { send, news, left, close } = open([hintOf('a', 'be brief')]);
  send(anthropic, turns('1'), { isTurn: false });
  left.push(hintOf('b', 'no tabs'));
  close();
  assert.equal(news, ['missed a', 'missed b']);
});

test('two hints at one place, one later, and a sub-agent with a conversation of its own', () => {
  const { send, left } = open([hintOf('a', 'be brief'), hintOf('b', 'no tabs')]);
  assert.match(send(anthropic, turns('1')), /be brief.*no tabs/);
  left.push(hintOf('c', 'use spaces'));
  const both = send(anthropic, turns('1', '2'));
  for (const text of ['be brief', 'no tabs', 'use spaces']) assert.is(timesIn(both, text), 1);
  assert.ok(both.indexOf('use spaces') > both.indexOf('"tool_use_id":"2"'));
  assert.is(timesIn(send(anthropic, turns('s1')), 'be brief'), 1);
  assert.is(send(anthropic, turns('1', '2')), both);
});

test('each API says it behind the results of one turn, none between them', () => {
  const text = 'be brief';
  const said = (name: Parameters<typeof getDialect>[0], request: JsonRecord): JsonRecord =>
    JSON.parse(open([hintOf('a', text)]).send(getDialect(name), request)) as JsonRecord;
  const calls = [1, 2].map((id) => ({
    id: `${id}`,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }));
  const { messages } = said('chat', {
    messages: [
      { role: 'assistant', tool_calls: calls },
      ...['1', '2'].map((tool_call_id) => ({ role: 'tool', tool_call_id, content: 'x' })),
    ],
  });
  assert.equal(
    (messages as readonly JsonRecord[]).map(({ role }) => role),
    ['assistant', 'tool', 'tool', 'user'],
  );
  const { input } = said('responses', {
    input: [
      { type: 'function_call', call_id: '1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: '1', output: 'x' },
    ],
  });
  const last = (input as readonly JsonRecord[]).at(-1);
  assert.equal([last?.type, last?.role], ['message', 'user']);
  const { contents } = said('gemini', {
    contents: [
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] },
    ],
  });
  const parts = (contents as readonly { readonly parts: readonly JsonRecord[] }[])[1]?.parts ?? [];
  assert.is(parts.length, 2);
  assert.match(`${parts[1]?.text}`, /be brief$/);
});

test.run();
