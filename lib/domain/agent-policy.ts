import * as z from 'zod';
import { agentRoles } from './role.ts';

export const roleSchema = z.enum(agentRoles);

/** Rules of one agent: compiled from config, role and task, and shared by all three phases. */
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
  /** Paths that may be read and not changed. */
  blocked_paths: z.array(z.string()),
  /** Paths that may be neither read nor changed. */
  hidden_paths: z.array(z.string()),
  /** Folders of the repository that are no agent's, beside the names that are always protected. */
  protected_paths: z.array(z.string()).optional(),
  /** Untracked paths that were put into the worktree before the agent began, and by what; a slash at the end: all below. */
  prepared: z.array(z.object({ path: z.string(), by: z.string() })).optional(),
  /** The task's own locks; null: scope is not enforced. */
  file_locks: z.array(z.string()).nullable(),
  /** Paths of the start that are there by a name that could be a pattern: a glob that holds such a name means it. */
  literal_paths: z.array(z.string()).optional(),
  /** Commands that the lead allows. */
  allowed_commands: z.array(z.string()),
  /** Commands the role may always run: they only read, or write where paths are judged. */
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
  require_tests: z.object({ source_patterns: z.array(z.string()), test_patterns: z.array(z.string()) }).nullable(),
});
export type AgentPolicy = Readonly<z.infer<typeof agentPolicySchema>>;

/** A tool call as the hook reports it (claude's PreToolUse object). */
export interface ToolCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
}

export interface CallDecision {
  readonly decision: 'allow' | 'block';
  /** Stable, kebab-case: `path-blocked`, `bash-not-allowed`. */
  readonly rule: string;
  /** The subject and the reason. */
  readonly details: string;
  /** An alternative for the agent, where that is for it alone. */
  readonly advice?: string;
}

/** The text of a decision for the agent. */
export function renderDecisionForAgent({ details, advice }: CallDecision): string {
  return advice === undefined ? details : `${details} ${advice}`;
}

/** One line of `<agent>.audit.jsonl`. */
export interface AuditLine extends CallDecision {
  readonly timestamp: string;
  readonly agent_id: string;
  readonly tool: string;
  readonly target: string;
}

/** Facts of the file system and the repository for the pure policy. */
export interface PathFacts {
  /** lstat of an absolute path; null if nothing is there. */
  lstat(path: string): {
    readonly kind: 'file' | 'directory' | 'symlink' | 'other';
    readonly links: number;
    readonly target: string;
  } | null;
  /** Names in a folder, `.` and `..` left out; null if it can't be read. Shell wildcards are expanded with it. */
  list(path: string): readonly string[] | null;
  /** The type of an object by git (blob, tree, commit, tag, missing); null: git failed, or took too long. */
  kindOf(id: string, cwd: string): string | null;
}

/** A finding of the post-check: a rule broken at a place. */
export interface Violation {
  readonly rule: string;
  /** Path, or commit. */
  readonly where: string;
  readonly details: string;
}
