import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect, ModelApiEndpoint } from '../../../../lib/cell/gateway/dialects/dialect.ts';
import { getDialect } from '../../../../lib/cell/gateway/dialects/get-dialect.ts';
import type { DialectName } from '../../../../lib/domain/config/known-clis.ts';
import type { JsonRecord } from '../../../../lib/util/json.ts';

const paid: ModelApiEndpoint = { isPaid: true, model: null, isStreamed: null };

function judge(name: DialectName, request: JsonRecord, allowedTools: readonly string[] = []): string | null {
  return getDialect(name).judge(request, { endpoint: paid, allowedTools })?.why ?? null;
}

const said = (content: unknown): JsonRecord => ({ input: [{ role: 'user', content }] });
const told = (content: unknown): JsonRecord => ({ messages: [{ role: 'user', content }] });
const parts = (...all: unknown[]): JsonRecord => ({ contents: [{ role: 'user', parts: all }] });

// What the CLIs send, without their long texts.
const usual: Readonly<Record<Exclude<DialectName, 'anthropic'>, readonly JsonRecord[]>> = {
  responses: [
    {
      model: 'gpt-5.6',
      stream: true,
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'x' }] },
        {
          type: 'reasoning',
          id: 'r',
          summary: [{ type: 'summary_text', text: 'x' }],
          encrypted_content: 'x',
        },
        { type: 'function_call', call_id: '1', name: 'exec_command', arguments: '{"model":"x"}' },
        { type: 'function_call_output', call_id: '1', output: 'done' },
        { type: 'custom_tool_call', call_id: '2', name: 'apply_patch', input: '*** Begin Patch' },
        { type: 'custom_tool_call_output', call_id: '2', output: [{ type: 'input_text', text: 'x' }] },
      ],
      tools: [
        { type: 'function', name: 'spawn_agent', parameters: { properties: { model: {} } } },
        { type: 'custom', name: 'apply_patch', format: { type: 'grammar' } },
        { type: 'namespace', name: 'x', tools: [{ type: 'function', name: 'y' }] },
      ],
      ...{ tool_choice: 'auto', parallel_tool_calls: true, store: false, reasoning: { summary: 'auto' } },
      include: ['reasoning.encrypted_content'],
      ...{ prompt_cache_key: 'x', client_metadata: { model: 'x' }, text: { verbosity: 'low' } },
    },
    { input: 'a word', background: false, previous_response_id: null },
    said([{ type: 'input_image', image_url: 'data:image/png;base64,AA' }]),
    said([{ type: 'input_file', file_data: 'data:text/plain;base64,AA', filename: 'a' }]),
  ],
  chat: [
    {
      model: 'kimi-k2.6',
      messages: [
        { role: 'system', content: 'x' },
        { role: 'assistant', tool_calls: [{ id: '1', function: { name: 'Bash', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: '1', content: 'done' },
      ],
      tools: [{ type: 'function', function: { name: 'Bash', parameters: { properties: { model: {} } } } }],
      ...{ stream: true, stream_options: { include_usage: true }, prompt_cache_key: 'x' },
      ...{ thinking: { type: 'disabled' }, max_completion_tokens: 262_144 },
    },
    told([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }]),
  ],
  gemini: [
    {
      contents: [
        { role: 'user', parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'AA' } }] },
        {
          role: 'model',
          parts: [{ functionCall: { name: 'glob', args: { model: 'x' } }, thoughtSignature: 'x' }],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'glob', response: { output: 'x' } } }] },
      ],
      systemInstruction: { role: 'user', parts: [{ text: 'x' }] },
      tools: [{ functionDeclarations: [{ name: 'glob', parametersJsonSchema: { properties: { model: {} } } }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      generationConfig: { temperature: 1, topP: 0.95, topK: 64, thinkingConfig: { includeThoughts: true } },
    },
    { contents: [], generation_config: { max_output_tokens: 8 }, cachedContent: '' },
  ],
};

test('ADP-2: what the CLIs send may pass', () => {
  for (const [name, requests] of Object.entries(usual))
    for (const request of requests)
      assert.is(getDialect(name as DialectName).judge(request, { endpoint: paid, allowedTools: [] }), null, name);
});

