import type { ToolCall } from '../domain/agent-policy.ts';
import { translateLeadToolName } from '../domain/lead-tools.ts';
import type { EndHookFacts, ReportedCall } from '../domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../util/json.ts';

/** A call as a CLI's hook reports it, in the CLI's own terms. */
export interface HookReportedCall {
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
export function parseHookReport(
  reported: unknown,
  idKey: 'tool_use_id' | 'tool_call_id' | null,
  translate: (call: HookReportedCall) => readonly ToolCall[],
): ReportedCall | null {
  if (!isJsonRecord(reported)) return null;
  const { tool_name: name, tool_input: input, cwd } = reported;
  if (typeof name !== 'string' || name === '' || typeof cwd !== 'string' || !isJsonRecord(input)) return null;
  const id = idKey === null ? null : reported[idKey];
  if (id !== null && typeof id !== 'string') return null;
  const [first, ...rest] = translate({ name, input, cwd });
  return first === undefined ? null : { id, name, input, does: [first, ...rest] };
}

/**
 * A tool's name as the policy has it, by the CLI's table of its own tools and what it puts before ours. One that isn't
 * known keeps its name, and no policy allows it.
 */
export function translateToolName(name: string, tools: Readonly<Record<string, string>>, ownPrefix: string): string {
  return (Object.hasOwn(tools, name) ? tools[name] : undefined) ?? translateLeadToolName(name, ownPrefix);
}

/** A call in the policy's words, of a CLI whose file tools call the file's path `path`. */
export function nameFileOfPath(tool_name: string, input: JsonRecord, cwd: string): ToolCall {
  if (!['Read', 'Write', 'Edit'].includes(tool_name)) return { tool_name, tool_input: input, cwd };
  const { path, ...rest } = input;
  return { tool_name, tool_input: { ...rest, file_path: path }, cwd };
}

/**
 * A hook at the end of several CLIs: to block the end takes a reason, which the model reads as a message. `said` is
 * the field in which they report the last words; null: they report none.
 */
export function createBlockingEndFacts(said: string | null): EndHookFacts {
  return {
    parseLastMessage: (reported) => {
      const words = said !== null && isJsonRecord(reported) ? reported[said] : '';
      return typeof words === 'string' ? words : '';
    },
    renderContinue: (reason) => JSON.stringify({ decision: 'block', reason }),
  };
}

/** Builds a command for such a hook. It protects nothing: when it fails, the agent ends, and no error is shown. */
export function wrapEndHookCommand(command: string): string {
  return `${command} 2>/dev/null || true`;
}

/**
 * Wraps a hook's command as agent CLIs need it: only exit 2 blocks, so the shell turns each failure into a 2, also of a
 * program that was killed or isn't there. Some CLIs let a call through without a reason on stderr, so one is printed.
 */
export function wrapCallHookCommand(command: string): string {
  return `${command} || { [ $? -eq 2 ] || echo 'The watcher failed. [watcher-failed]' >&2; exit 2; }`;
}

/** How long a hook may hold a call of a CLI that sets hooks no limit of its own, in milliseconds: a day. */
export const longestHookHoldMs = 86_400_000;

/** The files a patch writes, each as a call of its own; none where it holds a line that isn't known. */
export function listFilesOfPatch(patch: unknown, cwd: string): readonly ToolCall[] {
  if (typeof patch !== 'string') return [];
  // The program forgives blanks before its marks, and a line of a file begins with one, `+` or `-`.
  const marks = [...patch.matchAll(/^[^\S\n]*\*\*\* ?(.*)$/gm)].map(([, text = '']) => text.trim());
  const calls = marks.filter((mark) => !/^(?:Begin Patch|End Patch|End of File)$/.test(mark)).map(readMark);
  return calls.every((call) => call !== null) ? calls.map((call) => ({ ...call, cwd })) : [];
}

function readMark(mark: string): Omit<ToolCall, 'cwd'> | null {
  const found = /^(Add File|Update File|Delete File|Move to): (.+)$/.exec(mark);
  const [, kind = '', path = ''] = found ?? [];
  if (found === null) return null;
  return { tool_name: kind === 'Add File' ? 'Write' : 'Edit', tool_input: { file_path: path.trim() } };
}
