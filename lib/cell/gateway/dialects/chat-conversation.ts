import type { ToldCall } from '../../../domain/conversation.ts';
import { isRecord, type JsonRecord } from '../../../util/json-record.ts';
import type { Conversation, Words } from './dialect.ts';
import { insertAfter, recordsOf, textOr } from './lists.ts';
import { readInput, textOfParts } from './told-text.ts';

/** See Dialect.readConversation. */
export function readChatConversation(request: JsonRecord): Conversation {
  const messages = recordsOf(request.messages);
  const calls = messages.flatMap(({ tool_calls }) => recordsOf(tool_calls).map(readCall));
  const byId = new Map(calls.map((call) => [call.id, call]));
  const lastSaid = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    calls,
    results: messages.flatMap(({ role, tool_call_id, content }, index) => {
      if (role !== 'tool') return [];
      const id = textOr(tool_call_id);
      const call = byId.get(id);
      return [
        {
          ...{ id, name: call?.name ?? null, input: call?.input ?? null },
          ...{ text: textOfParts(content), isError: false, isNew: index > lastSaid },
        },
      ];
    }),
  };
}

/** See Dialect.say. */
export function sayInChat(request: JsonRecord, { after, text }: Words): JsonRecord {
  const isResult = ({ role }: JsonRecord): boolean => role === 'tool';
  const said = { role: 'user', content: text };
  return { ...request, messages: insertAfter(recordsOf(request.messages), { isResult, after, said }) };
}

function readCall({ id, function: called, custom }: JsonRecord): ToldCall {
  if (isRecord(custom)) return { id: textOr(id), name: textOr(custom.name), input: textOr(custom.input) };
  const { name, arguments: given } = isRecord(called) ? called : {};
  return { id: textOr(id), name: textOr(name), input: readInput(given) };
}
