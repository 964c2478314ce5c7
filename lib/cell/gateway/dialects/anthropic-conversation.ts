import type { ToldCall } from '../../../domain/ports/call-facts.ts';
import { isRecord, type JsonRecord } from '../../../util/json.ts';
import type { Conversation, Words } from './dialect.ts';
import { recordsOf, textOr } from './lists.ts';

/** See Dialect.readConversation. */
export function readAnthropicConversation({ messages }: JsonRecord): Conversation {
  const blocks = recordsOf(messages).flatMap(({ role, content }, turn) =>
    recordsOf(content).map((block) => ({ block, role, turn })),
  );
  // The model's last message separates old results from new ones, also where it is plain text.
  const lastSaid = recordsOf(messages).findLastIndex(({ role }) => role === 'assistant');
  const calls = blocks.filter(({ block }) => block.type === 'tool_use').map(({ block }) => readCall(block));
  const byId = new Map(calls.map((call) => [call.id, call]));
  return {
    calls,
    results: blocks
      .filter(({ block }) => block.type === 'tool_result')
      .map(({ block, turn }) => {
        const id = textOr(block.tool_use_id);
        const call = byId.get(id);
        return {
          id,
          name: call?.name ?? null,
          input: call?.input ?? null,
          text: textOf(block.content),
          isError: block.is_error === true,
          isNew: turn > lastSaid,
        };
      }),
  };
}

/** See Dialect.say. A turn's results come first in its message. */
export function sayToAnthropic(request: JsonRecord, { after, text }: Words): JsonRecord {
  const messages = recordsOf(request.messages);
  let seen = 0;
  const turn = messages.findIndex(({ content }) => {
    seen += recordsOf(content).filter(({ type }) => type === 'tool_result').length;
    return seen > after;
  });
  const told = messages.map((message, index) =>
    index === turn
      ? { ...message, content: [...recordsOf(message.content), { type: 'text', text }] }
      : message,
  );
  return { ...request, messages: told };
}

function readCall({ id, name, input }: JsonRecord): ToldCall {
  return { id: textOr(id), name: textOr(name) || 'unknown', input: isRecord(input) ? input : {} };
}

/** The first text: it says what became of the call. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  return isRecord(first) ? textOr(first.text) : '';
}
