import type { AgentPolicy, Decision, PathFacts, ToolCall } from '../domain/policy.ts';
import { judgeBash } from './bash/judge-bash.ts';
import { judgeGlob } from './bash/judge-glob.ts';
import { Refusal } from './bash/refusal.ts';
import { judgePath } from './judge-path.ts';
import { rememberedFacts } from './remembered-facts.ts';
import { resolvePath } from './resolve-path.ts';
import { listSome, type Objection, objection } from './rules.ts';
import { toolPaths } from './tool-fields.ts';

/**
 * Decides on one tool call. Asks the file system again at every call, and remembers nothing between two. Never throws:
 * a call that can't be judged is blocked.
 */
export function decide(policy: AgentPolicy, call: ToolCall, facts: PathFacts): Decision {
  const found = judgeSafely(policy, call, facts);
  return found === null
    ? { decision: 'allow', rule: 'allowed', details: '' }
    : { decision: 'block', ...found };
}

function judgeSafely(policy: AgentPolicy, call: ToolCall, facts: PathFacts): Objection | null {
  try {
    return judgeCall(policy, call, rememberedFacts(facts));
  } catch (error) {
    if (error instanceof Refusal) return error.objection;
    const reason = error instanceof Error ? error.message : String(error);
    return objection('policy-error', `The call could not be judged (${reason}). Try a simpler one.`);
  }
}

function judgeCall(policy: AgentPolicy, call: ToolCall, facts: PathFacts): Objection | null {
  if (!isWellFormed(call)) {
    return objection('call-malformed', 'The call needs a tool name, an input and an absolute folder.');
  }
  return judgeTool(policy, call.tool_name) ?? judgeInput(policy, call, facts);
}

function isWellFormed(call: ToolCall): boolean {
  const { tool_name: name, tool_input: input, cwd } = call as { readonly [key in keyof ToolCall]: unknown };
  const isInput = typeof input === 'object' && input !== null && !Array.isArray(input);
  return typeof name === 'string' && isInput && typeof cwd === 'string' && cwd.startsWith('/');
}

function judgeTool(policy: AgentPolicy, tool: string): Objection | null {
  // Without it an agent could not hand in its answer; it does nothing else.
  if (tool === 'StructuredOutput') return null;
  // The CLI has two names for starting an agent: who blocks one blocks both.
  const names = tool === 'Task' || tool === 'Agent' ? ['Task', 'Agent'] : [tool];
  const list = listSome(policy.allowed_tools.filter((one) => !policy.blocked_tools.includes(one)));
  if (names.some((name) => policy.blocked_tools.includes(name))) {
    return objection('tool-blocked', `The tool ${tool} is blocked. Use: ${list}.`);
  }
  if (policy.allowed_tools.includes(tool)) return null;
  return objection('tool-not-allowed', `A ${policy.role} may not use the tool ${tool}. Use: ${list}.`);
}

function judgeInput(policy: AgentPolicy, call: ToolCall, facts: PathFacts): Objection | null {
  const named = toolPaths(call);
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
  if (isWriter) return objection('call-malformed', `${call.tool_name} names no file.`);
  // Without a folder of its own a search starts where the call was made.
  const start = named.isSearch && named.base === null ? judgePath(context, '.', 'read') : null;
  if (start !== null) return start;
  const base = named.base === null ? call.cwd : baseFolder(call.cwd, named.base);
  return (
    named.patterns.map((one) => judgeGlob({ ...context, cwd: base }, one)).find((one) => one !== null) ?? null
  );
}

function baseFolder(cwd: string, base: string): string {
  return base.startsWith('/') ? base : `${cwd}/${base}`;
}

function judgeShell(policy: AgentPolicy, call: ToolCall, facts: PathFacts): Objection | null {
  const input = call.tool_input;
  if (isSet(input.dangerouslyDisableSandbox)) {
    return objection(
      'tool-option',
      'The sandbox stays on. Run the command without dangerouslyDisableSandbox.',
    );
  }
  if (isSet(input.run_in_background)) {
    return objection(
      'bash-background',
      'Nothing runs in the background here. Run the command in the foreground.',
    );
  }
  const blocked = judgePath({ policy, facts, cwd: call.cwd }, '.', 'read');
  if (blocked !== null) return blocked;
  const start = resolvePath({
    path: '.',
    cwd: call.cwd,
    worktree: policy.worktree,
    extra: policy.extra_writable ?? [],
    facts,
  });
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
