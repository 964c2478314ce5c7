import type { AgentPolicy, CallDecision, PathFacts, ToolCall } from '../domain/agent-policy.ts';
import { agentIdentity } from '../domain/ids.ts';
import { errorMessage } from '../util/error-text.ts';
import { judgeBash } from './bash/judge-bash.ts';
import { judgeGlob } from './bash/judge-glob.ts';
import { tooComplexRefusal } from './bash/parse-script.ts';
import { CommandRefusal } from './bash/shell-command-types.ts';
import { type ChangedEntry, checkFileEntry } from './check-branch.ts';
import { judgeCommitMessage, judgeMessageTrailers } from './check-commit.ts';
import { judgePath, resolvePathInContext } from './judge-path.ts';
import { createObjection, joinFirstItems, type PolicyObjection } from './policy-rules.ts';
import { findPathsOfToolCall } from './tool-call-paths.ts';

/**
 * Decides on one tool call. Asks the file system again at every call, and remembers nothing between two. Never throws:
 * a call that can't be judged is blocked.
 */
export function decideToolCall(policy: AgentPolicy, call: ToolCall, facts: PathFacts): CallDecision {
  const found = judgeSafely(policy, call, facts);
  return found === null ? { decision: 'allow', rule: 'allowed', details: '' } : { decision: 'block', ...found };
}

function judgeSafely(policy: AgentPolicy, call: ToolCall, facts: PathFacts): PolicyObjection | null {
  try {
    return judgeCall(policy, call, rememberedFacts(facts));
  } catch (error) {
    if (error instanceof CommandRefusal) return error.objection;
    const reason = errorMessage(error);
    return createObjection('policy-error', `The call could not be judged (${reason}). Try a simpler one.`);
  }
}

function judgeCall(policy: AgentPolicy, call: ToolCall, facts: PathFacts): PolicyObjection | null {
  if (!isWellFormed(call)) {
    return createObjection('call-malformed', 'The call needs a tool name, an input and an absolute folder.');
  }
  return judgeTool(policy, call.tool_name) ?? judgeInput(policy, call, facts);
}

function isWellFormed(call: ToolCall): boolean {
  const { tool_name: name, tool_input: input, cwd } = call as { readonly [key in keyof ToolCall]: unknown };
  const isInput = typeof input === 'object' && input !== null && !Array.isArray(input);
  return typeof name === 'string' && isInput && typeof cwd === 'string' && cwd.startsWith('/');
}

function judgeTool(policy: AgentPolicy, tool: string): PolicyObjection | null {
  // Without it an agent could not hand in its answer; it does nothing else.
  if (tool === 'StructuredOutput') return null;
  // The CLI has two names for starting an agent: who blocks one blocks both.
  const names = tool === 'Task' || tool === 'Agent' ? ['Task', 'Agent'] : [tool];
  const list = joinFirstItems(policy.allowed_tools.filter((one) => !policy.blocked_tools.includes(one)));
  if (names.some((name) => policy.blocked_tools.includes(name))) {
    return createObjection('tool-blocked', `The tool ${tool} is blocked. Use: ${list}.`);
  }
  if (policy.allowed_tools.includes(tool)) return null;
  return createObjection('tool-not-allowed', `A ${policy.role} may not use the tool ${tool}. Use: ${list}.`);
}

function judgeInput(policy: AgentPolicy, call: ToolCall, facts: PathFacts): PolicyObjection | null {
  const named = findPathsOfToolCall(call);
  if ('rule' in named) return named;
  if (call.tool_name === 'Bash') return judgeShell(policy, call, facts);
  const whole = { policy, facts, cwd: call.cwd };
  // Searches stay in the worktree; a file may be named below the cell's /tmp, too.
  const context = { ...whole, policy: { ...policy, extra_writable: [] } };
  for (const path of named.paths) {
    const found = judgePath(named.isSearch ? context : whole, path, named.access);
    if (found !== null) return found;
  }
  const isWriter = named.access === 'write' && named.paths.length === 0 && call.tool_name.endsWith('Edit');
  if (isWriter) return createObjection('call-malformed', `${call.tool_name} names no file.`);
  // Without a folder of its own a search starts where the call was made.
  const start = named.isSearch && named.base === null ? judgePath(context, '.', 'read') : null;
  if (start !== null) return start;
  const base = named.base?.startsWith('/') === true ? named.base : joinPath(call.cwd, named.base ?? '');
  return named.patterns.map((one) => judgeGlob({ ...context, cwd: base }, one)).find((one) => one !== null) ?? null;
}

