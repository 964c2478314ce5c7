import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelApiEndpoint, ScriptedMessage } from '../../../../lib/cell/gateway/dialects/dialect.ts';
import { getDialect } from '../../../../lib/cell/gateway/dialects/get-dialect.ts';
import { createUsageMeter } from '../../../../lib/cell/gateway/usage-meter.ts';
import type { DialectName } from '../../../../lib/domain/config/known-clis.ts';
import type { JsonRecord } from '../../../../lib/util/json.ts';

const endpoint: ModelApiEndpoint = { isPaid: true, model: 'the-model', isStreamed: null };

test('WAT-1: calls and results are found in each language, with the input and whether they are new', () => {
  const input = { command: 'ls' };
  const old = { id: '1', name: 'run', input, text: 'a', isError: false };
  const fresh = { ...old, id: '2', text: 'b' };
  const args = JSON.stringify(input);
  const conversations: readonly [DialectName, JsonRecord][] = [
    [
      'chat',
      {
        messages: [
          { role: 'user', content: 'go' },
          { role: 'assistant', tool_calls: [{ id: '1', function: { name: 'run', arguments: args } }] },
          { role: 'tool', tool_call_id: '1', content: 'a' },
          { role: 'assistant', tool_calls: [{ id: '2', function: { name: 'run', arguments: args } }] },
          { role: 'tool', tool_call_id: '2', content: [{ type: 'text', text: 'b' }] },
        ],
      },
    ],
    [
      'gemini',
      {
        contents: [
          { role: 'model', parts: [{ functionCall: { id: '1', name: 'run', args: input } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { id: '1', name: 'run', response: { output: 'a' } } }],
          },
          { role: 'model', parts: [{ functionCall: { id: '2', name: 'run', args: input } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { id: '2', name: 'run', response: { output: 'b' } } }],
          },
        ],
      },
    ],
    [
      'responses',
      {
        input: [
          { type: 'function_call', call_id: '1', name: 'run', arguments: args },
          { type: 'function_call_output', call_id: '1', output: 'a' },
          { role: 'user', content: 'go on' },
          { type: 'function_call', call_id: '2', name: 'run', arguments: args },
          { type: 'function_call_output', call_id: '2', output: 'b' },
        ],
      },
    ],
  ];
  for (const [name, request] of conversations) {
    const { results } = getDialect(name).readConversation(request);
    assert.equal(results, [
      { ...old, isNew: false },
      { ...fresh, isNew: true },
    ]);
  }
});

