import type { AgentPolicy } from '../../domain/policy.ts';

/** Everything is allowed but the one path, `canary.txt`: a hook that doesn't work lets the file through. */
export function canaryPolicy(agent: string, worktree: string): AgentPolicy {
  return {
    v: 1,
    agent_id: agent,
    role: 'worker',
    worktree,
    can_write: true,
    allowed_tools: ['Read', 'Write'],
    blocked_tools: [],
    allowed_paths: ['**'],
    blocked_paths: [],
    hidden_paths: ['canary.txt'],
    file_locks: null,
    allowed_commands: [],
    exact_commands: [],
    blocked_patterns: [],
    allowed_env: [],
    commit_pattern: '',
    commit_example: '',
    naming_style: null,
    naming_globs: [],
    max_file_bytes: 1_000_000,
    require_tests: null,
  };
}
