import * as z from 'zod';
import { roleSchema } from './role-schema.ts';

/** What one agent may do: compiled from config, role and task, and shared by all three phases. */
export const agentPolicySchema = z.object({
  v: z.literal(1),
  agent_id: z.string(),
  role: roleSchema,
  /** Absolute real path; everything outside it is out of bounds. */
  worktree: z.string(),
  can_write: z.boolean(),
  /** Absolute folders outside the worktree that may be read and written, such as the agent's TMPDIR. */
  extra_writable: z.array(z.string()).optional(),
  allowed_tools: z.array(z.string()),
  blocked_tools: z.array(z.string()),
  allowed_paths: z.array(z.string()),
  /** What may be read and not changed. */
  blocked_paths: z.array(z.string()),
  /** What may be neither read nor changed. */
  hidden_paths: z.array(z.string()),
  /** Folders of the repository that are no agent's, beside the names that are always protected. */
  protected_paths: z.array(z.string()).optional(),
  /** Untracked paths that were put into the worktree before the agent began, and by what; a slash at the end: all below. */
  prepared: z.array(z.object({ path: z.string(), by: z.string() })).optional(),
  /** The task's own locks; null: scope is not enforced. */
  file_locks: z.array(z.string()).nullable(),
  /** Paths of the start that are there by a name that could be a pattern: a glob that holds such a name means it. */
  literal_paths: z.array(z.string()).optional(),
  /** What the lead allows. */
  allowed_commands: z.array(z.string()),
  /** What the role may run whatever the lead allows: it only looks, or writes where paths are judged. */
  base_commands: z.array(z.string()).optional(),
  /** Exact command lines that are never run in the agent's cell, only shown as they were run elsewhere (a validator's diagnostics). */
  exact_commands: z.array(z.string()),
  blocked_patterns: z.array(z.string()),
  allowed_env: z.array(z.string()),
  commit_pattern: z.string(),
  commit_example: z.string(),
  naming_style: z.string().nullable(),
  naming_globs: z.array(z.string()),
  max_file_bytes: z.number(),
  require_tests: z
    .object({ source_patterns: z.array(z.string()), test_patterns: z.array(z.string()) })
    .nullable(),
});
export type AgentPolicy = Readonly<z.infer<typeof agentPolicySchema>>;

/** A tool call as the hook reports it (claude's PreToolUse object). */
export interface ToolCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
}

export interface Decision {
  readonly decision: 'allow' | 'block';
  /** Stable, kebab-case: `path-blocked`, `bash-not-allowed`. */
  readonly rule: string;
  /** What and why. */
  readonly details: string;
  /** What the agent may do instead, where that is for it alone. */
  readonly advice?: string;
}

/** What an agent is told of a decision. */
export function toldOf({ details, advice }: Decision): string {
  return advice === undefined ? details : `${details} ${advice}`;
}

/** One line of `<agent>.audit.jsonl`. */
export interface AuditLine extends Decision {
  readonly timestamp: string;
  readonly agent_id: string;
  readonly tool: string;
  readonly target: string;
}

/** What the pure policy must ask about the file system and the repository. */
export interface PathFacts {
  /** lstat of an absolute path; null if nothing is there. */
  lstat(path: string): {
    readonly kind: 'file' | 'directory' | 'symlink' | 'other';
    readonly links: number;
    readonly target: string;
  } | null;
  /** Names in a folder, `.` and `..` left out; null if it can't be read. Shell wildcards are expanded with it. */
  list(path: string): readonly string[] | null;
  /** What git says an id is of (blob, tree, commit, tag, missing); null: it failed, or took longer than a judgement can wait. */
  kindOf(id: string, cwd: string): string | null;
}

/** What the post-check found: a rule broken at a place. */
export interface Violation {
  readonly rule: string;
  /** Path, or commit. */
  readonly where: string;
  readonly details: string;
}
