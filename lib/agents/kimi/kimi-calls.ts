import { resolve } from 'node:path';
import { askPersonToolName } from '../../domain/agent-messages.ts';
import type { ToolCall } from '../../domain/agent-policy.ts';
import type { CallHookFacts, ConversationResult } from '../../domain/ports/call-facts.ts';
import type { JsonRecord } from '../../util/json.ts';
import { type HookReportedCall, nameFileOfPath, parseHookReport } from '../cli-hooks.ts';

/** The tools that are offered; the policy has the same names. All others are switched off. */
export const offeredKimiTools: readonly string[] = ['Read', 'Write', 'Edit', 'Grep', 'Glob', 'Bash'];

// Before what a failed call gives; a command that was started ends with how it ended.
const failed = /^(?:Wall time: [\d.]+ seconds\n)?<system>ERROR: Tool execution failed\.<\/system>\n/;
// Of calls beside one of an unknown tool. What a command gives begins with its time, so none can print this.
const interrupted =
  '<system>ERROR: Tool execution failed.</system>\nTool execution was interrupted before its result was recorded. Do not assume the tool completed successfully.';
// Errors of its file tools about the path alone, before it asks a hook: files that hold secrets by their name, and
// relative paths that lead out of the worktree.
const refusedPath = /^"[^"\n]+" (?:matches a sensitive-file pattern \(env|is not an absolute path)[^\n]*$/;
const endedCommand = /Command (?:failed with exit code|killed|timed out|was)[^\n]*$/;
const namedRule = /\[[a-z][a-z-]*\]\s*$/;

/** Kimi Code: claude's tools with some other fields, and results that are text alone. */
export const kimiCallFacts: CallHookFacts = {
  read: (reported) => parseHookReport(reported, 'tool_call_id', (call) => [translate(call)]),
  namesCalls: true,
  repeatsCalls: true,
  neverRan,
  wasBlocked: ({ text }) => failed.test(text) && namedRule.test(text) && !endedCommand.test(text),
  hidesPartOfCall: () => false,
  replace: () => null,
  // Its hooks are out of time after ten minutes, and let their calls through.
  asks: { tool: askPersonToolName, longestMs: 590_000, answer: () => null },
  canaryCall: (path) => ({ name: 'Write', input: { path, content: 'This file must not exist.\n' } }),
};

/**
 * Whether a call ended without running anything. A command can print the same text, so the text counts for a command
 * only where that can't have run: without words, or with a broken input.
 */
function neverRan({ name, input, text }: ConversationResult, isOffered = true): boolean {
  if (text === interrupted) return true;
  if (!failed.test(text)) return false;
  const said = text.replace(failed, '');
  if (name !== null && (name !== 'Bash' || !isOffered) && said === `Tool "${name}" not found`) return true;
  if (name !== null && name !== askPersonToolName && !offeredKimiTools.includes(name)) return false;
  if (name !== null && name !== 'Bash' && refusedPath.test(said)) return true;
  if (!said.startsWith('Invalid args for tool ')) return false;
  return name !== 'Bash' || typeof input === 'string' || !isCommand(input);
}

function isCommand(input: JsonRecord | null): boolean {
  if (input === null || typeof input.command !== 'string' || input.command === '') return false;
  const { cwd, timeout } = input;
  return (cwd === undefined || typeof cwd === 'string') && (timeout === undefined || typeof timeout === 'number');
}

/** In the policy's words. A place that is no text stays where it is, and is refused there. */
function translate({ name, input, cwd }: HookReportedCall): ToolCall {
  if (name === 'Bash' && typeof input.cwd === 'string') {
    const { cwd: place, ...rest } = input;
    return { tool_name: name, tool_input: rest, cwd: resolve(cwd, input.cwd) };
  }
  return nameFileOfPath(name, input, cwd);
}
