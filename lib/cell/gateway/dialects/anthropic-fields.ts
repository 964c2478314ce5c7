import { isRecord, type JsonRecord } from '../../../util/json-record.ts';

// What a request to the Messages API may hold. Whatever else the API knows or will know may cost more than is counted
// here, or reach farther than the cell.
const known: readonly string[] = [
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'metadata', 'max_tokens', 'stream'],
  ...['thinking', 'context_management', 'output_config', 'output_format', 'cache_control'],
  ...['stop_sequences', 'temperature', 'top_p', 'top_k'],
  // Held to values that change neither what a token costs nor where it is computed.
  ...['speed', 'service_tier', 'inference_geo', 'mcp_servers'],
];

const values: Readonly<Record<string, readonly unknown[]>> = {
  speed: ['standard', null],
  service_tier: ['auto', 'standard_only', null],
  // The workspace of the account says where; what is asked for here would go before that.
  inference_geo: [null],
};

/** The name of a field, with its value where that is the matter, that keeps a request from being sent; null: none. */
export function unknownField(request: JsonRecord): string | null {
  for (const [name, value] of Object.entries(request)) {
    if (!known.includes(name)) return name;
    const allowed = values[name];
    if (allowed !== undefined && !allowed.includes(value)) return `${name}: ${JSON.stringify(value)}`;
  }
  const { max_tokens } = request;
  if (max_tokens !== undefined && !(Number.isSafeInteger(max_tokens) && Number(max_tokens) > 0))
    return `max_tokens: ${JSON.stringify(max_tokens)}`;
  return unknownEdit(request.context_management) ?? otherModel(request);
}

// What a person, a model or a tool says: names in it are no fields of the API.
const ownWords = new Set(['input', 'input_schema', 'schema', 'metadata', 'text', 'data', 'partial_json']);

/** A model that is named inside: what it is asked is in no count of ours, and it may be any. */
function otherModel(request: JsonRecord): string | null {
  const waiting: { value: unknown; path: string }[] = [];
  const add = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null) waiting.push({ value, path });
  };
  for (const [name, value] of Object.entries(request)) add(value, name);
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const [name, value] of Object.entries(at.value as object)) {
      if (/^(?:\w+_)?models?$/.test(name))
        return `${at.path}.${name}: ${JSON.stringify(value)}`.slice(0, 200);
      if (!ownWords.has(name)) add(value, `${at.path}.${name}`);
    }
  }
  return null;
}

/** Summaries that the API makes by itself are not in the counts of an answer. */
function unknownEdit(management: unknown): string | null {
  if (!isRecord(management) || management.edits === undefined) return null;
  const { edits } = management;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [edits];
  const wrong = all.find((edit) => !isRecord(edit) || !/^clear_\w+$/.test(`${edit.type}`));
  return wrong === undefined ? null : `context_management: ${isRecord(wrong) ? `${wrong.type}` : 'edits'}`;
}
