import type { ToolCall } from '../domain/policy.ts';
import type { ReportedCall } from '../domain/ports/call-facts.ts';
import { isRecord, type JsonRecord } from '../util/json.ts';

/** A call as a CLI's hook reports it, in the CLI's own terms. */
export interface HookedCall {
  readonly name: string;
  readonly input: JsonRecord;
  /** Where it would run. */
  readonly cwd: string;
}

/**
 * Reads what hooks of the common shape report: `tool_name`, `tool_input`, `cwd`, and the call's id under `idKey` (null:
 * it is never named). `translate` says it in the tools the policy knows. Null, by which the call is blocked, where
 * anything is missing or of another type.
 */
export function readHook(
  reported: unknown,
  idKey: 'tool_use_id' | 'tool_call_id' | null,
  translate: (call: HookedCall) => readonly ToolCall[],
): ReportedCall | null {
  if (!isRecord(reported)) return null;
  const { tool_name: name, tool_input: input, cwd } = reported;
  if (typeof name !== 'string' || name === '' || typeof cwd !== 'string' || !isRecord(input)) return null;
  const id = idKey === null ? null : reported[idKey];
  if (id !== null && typeof id !== 'string') return null;
  const [first, ...rest] = translate({ name, input, cwd });
  return first === undefined ? null : { id, name, input, does: [first, ...rest] };
}
