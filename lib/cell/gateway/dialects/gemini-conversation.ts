import type { ToldCall, ToldResult } from '../../../domain/ports/call-facts.ts';
import { isRecord, type JsonRecord } from '../../../util/json.ts';
import type { Conversation, Words } from './dialect.ts';
import { inCamelCase } from './gemini-request.ts';
import { recordsOf, textOr } from './lists.ts';

/** See Dialect.readConversation. Calls have ids only where the client gives some: else a result follows its call in order, by its name. */
export function readGeminiConversation({ contents }: JsonRecord): Conversation {
  const turns = recordsOf(contents);
  const lastSaid = turns.findLastIndex(({ role }) => role === 'model');
  const calls: ToldCall[] = [];
  const results: ToldResult[] = [];
  const unanswered: ToldCall[] = [];
  for (const [index, { parts }] of turns.entries()) {
    for (const part of recordsOf(parts).map(inCamelCase)) {
      if (isRecord(part.functionCall)) {
        const call = readCall(part.functionCall);
        calls.push(call);
        unanswered.push(call);
      }
      if (!isRecord(part.functionResponse)) continue;
      const { id, name, response } = part.functionResponse;
      const call = takeCall(unanswered, idOf(id), textOr(name));
      const { text, isError } = readResponse(response);
      results.push({
        id: idOf(id),
        name: call?.name ?? (textOr(name) || null),
        input: call?.input ?? null,
        text,
        isError,
        isNew: index > lastSaid,
      });
    }
  }
  return { calls, results };
}

/** See Dialect.say. */
export function sayToGemini(request: JsonRecord, { after, text }: Words): JsonRecord {
  const contents = recordsOf(request.contents);
  const counts = contents.map(
    ({ parts }) => recordsOf(parts).filter((part) => isRecord(inCamelCase(part).functionResponse)).length,
  );
  let seen = 0;
  const turn = counts.findIndex((count) => {
    seen += count;
    return seen > after;
  });
  const told = contents.map((content, index) =>
    index === turn ? { ...content, parts: [...recordsOf(content.parts), { text }] } : content,
  );
  return { ...request, contents: told };
}

function readCall({ id, name, args }: JsonRecord): ToldCall {
  return { id: idOf(id), name: textOr(name), input: isRecord(args) ? args : {} };
}

function idOf(id: unknown): string | null {
  return typeof id === 'string' && id !== '' ? id : null;
}

function takeCall(unanswered: ToldCall[], id: string | null, name: string): ToldCall | undefined {
  const index = unanswered.findIndex((call) =>
    id !== null && call.id !== null ? call.id === id : call.name === name,
  );
  return index < 0 ? undefined : unanswered.splice(index, 1)[0];
}

/** `output` or `error` by convention; some clients have a `content`. */
function readResponse(response: unknown): { readonly text: string; readonly isError: boolean } {
  if (!isRecord(response)) return { text: '', isError: false };
  const isError = response.error !== undefined;
  const said = isError ? response.error : (response.output ?? response.result ?? response.content);
  return { text: typeof said === 'string' ? said : JSON.stringify(said ?? response), isError };
}