const url = 'https://evil.example/?stolen';
const reaching: Readonly<Record<keyof typeof usual, readonly JsonRecord[]>> = {
  responses: [
    ...['web_search', 'web_search_preview', 'file_search', 'code_interpreter', 'mcp', 'image_generation'].map(
      (type) => ({ tools: [{ type: 'function', name: 'x' }, { type }] }),
    ),
    { tools: [{ type: 'namespace', tools: [{ type: 'mcp', server_url: url }] }] },
    { tools: { type: 'something-new' } },
    { input: [{ type: 'additional_tools', tools: [{ type: 'web_search' }] }] },
    { input: [{ type: 'item_reference', id: 'x' }] },
    ...['mcp_call', 'web_search_call', 'code_interpreter_call', 'file_search_call'].map((type) => ({
      input: [{ type }],
    })),
    { input: [{ type: 'compaction_trigger' }] },
    { input: ['text'] },
    said([{ type: 'input_image', image_url: url }]),
    said([{ type: 'input_image', file_id: 'x' }]),
    said([{ type: 'input_file', file_url: url }]),
    {
      input: [{ type: 'function_call_output', call_id: '1', output: [{ type: 'input_image', image_url: url }] }],
    },
  ],
  chat: [
    { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
    { tools: [{ type: 'function', function: { name: '$web_search' } }] },
    { tools: [{ type: 'web_search' }] },
    { web_search_options: {} },
    { messages: [{ role: 'cache', content: 'cache_id=x' }] },
    {
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: '1', type: 'builtin_function', function: { name: '$web_search', arguments: '{}' } }],
        },
      ],
    },
    told([{ type: 'image_url', image_url: { url } }]),
    told([{ type: 'image_url', image_url: url }]),
    told([{ type: 'video_url', video_url: { url: 'ms://file' } }]),
    told([{ type: 'file', file: { file_id: 'x' } }]),
    told([{ type: 'file_reference' }]),
  ],
  gemini: [
    ...['googleSearch', 'google_search', 'googleSearchRetrieval', 'urlContext', 'codeExecution'].map((tool) => ({
      tools: [{ functionDeclarations: [], [tool]: {} }],
    })),
    { tools: [{ fileSearch: {} }, { googleMaps: {} }] },
    { toolConfig: { includeServerSideToolInvocations: true } },
    parts({ executableCode: { language: 'PYTHON', code: 'x' } }),
    parts({ codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'x' } }),
    parts({ fileData: { fileUri: url } }),
    parts({ file_data: { file_uri: url } }),
    parts({ functionResponse: { name: 'x', response: {}, parts: [{ fileData: { fileUri: url } }] } }),
    { systemInstruction: { parts: [{ fileData: { fileUri: url } }] } },
  ],
};

test('SBX-1: what the model APIs would do or fetch themselves is refused', () => {
  for (const [name, requests] of Object.entries(reaching))
    for (const request of requests)
      assert.is(judge(name as DialectName, request), 'server-tool', `${name} ${JSON.stringify(request)}`);
});

test('SBX-1: what the Anthropic API says that it did itself is refused, but for what the policy allows', () => {
  const told = (...content: readonly JsonRecord[]): JsonRecord => ({
    messages: [{ role: 'assistant', content }],
  });
  const search = told(
    { type: 'server_tool_use', id: '1', name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: '1', content: [] },
  );
  for (const request of [
    search,
    told({ type: 'server_tool_use', id: '1', name: 'code_execution', input: {} }),
    told({ type: 'bash_code_execution_tool_result', tool_use_id: '1', content: {} }),
    told({ type: 'mcp_tool_use', id: '1', name: 'x', server_name: 'y', input: {} }),
  ])
    assert.is(judge('anthropic', request), 'server-tool', JSON.stringify(request));
  assert.is(judge('anthropic', search, ['WebSearch']), null);
  assert.is(judge('anthropic', told({ type: 'tool_use', id: '1', name: 'Bash', input: {} })), null);
});

