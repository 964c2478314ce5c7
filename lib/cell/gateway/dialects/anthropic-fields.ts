import { isRecord, type JsonRecord } from '../../../util/json-record.ts';
import { type KnownFields, oddCount, otherModel, unknownField } from './fields.ts';

// What a request to the Messages API may hold.
const known: KnownFields = {
  names: [
    ...['model', 'messages', 'system', 'tools', 'tool_choice', 'metadata', 'max_tokens', 'stream'],
    ...['thinking', 'context_management', 'output_config', 'output_format', 'cache_control'],
    ...['stop_sequences', 'temperature', 'top_p', 'top_k'],
    // Held to values that change neither what a token costs nor where it is computed.
    ...['speed', 'service_tier', 'inference_geo', 'mcp_servers'],
  ],
  values: {
    speed: ['standard', null],
    service_tier: ['auto', 'standard_only', null],
    // The workspace of the account says where; what is asked for here would go before that.
    inference_geo: [null],
  },
};

// What a person, a model or a tool says.
const ownWords = new Set(['input', 'input_schema', 'schema', 'metadata', 'text', 'data', 'partial_json']);

/** The name of a field, with its value where that is the matter, that keeps a request from being sent; null: none. */
export function unknownAnthropicField(request: JsonRecord): string | null {
  return (
    unknownField(request, known) ??
    oddCount(request, ['max_tokens']) ??
    unknownEdit(request.context_management) ??
    otherModel(request, ownWords)
  );
}

/** Summaries that the API makes by itself are not in the counts of an answer. */
function unknownEdit(management: unknown): string | null {
  if (!isRecord(management) || management.edits === undefined) return null;
  const { edits } = management;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [edits];
  const wrong = all.find((edit) => !isRecord(edit) || !/^clear_\w+$/.test(`${edit.type}`));
  return wrong === undefined ? null : `context_management: ${isRecord(wrong) ? `${wrong.type}` : 'edits'}`;
}
