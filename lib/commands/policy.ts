import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { openPathFacts } from '../cell/watcher/path-facts.ts';
import { parseToolCall } from '../cell/watcher/watcher-protocol.ts';
import { renderConfigWithOrigins } from '../config/list-config-values.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { AgentPolicy, CallDecision, PathFacts, ToolCall } from '../domain/agent-policy.ts';
import { FlameError } from '../domain/flame-error.ts';
import { agentRoles, type Role } from '../domain/role.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { compileWorkerPolicy } from '../engine/post-check/worker-policy.ts';
import { decideToolCall } from '../policy/decide-tool-call.ts';
import type { RuleName } from '../policy/policy-rules.ts';
import { renderPolicyDecision } from '../ui/render/render-calls.ts';
import { withRepositoryState } from './context/open-read-context.ts';
import { readConfig } from './context/read-config.ts';

// No other call waits for this judge.
const patientMs = 10_000;

/**
 * `git flame policy check`: the call that is named, and 1 where it is blocked. Without one, tool calls on stdin, one JSON
 * object a line; one decision a line in the same order.
 */
export function run(args: CommandArgs<'policy'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async ({ git, configFile, output }) => {
    const { mainWorkTree, workTree } = git.repository;
    const root = mainWorkTree ?? io.cwd;
    const loaded = await readConfig(root, configFile);
    const { config } = loaded;
    const sourceOf = ruleSources(loaded);
    const { role, locks, worktree } = args.options;
    const policy = await compileWorkerPolicy(
      { config, git },
      {
        role: parseRole(role),
        worktree: realpathSync(worktree === null ? (workTree ?? root) : resolve(io.cwd, worktree)),
        fileLocks: locks ?? [],
        start: await git.resolveCommit('HEAD'),
      },
    );
    // Without --locks the rules are tried that hold for every task: no scope.
    const tried = locks === null ? { ...policy, file_locks: null } : policy;
    const facts = openPathFacts({ workTree: policy.worktree, env: io.env }, patientMs);
    const [named] = args.positionals;
    if (named !== undefined) {
      const decision = decideToolCall(tried, namedCall(named, policy), facts);
      output.json(explained(decision, sourceOf));
      output.result(renderPolicyDecision(explained(decision, sourceOf), output.style));
      return decision.decision === 'allow' ? 0 : 1;
    }
    for await (const line of createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() !== '')
        io.stdout.write(`${JSON.stringify(explained(decideLine(tried, line, facts), sourceOf))}\n`);
    }
    return 0;
  });
}

// The input field that each tool is judged by.
const fields: Readonly<Record<string, string>> = {
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  LS: 'path',
  NotebookRead: 'notebook_path',
  NotebookEdit: 'notebook_path',
  Glob: 'pattern',
  Grep: 'pattern',
  Bash: 'command',
  WebFetch: 'url',
  WebSearch: 'query',
  Task: 'prompt',
  Agent: 'prompt',
  Skill: 'skill',
  TodoWrite: 'todos',
  AskUserQuestion: 'questions',
};

/** `Write src/a.ts`, `Bash git push`, `WebFetch https://…`; what begins with no tool is a command line. */
function namedCall(words: string, { worktree: cwd, allowed_tools, blocked_tools }: AgentPolicy): ToolCall {
  const [, first = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(words) ?? [];
  // `CI=1 make` begins with a variable, `R CMD check` with a program.
  const isTool =
    [...Object.keys(fields), ...allowed_tools, ...blocked_tools].includes(first) || /^mcp__[\w-]+$/.test(first);
  const [tool, about] = isTool ? [first, rest] : ['Bash', words];
  const edits = tool === 'MultiEdit' ? { edits: [] } : {};
  return { tool_name: tool, tool_input: { ...edits, [fields[tool] ?? 'input']: about }, cwd };
}

/** A decision with the place in the configuration its rule comes from, where it comes from one. */
function explained(
  decision: CallDecision,
  sourceOf: (rule: string) => string | null,
): CallDecision & { source?: string } {
  const source = sourceOf(decision.rule);
  return source === null ? decision : { ...decision, source };
}

function decideLine(policy: AgentPolicy, line: string, facts: PathFacts): CallDecision {
  const call = parseCall(line, policy.worktree);
  if (call !== null) return decideToolCall(policy, call, facts);
  return {
    decision: 'block',
    rule: 'call-malformed',
    details: 'The line is not a tool call: {"tool_name", "tool_input", "cwd"}.',
  };
}

function parseCall(line: string, worktree: string): ReturnType<typeof parseToolCall> {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null;
    return parseToolCall(isObject && !('cwd' in value) ? { ...value, cwd: worktree } : value);
  } catch {
    return null;
  }
}

function parseRole(text: string | null): Role {
  const role = agentRoles.find((name) => name === (text ?? 'worker'));
  if (role !== undefined) return role;
  throw new FlameError({
    kind: 'usage',
    code: 'unknown-role',
    message: `There is no role ${JSON.stringify(text)}.`,
    hints: agentRoles.map((name) => `git flame policy check --role ${name}`),
  });
}

/** The configuration key a rule comes from; rules that always hold have none. */
const keys: Partial<Record<RuleName, string>> = {
  'tool-not-allowed': 'permissions.allowed_tools',
  'tool-blocked': 'permissions.blocked_tools',
  'path-blocked': 'permissions.blocked_paths',
  'path-hidden': 'permissions.hidden_paths',
  'path-not-allowed': 'permissions.allowed_paths',
  'path-out-of-scope': 'validation.file_scope.enforce',
  'file-name': 'validation.file_naming.style',
  'bash-not-allowed': 'permissions.bash_rules.allowed_commands',
  'bash-pattern': 'permissions.bash_rules.blocked_patterns',
  'bash-environment': 'permissions.bash_rules.allowed_env',
  'commit-message': 'validation.commit_format.pattern',
  'diagnostics-only': 'validation.validator_diagnostics.commands',
  'recorded-only': 'validation.validator_diagnostics.commands',
  'file-size': 'sandbox.max_file_size_mb',
  'tests-missing': 'validation.require_tests.enabled',
};

/** Says where a rule is written: `permissions.blocked_paths (.blueflame.yml:5)`; null for rules that always hold. */
function ruleSources(loaded: LoadedConfig): (rule: string) => string | null {
  const places = new Map(renderConfigWithOrigins(loaded.config, loaded.text).flatMap(placeOf));
  const bySource = keys as Readonly<Record<string, string | undefined>>;
  return (rule) => {
    const key = bySource[rule];
    return key === undefined ? null : `${key} ${places.get(key) ?? '(default)'}`;
  };
}

function placeOf(line: string): [string, string][] {
  const found = /^(\S+) = .*(\([^()]*\))$/.exec(line);
  return found === null ? [] : [[found[1] ?? '', found[2] ?? '']];
}
