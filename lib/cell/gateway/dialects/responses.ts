import { isRecord, type JsonRecord } from '../../../util/json.ts';
import { boundTokens } from '../token-bound.ts';
import type { Dialect, Endpoint, Reported } from './dialect.ts';
import { statedOutput } from './fields.ts';
import { countOf, recordsOf, textOr } from './lists.ts';
import { findOpenaiEndpoint, listParameters, passOpenaiHeaders, refuseLikeOpenai } from './openai.ts';
import { promptOf } from './prompt-lines.ts';
import { answerResponses } from './responses-answer.ts';
import { readResponsesConversation, sayInResponses } from './responses-conversation.ts';
import { judgeResponses } from './responses-request.ts';

/** OpenAI's Responses API. */
export const responses: Dialect = {
  name: 'responses',
  find: (method, path): Endpoint | null => findOpenaiEndpoint(method, path, '/v1/responses'),
  parameters: listParameters,
  passHeaders: passOpenaiHeaders,
  judge: (request, { allowedTools }) => judgeResponses(request, allowedTools),
  // Thoughts are written unseen.
  size: (request) => ({ output: outputOf(request), isHidden: true, isHourly: false }),
  prepare: (request, output) => ({ ...request, max_output_tokens: Math.min(output, outputOf(request)) }),
  readPrompt: ({ tools, instructions, text, input }) =>
    promptOf([tools, instructions, text], Array.isArray(input) ? input : [input]),
  usage: { sign: '"usage"', read: readUsage, written },
  readConversation: readResponsesConversation,
  say: sayInResponses,
  offersTools: ({ tools, input }) =>
    recordsOf(tools).length > 0 || recordsOf(input).some(({ type }) => type === 'additional_tools'),
  refuse: refuseLikeOpenai,
  answer: (said, request) => answerResponses(said, request),
};

function outputOf({ max_output_tokens }: JsonRecord): number {
  return statedOutput([max_output_tokens]);
}

/** The last event holds the whole response. */
function readUsage(value: JsonRecord): readonly Reported[] {
  const { usage, model, output } = isRecord(value.response) ? value.response : value;
  if (!isRecord(usage)) return [{ usage: null, model: textOr(model) }];
  const details = isRecord(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const [cached, written] = [countOf(details.cached_tokens), countOf(details.cache_write_tokens)];
  const searches = recordsOf(output).filter(({ type }) => type === 'web_search_call').length;
  return [
    {
      usage: {
        input_tokens: Math.max(0, countOf(usage.input_tokens) - cached - written),
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written,
        output_tokens: countOf(usage.output_tokens),
        ...(searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {}),
      },
      model: textOr(model),
    },
  ];
}

const emptyDelta = boundTokens('data: {"type":"response.output_text.delta","item_id":"","delta":""}');

function written(line: string): number {
  return line.includes('.delta"') ? Math.max(0, boundTokens(line) - emptyDelta) : 0;
}
