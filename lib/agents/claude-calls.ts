import { askPersonToolName } from '../domain/agent-messages.ts';
import type { CallHookFacts, ReportedCall } from '../domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../util/json.ts';
import { longestHookHoldMs, parseHookReport } from './cli-hooks.ts';

// Begins results that the client writes before any hook: unknown tools, malformed input, a person's interruption.
const neverRan = /^(?:<tool_use_error>|\[Request interrupted|The user doesn't want to )/;

/** Claude Code: its tools and its hook's names are those the policy is written in. */
export const claudeCallFacts: CallHookFacts = {
  read: readHook,
  namesCalls: true,
  repeatsCalls: false,
  neverRan: ({ isError, text }) => isError && neverRan.test(text),
  // A blocked command that failed all the same was started.
  wasBlocked: ({ isError, text }) => isError && !text.startsWith('Exit code'),
  hidesPartOfCall: () => false,
  replace: (reported, command, why) => replaceInput(reported, { command }, why),
  asks: {
    tool: askPersonToolName,
    longestMs: longestHookHoldMs,
    answer: (reported, questions, answers) => {
      const given = questions.map(({ question }, index) => [question, answers[index] ?? '']);
      return replaceInput(reported, { answers: Object.fromEntries(given) }, 'The person answered.');
    },
  },
  canaryCall: (path) => ({
    name: 'Write',
    input: { file_path: path, content: 'This file must not exist.\n' },
  }),
};

function replaceInput(reported: unknown, changed: JsonRecord, why: string): string {
  const input = isJsonRecord(reported) && isJsonRecord(reported.tool_input) ? reported.tool_input : {};
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      permissionDecisionReason: why,
      updatedInput: { ...input, ...changed },
    },
  });
}

/** Versions whose hooks don't name the call are read as well: the ledger finds those by what they do. */
function readHook(reported: unknown): ReportedCall | null {
  const hasId = isJsonRecord(reported) && typeof reported.tool_use_id === 'string';
  return parseHookReport(reported, hasId ? 'tool_use_id' : null, ({ name, input, cwd }) => [
    { tool_name: name, tool_input: input, cwd },
  ]);
}
