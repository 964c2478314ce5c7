import { resolve } from 'node:path';
import type { ToolCall } from '../../domain/agent-policy.ts';
import { isLeadTool, leadServerName, translateLeadToolName } from '../../domain/lead-tools.ts';
import type { CallHookFacts, ConversationResult } from '../../domain/ports/call-facts.ts';
import { type HookReportedCall, parseHookReport, translateToolName } from '../cli-hooks.ts';

const wasBlocked = /^Tool execution blocked: /;
// Of a command: what a shell that ran gives is output, also where it failed.
const neverStarted =
  /^(?:params |Command cannot be empty|Tool "|Path not in workspace|Directory |spawn |Could not parse command)/;

/** The tools of the Gemini CLI that are offered, by the policy's name for each. All others are switched off. */
export const offeredGeminiTools: Readonly<Record<string, string>> = {
  Read: 'read_file',
  LS: 'list_directory',
  Glob: 'glob',
  Grep: 'grep_search',
  Write: 'write_file',
  Edit: 'replace',
  Bash: 'run_shell_command',
};

const named = Object.fromEntries(Object.entries(offeredGeminiTools).map(([own, name]) => [name, own]));

/** Precedes the names of our tools. */
export const geminiLeadToolPrefix = `mcp_${leadServerName}_`;

/** The Gemini CLI: results that are errors come from the CLI itself, and no call has a name in its hook. */
export const geminiCallFacts: CallHookFacts = {
  read: (reported) => parseHookReport(reported, null, (call) => [translate(call)]),
  namesCalls: false,
  repeatsCalls: true,
  neverRan: (result) => result.isError && !wasBlocked.test(result.text) && isUntouched(result),
  wasBlocked: ({ isError, text }) => isError && wasBlocked.test(text),
  hidesPartOfCall: () => false,
  replace: () => null,
  // Without a terminal it has no such tool.
  asks: null,
  canaryCall: (path) => ({
    name: 'write_file',
    input: { file_path: path, content: 'This file must not exist.\n' },
  }),
};

/** Other tools than commands and ours change nothing where they fail. */
function isUntouched({ name, text }: ConversationResult): boolean {
  const asksFirst =
    name === offeredGeminiTools.Bash || isLeadTool(translateLeadToolName(name ?? '', geminiLeadToolPrefix));
  return !asksFirst || neverStarted.test(text);
}

/** In the policy's words. A folder that is no text stays where it is, and is refused there. */
function translate({ name, input, cwd }: HookReportedCall): ToolCall {
  const tool_name = translateToolName(name, named, geminiLeadToolPrefix);
  const { dir_path, include_pattern, ...rest } = input;
  if (tool_name === 'Bash') {
    if (dir_path === undefined || dir_path === null) return { tool_name, tool_input: rest, cwd };
    return typeof dir_path === 'string'
      ? { tool_name, tool_input: rest, cwd: resolve(cwd, dir_path) }
      : { tool_name, tool_input: input, cwd };
  }
  if (!['LS', 'Glob', 'Grep'].includes(tool_name)) return { tool_name, tool_input: input, cwd };
  return {
    tool_name,
    tool_input: {
      ...rest,
      ...(dir_path === undefined ? {} : { path: dir_path }),
      ...(include_pattern === undefined ? {} : { include: include_pattern }),
    },
    cwd,
  };
}