const unknown: Readonly<Record<keyof typeof usual, readonly JsonRecord[]>> = {
  responses: [
    { previous_response_id: 'resp_1' },
    { conversation: 'conv_1' },
    { prompt: { id: 'pmpt_1' } },
    { background: true },
    { service_tier: 'priority' },
    { max_output_tokens: -1 },
    { something_new: 1 },
    { include: ['web_search_call.action.sources'] },
    { tools: [{ type: 'custom', name: 'x', fallback_model: 'other' }] },
  ],
  chat: [
    { n: 2 },
    { functions: [] },
    { prediction: {} },
    { service_tier: 'flex' },
    { max_tokens: '8' },
    { models: ['a', 'b'] },
    told([{ type: 'text', text: 'x', model: 'other' }]),
  ],
  gemini: [
    { cachedContent: 'cachedContents/x' },
    { cached_content: 'cachedContents/x' },
    { generationConfig: { candidateCount: 2 } },
    { generationConfig: { candidate_count: 2 } },
    { generationConfig: { maxOutputTokens: 0 } },
    { generationConfig: { responseModalities: ['IMAGE'] } },
    { generationConfig: {}, generation_config: {} },
    { generationConfig: { maxOutputTokens: 8, max_output_tokens: 9 } },
    { model: 'models/other' },
  ],
};

test('BUD-1: what is not known or not counted is refused', () => {
  for (const [name, requests] of Object.entries(unknown))
    for (const request of requests)
      assert.is(judge(name as DialectName, request), 'field', `${name} ${JSON.stringify(request)}`);
});

test('what the policy allows to the agent the API may do', () => {
  assert.is(judge('responses', { tools: [{ type: 'web_search' }] }, ['WebSearch']), null);
  assert.is(judge('responses', { tools: [{ type: 'mcp' }] }, ['WebSearch']), 'server-tool');
  assert.is(judge('chat', { web_search_options: {} }, ['WebSearch']), null);
  assert.is(judge('gemini', { tools: [{ googleSearch: {} }] }, ['WebSearch']), null);
  assert.is(judge('gemini', { tools: [{ urlContext: {} }] }, ['WebSearch']), 'server-tool');
  assert.is(judge('gemini', { tools: [{ urlContext: {} }] }, ['WebFetch']), null);
});

test('gemini: a request to count is judged like one to answer', () => {
  const endpoint = { ...paid, isPaid: false };
  const of = (request: JsonRecord): string | null =>
    (getDialect('gemini') satisfies Dialect).judge(request, { endpoint, allowedTools: [] })?.why ?? null;
  assert.is(of({ generateContentRequest: { model: 'models/x', contents: [] } }), null);
  assert.is(of({ generateContentRequest: { tools: [{ urlContext: {} }] } }), 'server-tool');
});

test('SBX-1: only addresses that answer are passed on', () => {
  const isKnown = (name: DialectName, address: string): boolean => {
    const [method = '', path = ''] = address.split(' ');
    return getDialect(name).find(method, path) !== null;
  };
  for (const [name, address] of [
    ['responses', 'POST /v1/responses'],
    ['responses', 'GET /v1/models'],
    ['chat', 'POST /v1/chat/completions'],
    ['gemini', 'POST /v1beta/models/gemini-2.5-pro:generateContent'],
    ['gemini', 'POST /v1beta/models/gemini-2.5-pro:countTokens'],
  ] as const)
    assert.ok(isKnown(name, address), address);
  for (const [name, address] of [
    ['responses', 'POST /v1/responses/compact'],
    ['responses', 'GET /v1/responses/resp_1'],
    ['responses', 'POST /v1/chat/completions'],
    ['responses', 'POST /v1/batches'],
    ['chat', 'POST /v1/completions'],
    ['chat', 'POST /v1/files'],
    ['gemini', 'POST /v1beta/models/gemini-2.5-pro:batchGenerateContent'],
    ['gemini', 'POST /v1beta/models/../cachedContents:generateContent'],
    ['gemini', 'POST /v1beta/tunedModels/x:generateContent'],
    ['gemini', 'POST /upload/v1beta/files'],
  ] as const)
    assert.not.ok(isKnown(name, address), address);
});

test.run();
