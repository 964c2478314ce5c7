import { resolve } from 'node:path';
import type { ToolCall } from '../../domain/agent-policy.ts';
import { leadServerName } from '../../domain/lead-tools.ts';
import type { CallHookFacts } from '../../domain/ports/call-facts.ts';
import { isJsonRecord } from '../../util/json.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type HookReportedCall, listFilesOfPatch, parseHookReport, translateToolName } from '../cli-hooks.ts';

const neverRan =
  /^(?:The \S+ tool was called with invalid arguments|The arguments provided to the tool are invalid|Model tried to call unavailable tool )/;
// The watcher's reason is the whole result of a blocked call; it ends with the rule.
const wasBlocked = /\[[a-z-]+\]\s*$/;

/**
 * opencode: our plugin reports each call before its input is even looked at. Where the API names no calls (Gemini's),
 * the conversation has no id either.
 */
export const opencodeCallHook: CallHookFacts = {
  read: (reported) =>
    parseHookReport(reported, 'tool_use_id', (call) =>
      call.name === 'apply_patch' ? listFilesOfPatch(call.input.patchText, call.cwd) : [translate(call)],
    ),
  namesCalls: true,
  repeatsCalls: true,
  // A command prints what it likes: only one that names none can't have run.
  neverRan: ({ name, input, text }, isOffered = true) =>
    name === 'bash' && isOffered ? !isJsonRecord(input) || typeof input.command !== 'string' : neverRan.test(text),
  wasBlocked: ({ text }) => wasBlocked.test(text),
  hidesPartOfCall: () => false,
  replace: () => null,
  // `run` always denies its tool for that, under any settings.
  asks: null,
  canaryCall: (path) => ({
    name: 'bash',
    input: { command: `touch ${shellQuote(path)}`, description: 'Make a file' },
  }),
};

// Maps its tools to the policy's names. One that isn't here keeps its name, and no policy allows it.
const names: Readonly<Record<string, string>> = {
  bash: 'Bash',
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  glob: 'Glob',
  grep: 'Grep',
  list: 'LS',
  task: 'Agent',
  webfetch: 'WebFetch',
  websearch: 'WebSearch',
  todowrite: 'TodoWrite',
  skill: 'Skill',
};

function translate({ name, input, cwd }: HookReportedCall): ToolCall {
  const { filePath, workdir, ...rest } = input;
  const tool_name = translateToolName(name, names, `${leadServerName}_`);
  const isElsewhere = tool_name === 'Bash' && typeof workdir === 'string';
  return {
    tool_name,
    tool_input: {
      ...rest,
      ...(filePath === undefined ? {} : { file_path: filePath }),
      ...(workdir === undefined || isElsewhere ? {} : { workdir }),
    },
    cwd: isElsewhere ? resolve(cwd, workdir) : cwd,
  };
}
