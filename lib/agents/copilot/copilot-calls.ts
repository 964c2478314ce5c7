import { leadServerName } from '../../domain/lead-tools.ts';
import type { CallHookFacts, ConversationResult, ReportedCall } from '../../domain/ports/call-facts.ts';
import { isJsonRecord } from '../../util/json.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { listFilesOfPatch, longestHookHoldMs, nameFileOfPath, translateToolName } from '../cli-hooks.ts';

/** Its tools that are offered, by model, and the policy's name for each. All others are switched off. */
export const offeredCopilotTools: Readonly<Record<string, string>> = {
  bash: 'Bash',
  view: 'Read',
  create: 'Write',
  edit: 'Edit',
  apply_patch: 'Edit',
  rg: 'Grep',
  grep: 'Grep',
  glob: 'Glob',
};

/** Precedes the names of our tools. */
export const copilotLeadToolPrefix = `${leadServerName}-`;

const wasBlocked = /^Denied by preToolUse hook\b/;
// All of a result: below what a command prints stands how it ended.
const hookDied = /^Denied by preToolUse hook from "[^"\n]*" \(hook errored\)$/;
const clearedInput = /^The arguments for the tool call '(\w+)' were not valid JSON\. The arguments have been cleared\./;

/** The Copilot CLI: it asks its hook before it looks whether a tool or an input is any good, and names no call. */
export const copilotCallFacts: CallHookFacts = {
  read,
  namesCalls: false,
  repeatsCalls: true,
  neverRan: (result) => hookDied.test(result.text) || isLook(result) || isCleared(result),
  wasBlocked: ({ text }) => wasBlocked.test(text),
  hidesPartOfCall: () => false,
  replace: () => null,
  asks: { tool: 'ask_user', longestMs: longestHookHoldMs, answer: () => null },
  canaryCall: (path) => ({
    name: 'bash',
    input: { command: `touch ${shellQuote(path)}`, description: 'Make a file' },
  }),
};

/** Whether it is a look at a command's output, which does nothing: it also reports a command that ended later so. */
function isLook({ name, input }: ConversationResult): boolean {
  return name === 'read_bash' && isJsonRecord(input) && typeof input.shellId === 'string';
}

/** Whether it dropped the input, as it does where that is no JSON: without input none of its tools does anything. */
function isCleared({ name, input, text }: ConversationResult): boolean {
  const cleared = clearedInput.exec(text)?.[1];
  return cleared !== undefined && cleared === name && isJsonRecord(input) && Object.keys(input).length === 0;
}

function read(reported: unknown): ReportedCall | null {
  if (!isJsonRecord(reported)) return null;
  const { toolName: name, toolArgs: input, cwd } = reported;
  if (typeof name !== 'string' || name === '' || typeof cwd !== 'string') return null;
  if (name === 'apply_patch') {
    const [first, ...rest] = listFilesOfPatch(input, cwd);
    return first === undefined || typeof input !== 'string' ? null : { id: null, name, input, does: [first, ...rest] };
  }
  if (!isJsonRecord(input)) return null;
  const tool = translateToolName(name, offeredCopilotTools, copilotLeadToolPrefix);
  return { id: null, name, input, does: [nameFileOfPath(tool, input, cwd)] };
}
