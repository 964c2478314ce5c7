import { askPersonToolName } from '../domain/agent-messages.ts';
import type { CallHookFacts, ReportedCall } from '../domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../util/json.ts';
import { longestHookHoldMs } from './cli-hooks.ts';

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
  replace: (reported, command, why) => {
    const input = isJsonRecord(reported) && isJsonRecord(reported.tool_input) ? reported.tool_input : {};
    return replaceInput({ ...input, command }, why);
  },
  asks: {
    tool: askPersonToolName,
    longestMs: longestHookHoldMs,
    answer: (reported, questions, answers) => {
      const input = isJsonRecord(reported) && isJsonRecord(reported.tool_input) ? reported.tool_input : {};
      const given = questions.map(({ question }, index) => [question, answers[index] ?? '']);
      return replaceInput({ ...input, answers: Object.fromEntries(given) }, 'The person answered.');
    },
  },
  canaryCall: (path) => ({
    name: 'Write',
    input: { file_path: path, content: 'This file must not exist.\n' },
  }),
};

function replaceInput(updatedInput: JsonRecord, why: string): string {
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      permissionDecisionReason: why,
      updatedInput,
    },
  });
}

/** Versions whose hooks don't name the call are read as well: the ledger finds those by what they do. */
function readHook(reported: unknown): ReportedCall | null {
  if (!isJsonRecord(reported)) return null;
  const { tool_name, tool_input, cwd, tool_use_id: id } = reported;
  if (typeof tool_name !== 'string' || tool_name === '' || typeof cwd !== 'string') return null;
  if (!isJsonRecord(tool_input)) return null;
  return {
    id: typeof id === 'string' ? id : null,
    name: tool_name,
    input: tool_input,
    does: [{ tool_name, tool_input, cwd }],
  };
}
