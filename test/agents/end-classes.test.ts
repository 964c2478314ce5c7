import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import type { AgentEnd } from '../../lib/domain/ports/adapter.ts';
import { makeRequest } from '../support/model-agent.ts';

// How each CLI ends where its model API refuses, as the real ones printed it (codex 0.169.0, opencode 1.18.33, gemini 0.61.0, kimi 2.1.0, copilot 1.0.102)
// when OpenAI's, Google's and Moonshot's own errors were answered to them. `service-limit` and `rejected`: the gateway ended
// them first, since they would have gone on asking.

type Ended = Partial<Pick<AgentEnd, 'exitCode' | 'stderr' | 'stoppedBecause'>>;
type Row = readonly [what: string, lines: readonly object[], end: Ended, kind: string, retryable: boolean];

const codexEnd = (message: string): readonly object[] => [
  { type: 'thread.started', thread_id: '01a20460-270e-7600-9c9d-20f3be27da01' },
  { type: 'turn.started' },
  { type: 'error', message },
  { type: 'turn.failed', error: { message } },
];
const codex: readonly Row[] = [
  ['rate', codexEnd('exceeded retry limit, last status: 429 Too Many Requests'), {}, 'rate-limit', true],
  [
    'overload',
    [
      ...codexEnd('').slice(0, 2),
      {
        type: 'error',
        message:
          'Reconnecting... 1/2 (unexpected status 503 Service Unavailable: The server is currently overloaded with other requests. Sorry about that!, url: http://127.0.0.1:47113/openai/v1/responses)',
      },
    ],
    { exitCode: 143, stoppedBecause: 'service-limit' },
    'rate-limit',
    true,
  ],
  ['quota', codexEnd('Quota exceeded. Check your plan and billing details.'), {}, 'auth', false],
  [
    'context',
    codexEnd(
      "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    ),
    {},
    'agent-error',
    false,
  ],
  [
    'auth',
    codexEnd(
      'unexpected status 401 Unauthorized: Incorrect API key provided: sk-x. You can find your API key at https://platform.openai.com/account/api-keys., url: http://127.0.0.1:47113/openai/v1/responses',
    ),
    {},
    'auth',
    false,
  ],
  [
    'refusal',
    codexEnd(
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
    ),
    {},
    'agent-error',
    false,
  ],
  ['crash', codexEnd('').slice(0, 2), { exitCode: 139 }, 'agent-crashed', true],
];

const sessionID = 'ses_dfb9cfcf9ffe4JCOnSKKJATHQQ';
const opencodeError = (name: string, data: object): object => ({
  ...{ type: 'error', timestamp: 1_795_369_934_433, sessionID },
  error: { name, data },
});
const opencodeLog = (error: string): string =>
  `timestamp=2026-11-22T17:49:53.122Z level=ERROR run=1bd27db3 message="stream error" providerID=openai modelID=gpt-5.5 session.id=${sessionID} small=false agent=flame mode=primary error.error="AI_APICallError: ${error}"\n`;
const limited = { exitCode: 143, stoppedBecause: 'service-limit' } as const;
const opencode: readonly Row[] = [
  [
    'rate',
    [],
    { ...limited, stderr: opencodeLog('Rate limit reached for gpt-5.5. Please try again in 2s.') },
    'rate-limit',
    true,
  ],
  [
    'overload',
    [],
    { ...limited, stderr: opencodeLog('The server is currently overloaded with other requests.') },
    'rate-limit',
    true,
  ],
  [
    'context',
    [
      opencodeError('ContextOverflowError', {
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      }),
    ],
    { exitCode: 1 },
    'agent-error',
    false,
  ],
  // It sums up, and asks again for ever.
  ['context, again and again', [], { exitCode: 143, stoppedBecause: 'rejected' }, 'agent-error', false],
  [
    'quota',
    [
      opencodeError('APIError', {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        ...{ statusCode: 429, isRetryable: true },
      }),
    ],
    {},
    'auth',
    false,
  ],
  [
    'auth',
    [
      opencodeError('APIError', {
        message:
          'Incorrect API key provided: sk-x. You can find your API key at https://platform.openai.com/account/api-keys.',
        ...{ statusCode: 401, isRetryable: false },
      }),
    ],
    {},
    'auth',
    false,
  ],
  [
    'refusal',
    [
      opencodeError('APIError', {
        message:
          'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
        ...{ statusCode: 400, isRetryable: false },
      }),
    ],
    {},
    'agent-error',
    false,
  ],
  ['crash', [], { exitCode: 139 }, 'agent-crashed', true],
];

const geminiBegin = [
  { type: 'init', timestamp: '2026-11-22T17:54:24.134Z', session_id: 'db793853', model: 'gemini-2.5-pro' },
  { type: 'message', timestamp: '2026-11-22T17:54:24.146Z', role: 'user', content: 'true' },
] as const;
const geminiEnd = (error: object): readonly object[] => [
  ...geminiBegin,
  {
    ...{ type: 'result', timestamp: '2026-11-22T17:54:24.681Z', status: 'error' },
    error: { type: 'unknown', message: `[API Error: ${JSON.stringify({ error })}]` },
    stats: { total_tokens: 0, input_tokens: 0, output_tokens: 0, cached: 0 },
  },
];
const gemini: readonly Row[] = [
  ['rate, overload, quota', geminiBegin, { exitCode: 0, stoppedBecause: 'service-limit' }, 'rate-limit', true],
  [
    'rate',
    geminiEnd({
      code: 429,
      message: 'Resource has been exhausted (e.g. check quota).',
      status: 'RESOURCE_EXHAUSTED',
    }),
    { exitCode: 173 },
    'rate-limit',
    true,
  ],
  [
    'overload',
    geminiEnd({
      code: 503,
      message: 'The model is overloaded. Please try again later.',
      status: 'UNAVAILABLE',
    }),
    { exitCode: 247 },
    'rate-limit',
    true,
  ],
  [
    'context',
    geminiEnd({
      ...{ code: 400, status: 'INVALID_ARGUMENT' },
      message: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    }),
    { exitCode: 144 },
    'agent-error',
    false,
  ],
  [
    'auth',
    geminiEnd({
      ...{
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
      },
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    }),
    { exitCode: 144 },
    'auth',
    false,
  ],
  ['crash', geminiBegin, { exitCode: 134 }, 'agent-crashed', true],
];

const kimiBegin = { role: 'meta', type: 'system.version', version: '2.1.0' };
const kimiEnd = (why: string): Ended => ({
  stderr: `error: failed to run prompt: ${why}\nSee log: /home/.kimi-code/logs/kimi-code.log\n`,
});
const kimi: readonly Row[] = [
  [
    'rate',
    [kimiBegin],
    kimiEnd(
      'provider.rate_limit: 429 Your account org-x request reached max organization concurrency: 1, please try again after 1 seconds',
    ),
    'rate-limit',
    true,
  ],
  [
    'overload',
    [kimiBegin],
    kimiEnd('provider.rate_limit: 429 The engine is currently overloaded, please try again later'),
    'rate-limit',
    true,
  ],
  [
    'quota',
    [kimiBegin],
    kimiEnd(
      'provider.api_error: 429 Your account org-x is not active, current state: suspended, please check your plan and billing details',
    ),
    'auth',
    false,
  ],
  [
    'context',
    [kimiBegin],
    kimiEnd(
      'compaction.failed: APIContextOverflowError: 400 Invalid request: Your request exceeded model token limit: 262144',
    ),
    'agent-error',
    false,
  ],
  ['auth', [kimiBegin], kimiEnd('provider.auth_error: 401 Invalid Authentication'), 'auth', false],
  [
    'refusal',
    [kimiBegin],
    kimiEnd('provider.api_error: 400 The request was rejected because it was considered high risk'),
    'agent-error',
    false,
  ],
  [
    'refused answer',
    [kimiBegin, { role: 'assistant', content: 'I can not help with that.' }],
    kimiEnd('Provider safety policy blocked the response.'),
    'agent-error',
    false,
  ],
  ['crash', [kimiBegin], { exitCode: 139 }, 'agent-crashed', true],
];

const copilotBegin = { type: 'user.message', data: { content: 'x' } };
const copilotFailure = (statusCode: number, error: object, message: string): readonly object[] => [
  copilotBegin,
  { type: 'model.call_failure', data: { statusCode, errorMessage: JSON.stringify(error) } },
  { type: 'session.error', data: { errorType: 'query', message, statusCode } },
  { type: 'result', sessionId: '9b86cce4', exitCode: 1, usage: { premiumRequests: 0 } },
];
const copilot: readonly Row[] = [
  [
    'rate',
    copilotFailure(429, { message: 'Rate limit reached for gpt-5.5. Please try again in 20s.' }, '').slice(0, 2),
    limited,
    'rate-limit',
    true,
  ],
  [
    'overload',
    copilotFailure(
      503,
      { message: 'Overloaded', type: 'server_error' },
      'Failed to get response from the AI model; retried 5 times (total retry wait time: 15.94 seconds) Last error: 503 Overloaded',
    ),
    {},
    'rate-limit',
    true,
  ],
  [
    'quota',
    copilotFailure(
      429,
      { message: 'You exceeded your current quota, please check your plan and billing details.' },
      '',
    ),
    {},
    'auth',
    false,
  ],
  [
    'context',
    copilotFailure(
      400,
      { message: 'Your input exceeds the context window of this model. Please adjust your input.' },
      'The provider rejected the prompt as too long, but automatic recovery could not reduce it.',
    ),
    {},
    'agent-error',
    false,
  ],
  [
    'auth',
    copilotFailure(
      401,
      { message: 'Incorrect API key provided: x', code: 'invalid_api_key' },
      'Authentication failed with provider at http://127.0.0.1:47113/openai/v1 (HTTP 401).\n  Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.',
    ),
    {},
    'auth',
    false,
  ],
  [
    'refusal',
    copilotFailure(400, { message: 'Your request was rejected by our safety system (usage policy).' }, ''),
    {},
    'agent-error',
    false,
  ],
  ['crash', [copilotBegin], { exitCode: 139 }, 'agent-crashed', true],
];

for (const [name, rows] of Object.entries({ codex, opencode, gemini, kimi, copilot }))
  test(`LIF-5: what ${name} prints at its end says whether waiting helps, another key, or nothing`, () => {
    const adapter = getAdapter(name, configSchema.parse({}));
    for (const [what, lines, end, kind, retryable] of rows) {
      const reader = adapter.reader(makeRequest());
      reader.push(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const { failure } = reader.finish({
        ...{ exitCode: 1, signal: null, timedOut: false, stoppedBecause: null, stderr: '', at: 0 },
        ...end,
      });
      assert.equal([failure?.kind, failure?.retryable], [kind, retryable], `${what}: ${failure?.message}`);
    }
  });

test.run();
