import { isRecord, type JsonRecord } from '../util/json-record.ts';

// What a request to the Messages API may hold. Whatever else the API knows or will know may cost more than is counted
// here, or reach farther than the cell.
const known: readonly string[] = [
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'metadata', 'max_tokens', 'stream'],
  ...['thinking', 'context_management', 'output_config', 'output_format', 'cache_control'],
  ...['stop_sequences', 'temperature', 'top_p', 'top_k'],
  // Held to values that are priced.
  ...['speed', 'service_tier', 'inference_geo', 'mcp_servers'],
];

const values: Readonly<Record<string, readonly unknown[]>> = {
  speed: ['standard', null],
  service_tier: ['auto', 'standard_only', null],
  inference_geo: ['global', 'us', null],
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
  return unknownEdit(request.context_management);
}

/** Summaries that the API makes by itself are not in the counts of an answer. */
function unknownEdit(management: unknown): string | null {
  if (!isRecord(management) || management.edits === undefined) return null;
  const { edits } = management;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [edits];
  const wrong = all.find((edit) => !isRecord(edit) || !/^clear_\w+$/.test(`${edit.type}`));
  return wrong === undefined ? null : `context_management: ${isRecord(wrong) ? `${wrong.type}` : 'edits'}`;
}
