import type { IncomingHttpHeaders } from 'node:http';
import type { ConversationCall, ConversationResult } from '../../../domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { randomName } from '../../../util/short-names.ts';
import {
  createLineEstimator,
  type Dialect,
  type ModelApiEndpoint,
  type ReportedConversation,
  type ReportedUsage,
  renderEventStream,
  type ScriptedHttpResponse,
  type ScriptedMessage,
  type TextAfterResult,
} from './dialect.ts';
import { judgeGeminiRequest, renameKeysToCamelCase } from './gemini-request.ts';
import { buildPromptText } from './openai.ts';
import {
  asListOfValues,
  countOrZero,
  insertInTurnOfResult,
  listRecordsOfValue,
  readRequestedOutputTokens,
  selectHeadersByName,
  textOrEmpty,
} from './request-fields.ts';

const asking = /^\/v1(?:beta|alpha)?\/models\/([\w.-]{1,100}):(generateContent|streamGenerateContent|countTokens)$/;

const empty = 'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"}}]}';

/** Gemini's generateContent. */
export const geminiDialect: Dialect = {
  find: findEndpoint,
  parameters: { alt: /^sse$/, pageSize: /^\d{1,4}$/, pageToken: /^[\w.:@=-]{1,200}$/ },
  passHeaders: (headers: IncomingHttpHeaders) =>
    selectHeadersByName(headers, ['accept', 'accept-language', 'content-type', 'user-agent', 'x-goog-api-client']),
  judge: judgeGeminiRequest,
  // Thoughts are written unseen.
  size: (request) => ({ output: outputOf(request), isHidden: true, isHourly: false }),
  prepare,
  readPrompt: (request) => {
    const { tools, systemInstruction, contents } = renameKeysToCamelCase(request);
    return buildPromptText([tools, systemInstruction], asListOfValues(contents));
  },
  usage: { sign: '"usageMetadata"', read: readUsage, written: createLineEstimator('"candidates"', empty) },
  readConversation: readGeminiConversation,
  insertText: insertInGemini,
  offersTools: ({ tools }) => listRecordsOfValue(tools).length > 0,
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

function findEndpoint(method: string, path: string): ModelApiEndpoint | null {
  if (method === 'GET' && /^\/v1(?:beta|alpha)?\/models(?:\/[\w.-]{1,100})?$/.test(path))
    return { isPaid: false, model: null, isStreamed: null };
  const [, model = '', verb] = (method === 'POST' && asking.exec(path)) || [];
  if (verb === undefined) return null;
  return { isPaid: verb !== 'countTokens', model, isStreamed: verb === 'streamGenerateContent' };
}

function answerConfig(request: JsonRecord): JsonRecord {
  const { generationConfig } = renameKeysToCamelCase(request);
  return isJsonRecord(generationConfig) ? renameKeysToCamelCase(generationConfig) : {};
}

function outputOf(request: JsonRecord): number {
  return readRequestedOutputTokens([answerConfig(request).maxOutputTokens]);
}

function prepare(request: JsonRecord, output: number): JsonRecord {
  const maxOutputTokens = Math.min(output, outputOf(request));
  const generationConfig = { ...answerConfig(request), maxOutputTokens };
  const { thinkingConfig } = generationConfig as JsonRecord;
  return {
    ...renameKeysToCamelCase(request),
    generationConfig: isJsonRecord(thinkingConfig)
      ? {
          ...generationConfig,
          thinkingConfig: reduced(renameKeysToCamelCase(thinkingConfig), maxOutputTokens),
        }
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
function readUsage({ usageMetadata, modelVersion, candidates }: JsonRecord): readonly ReportedUsage[] {
  const model = textOrEmpty(modelVersion);
  if (!isJsonRecord(usageMetadata)) return [{ usage: null, model }];
  const count = (name: string): number => countOrZero(usageMetadata[name]);
  const cached = count('cachedContentTokenCount');
  const searches = listRecordsOfValue(candidates)
    .map(({ groundingMetadata }) => (isJsonRecord(groundingMetadata) ? groundingMetadata.webSearchQueries : null))
    .reduce<number>((sum, queries) => sum + asListOfValues(queries).length, 0);
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

function answer(
  { text, calls, usage }: ScriptedMessage,
  _request: JsonRecord,
  asked: { readonly endpoint: ModelApiEndpoint },
): ScriptedHttpResponse {
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
  if (asked.endpoint.isStreamed === true) return renderEventStream([body]);
  return { contentType: 'application/json', body: JSON.stringify(body) };
}

/** See Dialect.readConversation. Calls have ids only where the client gives some: else a result follows its call in order, by its name. */
function readGeminiConversation({ contents }: JsonRecord): ReportedConversation {
  const turns = listRecordsOfValue(contents);
  const lastSaid = turns.findLastIndex(({ role }) => role === 'model');
  const results: ConversationResult[] = [];
  const unanswered: ConversationCall[] = [];
  for (const [index, { parts }] of turns.entries()) {
    for (const part of listRecordsOfValue(parts).map(renameKeysToCamelCase)) {
      if (isJsonRecord(part.functionCall)) unanswered.push(readCall(part.functionCall));
      if (!isJsonRecord(part.functionResponse)) continue;
      const { id, name, response } = part.functionResponse;
      const call = takeCall(unanswered, idOf(id), textOrEmpty(name));
      const { text, isError } = readResponse(response);
      results.push({
        id: idOf(id),
        name: call?.name ?? (textOrEmpty(name) || null),
        input: call?.input ?? null,
        text,
        isError,
        isNew: index > lastSaid,
      });
    }
  }
  return { results };
}

/** See Dialect.insertText. */
function insertInGemini(request: JsonRecord, { after, text }: TextAfterResult): JsonRecord {
  const isResult = (part: JsonRecord): boolean => isJsonRecord(renameKeysToCamelCase(part).functionResponse);
  const at = { isResult, after, said: { text } };
  return { ...request, contents: insertInTurnOfResult(listRecordsOfValue(request.contents), 'parts', at) };
}

function readCall({ id, name, args }: JsonRecord): ConversationCall {
  return { id: idOf(id), name: textOrEmpty(name), input: isJsonRecord(args) ? args : {} };
}

function idOf(id: unknown): string | null {
  return typeof id === 'string' && id !== '' ? id : null;
}

function takeCall(unanswered: ConversationCall[], id: string | null, name: string): ConversationCall | undefined {
  const index = unanswered.findIndex((call) => (id !== null && call.id !== null ? call.id === id : call.name === name));
  return index < 0 ? undefined : unanswered.splice(index, 1)[0];
}

/** `output` or `error` by convention; some clients have a `content`. */
function readResponse(response: unknown): { readonly text: string; readonly isError: boolean } {
  if (!isJsonRecord(response)) return { text: '', isError: false };
  const isError = response.error !== undefined;
  const said = isError ? response.error : (response.output ?? response.result ?? response.content);
  return { text: typeof said === 'string' ? said : JSON.stringify(said ?? response), isError };
}