test('WAT-1: results of calls that were made at once are all new, whatever stands between them', () => {
  const { results } = getDialect('responses').readConversation({
    input: [
      { type: 'function_call', call_id: '1', name: 'run', arguments: '{}' },
      { type: 'function_call_output', call_id: '1', output: 'a' },
      { type: 'custom_tool_call', call_id: '2', name: 'apply_patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: '2', output: 'b' },
      { type: 'function_call_output', call_id: '3', output: 'c' },
    ],
  });
  assert.equal(
    results.map(({ name, input, isNew }) => [name, input, isNew]),
    [
      ['run', {}, true],
      ['apply_patch', '*** Begin', true],
      [null, null, true],
    ],
  );
});

test('WAT-1: gemini calls without ids are answered in order, each by its name', () => {
  const call = (name: string, path: string): JsonRecord => ({ functionCall: { name, args: { path } } });
  const result = (name: string, response: JsonRecord): JsonRecord => ({
    functionResponse: { name, response },
  });
  const { results } = getDialect('gemini').readConversation({
    contents: [
      { role: 'model', parts: [call('read', 'a'), call('write', 'b'), call('read', 'c')] },
      {
        role: 'user',
        parts: [result('read', { output: '1' }), result('write', { error: 'no' }), result('read', { output: '3' })],
      },
    ],
  });
  assert.equal(
    results.map(({ id, input, text, isError }) => [id, input, text, isError]),
    [
      [null, { path: 'a' }, '1', false],
      [null, { path: 'b' }, 'no', true],
      [null, { path: 'c' }, '3', false],
    ],
  );
});

async function countAnswer(name: DialectName, body: string, contentType: string): Promise<[number, number]> {
  let cached = 0;
  const meter = createUsageMeter({
    dialect: getDialect(name),
    ...{ contentType, encoding: '', model: 'x', prices: {} },
    onUsage: (total) => {
      cached = total.cached;
    },
  });
  for (const byte of Buffer.from(body)) meter.push(Buffer.from([byte]));
  return [await meter.finish(null), cached];
}

test('BUD-1: cached and hidden tokens of each API are counted once, streamed and whole', async () => {
  const answers: readonly [DialectName, JsonRecord, (whole: JsonRecord) => JsonRecord][] = [
    [
      'responses',
      {
        usage: {
          ...{ input_tokens: 1_000, input_tokens_details: { cached_tokens: 600 }, output_tokens: 300 },
          ...{ output_tokens_details: { reasoning_tokens: 200 }, total_tokens: 1_300 },
        },
      },
      (response) => ({ type: 'response.completed', response }),
    ],
    [
      'chat',
      {
        choices: [],
        usage: {
          ...{ prompt_tokens: 1_000, completion_tokens: 300, total_tokens: 1_300 },
          prompt_tokens_details: { cached_tokens: 600 },
        },
      },
      (chunk) => chunk,
    ],
    [
      'chat',
      {
        choices: [{ usage: { prompt_tokens: 1_000, completion_tokens: 300, cached_tokens: 600 } }],
        usage: null,
      },
      (chunk) => chunk,
    ],
    [
      'gemini',
      {
        usageMetadata: {
          ...{ promptTokenCount: 900, toolUsePromptTokenCount: 100, cachedContentTokenCount: 600 },
          ...{ candidatesTokenCount: 100, thoughtsTokenCount: 200, totalTokenCount: 1_300 },
        },
      },
      (chunk) => chunk,
    ],
  ];
  for (const [name, whole, asEvent] of answers) {
    assert.equal(await countAnswer(name, JSON.stringify(whole), 'application/json'), [1_300, 600], name);
    const event = `data: ${JSON.stringify(asEvent(whole))}\n\n`;
    assert.equal(await countAnswer(name, `${event}data: [DONE]\n\n`, 'text/event-stream'), [1_300, 600], name);
    assert.equal(await countAnswer(name, JSON.stringify([whole]), 'application/json'), [1_300, 600], name);
  }
});

test('BUD-1: a request is sent with what it may write, in the field of its API, and asks for its count', () => {
  const sent = (name: DialectName, request: JsonRecord, output: number): JsonRecord => {
    const dialect = getDialect(name);
    return dialect.prepare(request, Math.min(output, dialect.size(request).output));
  };
  assert.is(sent('responses', {}, 5_000).max_output_tokens, 5_000);
  assert.is(sent('responses', { max_output_tokens: 100 }, 5_000).max_output_tokens, 100);
  assert.is(sent('responses', {}, 1e9).max_output_tokens, 32_768);
  assert.equal(sent('chat', { stream: true, max_tokens: 9_000 }, 5_000), {
    ...{ stream: true, max_tokens: 5_000, stream_options: { include_usage: true } },
  });
  // The lesser of two that are stated; one of them is enough.
  assert.equal(sent('chat', { max_completion_tokens: 50, max_tokens: 60 }, 5_000), { max_tokens: 50 });
  assert.equal(
    sent(
      'gemini',
      { generation_config: { max_output_tokens: 9_000, thinking_config: { thinking_budget: 8_000 } } },
      5_000,
    ),
    { generationConfig: { maxOutputTokens: 5_000, thinkingConfig: { thinkingBudget: 2_500 } } },
  );
});

test('UNI-7: what a scripted model says is heard again as it was said, in each language, streamed or not', async () => {
  const said: ScriptedMessage = {
    text: '',
    calls: [{ id: 'call_1', name: 'run', input: { command: 'ls' } }],
    usage: { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 5 },
  };
  for (const name of ['anthropic', 'responses', 'chat', 'gemini'] as const)
    for (const stream of [true, false]) {
      const asked = { endpoint: { ...endpoint, isStreamed: stream } };
      const { body, contentType } = getDialect(name).answer(said, { model: 'x', stream }, asked);
      assert.match(body, /"run"/);
      assert.match(body, /\bls\b/);
      assert.is(contentType.includes('event-stream'), stream, name);
      assert.equal(await countAnswer(name, body, contentType), [15, 3], `${name} ${contentType}`);
    }
});

test('refusals have the form of each API', () => {
  const of = (name: DialectName): JsonRecord => getDialect(name).refuse(403, 'no');
  assert.equal(of('anthropic'), { type: 'error', error: { type: 'permission_error', message: 'no' } });
  assert.equal(of('responses').error, { message: 'no', type: 'permission_error', param: null, code: null });
  assert.equal(of('chat'), of('responses'));
  assert.equal(of('gemini'), { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } });
});

test('BUD-1: pictures and hidden thoughts count as such, not as the text they are sent in', () => {
  const long = 'A'.repeat(400_000);
  const { text, extra } = getDialect('responses').readPrompt({
    input: [
      { type: 'message', content: [{ type: 'input_image', image_url: `data:image/png;base64,${long}` }] },
      { type: 'reasoning', encrypted_content: 'B'.repeat(4_000) },
    ],
  });
  assert.ok(text.length < 1_000);
  assert.is(extra, 6_000);
});

test.run();
