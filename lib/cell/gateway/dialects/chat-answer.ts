import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { JsonRecord } from '../../../util/json-record.ts';
import { randomName } from '../../../util/random-name.ts';
import type { Said, SpokenAnswer } from './dialect.ts';
import { eventStream } from './event-stream.ts';

/** See Dialect.answer. */
export function answerChat(said: Said, request: JsonRecord): SpokenAnswer {
  const common = { id: randomName('chatcmpl'), created: 1, model: request.model };
  const finish_reason = said.calls.length > 0 ? 'tool_calls' : 'stop';
  const content = said.text === '' && said.calls.length > 0 ? null : said.text;
  const tool_calls = said.calls.map(({ id, name, input }) => ({
    ...{ id, type: 'function' },
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
  const called = tool_calls.length > 0 ? { tool_calls } : {};
  const usage = usageOf(said.usage);
  if (request.stream !== true) {
    const message = { role: 'assistant', content, ...called };
    const choices = [{ index: 0, message, finish_reason }];
    const body = { ...common, object: 'chat.completion', choices, usage };
    return { contentType: 'application/json', body: JSON.stringify(body) };
  }
  const chunk = (delta: JsonRecord, finish: string | null): JsonRecord => ({
    ...common,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return eventStream(
    [
      chunk({ role: 'assistant', content: content ?? '' }, null),
      ...tool_calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }, null)),
      chunk({}, finish_reason),
      { ...common, object: 'chat.completion.chunk', choices: [], usage },
    ],
    'data: [DONE]\n\n',
  );
}

function usageOf(usage: TokenUsage): JsonRecord {
  const cached = usage.cache_read_input_tokens ?? 0;
  const [input, output] = [(usage.input_tokens ?? 0) + cached, usage.output_tokens ?? 0];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