function judgeShell(policy: AgentPolicy, call: ToolCall, facts: PathFacts): PolicyObjection | null {
  const input = call.tool_input;
  if (isSet(input.dangerouslyDisableSandbox)) {
    return createObjection('tool-option', 'The sandbox stays on. Run the command without dangerouslyDisableSandbox.');
  }
  if (isSet(input.run_in_background)) {
    return createObjection(
      'bash-background',
      'Nothing runs in the background here. Run the command in the foreground.',
    );
  }
  const context = { policy, facts, cwd: call.cwd };
  const blocked = judgePath(context, '.', 'read');
  if (blocked !== null) return blocked;
  const start = resolvePathInContext(context, '.', 'read');
  if ('rule' in start) return start;
  const cwd = start.kind === 'extra' ? start.resolved : joinPath(policy.worktree, start.resolved);
  return judgeBash({ policy, facts, cwd, command: typeof input.command === 'string' ? input.command : '' });
}

/** Whether an option is on: any value that isn't plainly off counts. */
function isSet(option: unknown): boolean {
  return option !== undefined && option !== null && option !== false;
}

function joinPath(folder: string, relative: string): string {
  return relative === '' ? folder : `${folder}/${relative}`;
}

/** A git hook's facts about a commit that is about to be made. */
export type GitHookCall =
  | { readonly hook: 'commit-msg'; readonly message: string }
  | { readonly hook: 'pre-commit'; readonly staged: readonly ChangedEntry[] };

const mostShown = 5;

/** Judges a commit before it's made, by the rules the finished branch is judged by; contents are left to that. */
export function decideGitHook(policy: AgentPolicy, call: GitHookCall): CallDecision {
  const found =
    call.hook === 'commit-msg'
      ? [
          judgeCommitMessage(policy, call.message),
          judgeMessageTrailers(agentIdentity(policy.agent_id), call.message),
        ].filter((one) => one !== null)
      : call.staged.flatMap((entry) => checkFileEntry(policy, entry));
  const [first] = found;
  if (first === undefined) return { decision: 'allow', rule: 'allowed', details: '' };
  const more = found.length - mostShown;
  const lines = found.slice(0, mostShown).map(({ details }) => details);
  const details = [...lines, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n');
  return { decision: 'block', rule: first.rule, details };
}

// The kernel is asked 20,000 times where a folder of that many files is judged; that takes a tenth of a second.
const maxEntries = 50_000;
// Where it was asked before, the answer costs a twentieth of that.
const mostRepeated = 1_000_000;
// Each starts a process. What is asked beyond that stays unknown.
const mostQuestions = 20;

/**
 * The file system and the repository as one judgement sees them: asked once about each path, and so often and no more.
 * It lasts as long as the judgement; the next one asks again. Throws a Refusal where a call would need more.
 */
function rememberedFacts(facts: PathFacts): PathFacts {
  let asked = 0;
  let repeated = 0;
  const remember = <T>(ask: (path: string) => T): ((path: string) => T) => {
    const known = new Map<string, { readonly answer: T }>();
    return (path) => {
      const before = known.get(path);
      if (before === undefined) asked += 1;
      else repeated += 1;
      if (asked > maxEntries || repeated > mostRepeated) throw tooComplexRefusal();
      if (before !== undefined) return before.answer;
      const answer = ask(path);
      known.set(path, { answer });
      return answer;
    };
  };
  const kinds = new Map<string, string | null>();
  const kindOf = (id: string, cwd: string): string | null => {
    const known = kinds.get(id);
    if (known !== undefined) return known;
    const kind = kinds.size < mostQuestions ? facts.kindOf(id, cwd) : null;
    kinds.set(id, kind);
    return kind;
  };
  return { lstat: remember((path) => facts.lstat(path)), list: remember((path) => facts.list(path)), kindOf };
}
