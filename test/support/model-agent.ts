import { type AgentPolicy, agentPolicySchema } from '../../lib/domain/agent-policy.ts';
import { parseAgentId, parseObjectId, parseTaskId } from '../../lib/domain/ids.ts';
import type { PathsInsideCell } from '../../lib/domain/ports/adapter.ts';
import type { AgentRequest } from '../../lib/domain/ports/agent-port.ts';
import type { PromptTask } from '../../lib/domain/ports/prompt-port.ts';

/** A worker's request, to be changed where a test needs it. */
export function makeRequest(changes: Partial<AgentRequest> = {}): AgentRequest {
  const path = changes.worktree?.path ?? '/repo/.trees/worker-1a2b3c4d';
  return {
    id: parseAgentId('worker-1a2b3c4d'),
    role: 'worker',
    adapter: 'claude',
    task: parseTaskId('task-001'),
    model: 'sonnet',
    systemPrompt: 'You are a worker of git-flame.',
    prompt: 'Carry out task task-001.',
    answerSchema: null,
    worktree: {
      path,
      start: parseObjectId('0'.repeat(40)),
      base: parseObjectId('0'.repeat(40)),
      quarantine: { objectDir: '/objects', alternates: [], worktreeGitDir: '/gitdir' },
    },
    isReadOnly: false,
    policy: makePolicy({ worktree: path }),
    budget: { unit: 'usd', limit: 1.5 },
    timeoutMs: 300_000,
    isInteractive: false,
    author: { name: 'worker-1a2b3c4d', email: 'worker-1a2b3c4d@example.com' },
    ...changes,
  };
}

export function makePolicy(changes: Partial<AgentPolicy> = {}): AgentPolicy {
  return agentPolicySchema.parse({
    v: 1,
    agent_id: 'worker-1a2b3c4d',
    role: 'worker',
    worktree: '/repo/.trees/worker-1a2b3c4d',
    can_write: true,
    allowed_tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash'],
    blocked_tools: ['WebFetch', 'Task', 'Agent'],
    allowed_paths: ['src/**'],
    blocked_paths: [],
    hidden_paths: ['.env*'],
    file_locks: ['src/a.txt'],
    allowed_commands: ['git add', 'git commit'],
    exact_commands: [],
    blocked_patterns: [],
    allowed_env: [],
    commit_pattern: '',
    commit_example: '',
    naming_style: null,
    naming_globs: [],
    max_file_bytes: 1_000_000,
    require_tests: null,
    ...changes,
  });
}

export function makePaths(changes: Partial<PathsInsideCell> = {}): PathsInsideCell {
  return {
    command: ['/usr/bin/claude'],
    searchPath: '/usr/bin:/bin',
    home: '/cell/home',
    tmp: '/cell/tmp',
    controlDir: '/cell/control',
    toolsCommand: null,
    prepared: null,
    hookCommand: '/cell/control/watcher',
    endCommand: null,
    canaryCommand: 'touch /cell/canary',
    baseUrl: 'http://127.0.0.1:8787',
    apiKey: `${'f'.repeat(64)}-inside-the-cell-only`,
    shell: '/bin/bash',
    ...changes,
  };
}

export function makePromptTask(changes: Partial<PromptTask> = {}): PromptTask {
  return {
    id: parseTaskId('task-001'),
    title: 'Add a greeting',
    description: 'Write `hello` to src/a.txt.',
    acceptance_criteria: ['src/a.txt holds hello'],
    constraints: [],
    history: [],
    ...changes,
  };
}
