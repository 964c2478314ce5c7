import type { ToldCall } from '../../../domain/ports/call-facts.ts';
import { isRecord, type JsonRecord } from '../../../util/json.ts';
import type { Conversation, Words } from './dialect.ts';
import { insertAfter, recordsOf, textOr } from './lists.ts';
import { readInput, textOfParts } from './told-text.ts';

/** See Dialect.readConversation. */
export function readResponsesConversation({ input }: JsonRecord): Conversation {
  const items = recordsOf(input);
  const calls = items.filter(({ type }) => isCall(type)).map(readCall);
  const byId = new Map(calls.map((call) => [call.id, call]));
  // Results stand between calls that were made at once. What is older is judged once more, and comes out as before.
  const lastAsked = items.findLastIndex(({ role }) => role === 'user');
  return {
    calls,
    results: items.flatMap((item, index) => {
      if (!isResult(item.type)) return [];
      const id = textOr(item.call_id);
      const call = byId.get(id);
      return [
        {
          id,
          name: call?.name ?? null,
          input: call?.input ?? null,
          text: textOfParts(item.output),
          isError: false,
          isNew: index > lastAsked,
        },
      ];
    }),
  };
}

/** See Dialect.say. */
export function sayInResponses(request: JsonRecord, { after, text }: Words): JsonRecord {
  const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  const at = { isResult: ({ type }: JsonRecord) => isResult(type), after, said };
  return { ...request, input: insertAfter(recordsOf(request.input), at) };
}

function isCall(type: unknown): boolean {
  return /^(?:function|custom_tool|local_shell|apply_patch)_call$/.test(String(type));
}

function isResult(type: unknown): boolean {
  return /^(?:function|custom_tool|local_shell|apply_patch)_call_output$/.test(String(type));
}

/** Between the name that tools are gathered under and their own. */
export const namespaceEnd = '__';

function readCall(item: JsonRecord): ToldCall {
  const { type, call_id, namespace, arguments: given, input, action, operation } = item;
  const id = textOr(call_id);
  const within = textOr(namespace);
  const name = `${within === '' ? '' : `${within}${namespaceEnd}`}${textOr(item.name)}`;
  if (type === 'custom_tool_call') return { id, name, input: textOr(input) };
  if (type === 'function_call') return { id, name, input: readInput(given) };
  const done = isRecord(action) ? action : isRecord(operation) ? operation : {};
  return { id, name: String(type).replace(/_call$/, ''), input: done };
}
