import type { IncomingHttpHeaders } from 'node:http';
import { isRecord, type JsonRecord } from '../../../util/json.ts';
import { randomName } from '../../../util/short-names.ts';
import { boundTokens } from '../token-bound.ts';
import type { Dialect, Endpoint, Reported, Said, SpokenAnswer } from './dialect.ts';
import { eventStream } from './event-stream.ts';
import { statedOutput } from './fields.ts';
import { readGeminiConversation, sayToGemini } from './gemini-conversation.ts';
import { inCamelCase, judgeGemini } from './gemini-request.ts';
import { countOf, listOf, recordsOf, textOr } from './lists.ts';
import { passKnown } from './openai.ts';
import { promptOf } from './prompt-lines.ts';

/** Gemini's generateContent. */
export const gemini: Dialect = {
  name: 'gemini',
  find: findEndpoint,
  parameters: { alt: /^sse$/, pageSize: /^\d{1,4}$/, pageToken: /^[\w.:@=-]{1,200}$/ },
  passHeaders: (headers: IncomingHttpHeaders) =>
    passKnown(headers, ['accept', 'accept-language', 'content-type', 'user-agent', 'x-goog-api-client']),
  judge: judgeGemini,
  // Thoughts are written unseen.
  size: (request) => ({ output: outputOf(request), isHidden: true, isHourly: false }),
  prepare,
  readPrompt: (request) => {
    const { tools, systemInstruction, contents } = inCamelCase(request);
    return promptOf([tools, systemInstruction], listOf(contents));
  },
  usage: { sign: '"usageMetadata"', read: readUsage, written },
  readConversation: readGeminiConversation,
  say: sayToGemini,
  offersTools: ({ tools }) => recordsOf(tools).length > 0,
  refuse: (status, message) => ({
    error: { code: status, message, status: statuses[status] ?? 'UNAVAILABLE' },
  }),
  answer,
};

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
};

const asking =
  /^\/v1(?:beta|alpha)?\/models\/([\w.-]{1,100}):(generateContent|streamGenerateContent|countTokens)$/;

function findEndpoint(method: string, path: string): Endpoint | null {
  if (method === 'GET' && /^\/v1(?:beta|alpha)?\/models(?:\/[\w.-]{1,100})?$/.test(path))
    return { isPaid: false, model: null, isStreamed: null };
  const [, model = '', verb] = (method === 'POST' && asking.exec(path)) || [];
  if (verb === undefined) return null;
  return { isPaid: verb !== 'countTokens', model, isStreamed: verb === 'streamGenerateContent' };
}

function answerConfig(request: JsonRecord): JsonRecord {
  const { generationConfig } = inCamelCase(request);
  return isRecord(generationConfig) ? inCamelCase(generationConfig) : {};
}

function outputOf(request: JsonRecord): number {
  return statedOutput([answerConfig(request).maxOutputTokens]);
}

function prepare(request: JsonRecord, output: number): JsonRecord {
  const maxOutputTokens = Math.min(output, outputOf(request));
  const generationConfig = { ...answerConfig(request), maxOutputTokens };
  const { thinkingConfig } = generationConfig as JsonRecord;
  return {
    ...inCamelCase(request),
    generationConfig: isRecord(thinkingConfig)
      ? { ...generationConfig, thinkingConfig: reduced(inCamelCase(thinkingConfig), maxOutputTokens) }
      : generationConfig,
  };
}

/** Reduces the budget for thoughts, which are part of the output; below zero it leaves them to the model. */
function reduced(thinking: JsonRecord, most: number): JsonRecord {
  const { thinkingBudget: budget } = thinking;
  return typeof budget === 'number' && budget > most / 2
    ? { ...thinking, thinkingBudget: Math.floor(most / 2) }
    : thinking;
}

/** Each part of an answer reports what was used until then. */
function readUsage({ usageMetadata, modelVersion, candidates }: JsonRecord): readonly Reported[] {
  const model = textOr(modelVersion);
  if (!isRecord(usageMetadata)) return [{ usage: null, model }];
  const count = (name: string): number => countOf(usageMetadata[name]);
  const cached = count('cachedContentTokenCount');
  const searches = recordsOf(candidates)
    .map(({ groundingMetadata }) => (isRecord(groundingMetadata) ? groundingMetadata.webSearchQueries : null))
    .reduce<number>((sum, queries) => sum + listOf(queries).length, 0);
  return [
    {
      usage: {
        input_tokens: Math.max(0, count('promptTokenCount') + count('toolUsePromptTokenCount') - cached),
        cache_read_input_tokens: cached,
        output_tokens: count('candidatesTokenCount') + count('thoughtsTokenCount'),
        ...(searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {}),
      },
      model,
    },
  ];
}

const emptyPart = boundTokens('data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"}}]}');

function written(line: string): number {
  return line.includes('"candidates"') ? Math.max(0, boundTokens(line) - emptyPart) : 0;
}

function answer(
  { text, calls, usage }: Said,
  _request: JsonRecord,
  asked: { readonly endpoint: Endpoint },
): SpokenAnswer {
  const parts = [
    ...(text === '' && calls.length > 0 ? [] : [{ text }]),
    ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
  ];
  const cached = usage.cache_read_input_tokens ?? 0;
  const [input, output] = [(usage.input_tokens ?? 0) + cached, usage.output_tokens ?? 0];
  const body = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
    modelVersion: asked.endpoint.model ?? '',
    responseId: randomName('answer'),
  };
  if (asked.endpoint.isStreamed === true) return eventStream([body]);
  return { contentType: 'application/json', body: JSON.stringify(body) };
}
