import type { ToolCall } from '../../domain/agent-policy.ts';
import type { CallHookFacts, ConversationResult } from '../../domain/ports/call-facts.ts';
import { isJsonRecord } from '../../util/json.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type HookReportedCall, listFilesOfPatch, longestHookHoldMs, parseHookReport } from '../cli-hooks.ts';

// Output of a tool that ran begins with `Chunk ID: ` or `Exit code: `, so nothing it prints can be taken for these.
const neverRan = new RegExp(
  `^(?:${[
    'unsupported (?:custom tool )?call: ',
    'failed to parse function arguments',
    'write_stdin failed: ',
    'apply_patch verification failed: ',
    'login shell is disabled by config',
    'approval policy is ',
    'request_user_input is ',
    'aborted',
  ].join('|')})`,
);
const wasBlocked = /^(?:Command|Tool call) blocked by PreToolUse hook: /;

/** Codex: its hook speaks in claude's names, and leaves out what a command is started with beside its text. */
export const codexCallFacts: CallHookFacts = {
  read: (reported) =>
    parseHookReport(reported, 'tool_use_id', (call) =>
      call.name === 'apply_patch' ? listFilesOfPatch(call.input.command, call.cwd) : [translate(call)],
    ),
  namesCalls: true,
  repeatsCalls: false,
  neverRan: (result) => neverRan.test(result.text) || isLook(result),
  wasBlocked: ({ text }) => wasBlocked.test(text),
  hidesPartOfCall: ({ name, input }) => name === 'exec_command' && isJsonRecord(input) && hidesShell(input.shell),
  replace: () => null,
  asks: { tool: 'request_user_input', longestMs: longestHookHoldMs, answer: () => null },
  canaryCall: (path) => ({
    // Models that Codex doesn't know have no tool for patches.
    name: 'exec_command',
    input: { cmd: `touch ${shellQuote(path)}` },
  }),
};

/** Looking at a running command, or interrupting it, asks no hook and does nothing that was not allowed. */
function isLook({ name, input }: ConversationResult): boolean {
  if (name !== 'write_stdin' || !isJsonRecord(input)) return false;
  return input.chars === undefined || input.chars === '' || input.chars === '\u0003';
}

/** Commands are judged as bash: in another shell the same text may do something else. */
function hidesShell(shell: unknown): boolean {
  return shell !== undefined && shell !== null && shell !== 'bash' && shell !== '/bin/bash';
}

function translate({ name, input, cwd }: HookReportedCall): ToolCall {
  if (name === 'view_image') return { tool_name: 'Read', tool_input: { file_path: input.path }, cwd };
  return { tool_name: name, tool_input: input, cwd };
}
