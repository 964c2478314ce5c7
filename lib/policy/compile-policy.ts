import type { AgentPolicy } from '../domain/agent-policy.ts';
import type { Config } from '../domain/config/config-schema.ts';
import { listUnreadablePaths } from '../domain/config/hidden-paths.ts';
import type { AgentId } from '../domain/ids.ts';
import { fullLeadToolName, leadTools } from '../domain/lead-tools.ts';
import type { Role } from '../domain/role.ts';
import { listAmbiguousPaths } from '../util/path-patterns.ts';
import { isBuiltin } from './bash/builtins.ts';
import { isKnownSubcommand } from './bash/judge-git.ts';
import { listAgentWorktreeFolders } from './protected-places.ts';

export interface PolicyInput {
  readonly config: Config;
  readonly role: Role;
  readonly agentId: AgentId;
  /** Absolute real path. */
  readonly worktree: string;
  /** The task's locks; for a merger those of all the tasks it merges. */
  readonly fileLocks: readonly string[];
  /** The listPathsForLiteralGlobs that are there where the work starts. */
  readonly present?: readonly string[];
  /** The agent's CLI has no tools that read: a validator looks at files by commands. */
  readonly readsByShell?: boolean;
  /** Absolute folders outside the worktree that hold its temporary files under another name than /tmp. */
  readonly scratch?: readonly string[];
  /** See AgentPolicy. */
  readonly prepared?: NonNullable<AgentPolicy['prepared']>;
}

const readTools = ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'Bash', 'TodoWrite'];
// The cell's own; their content is gone once the agent is.
const scratchFolders = ['/tmp'];

/** Compiles what one agent may do. A pure function: the same input gives the same policy, byte for byte. */
export function compilePolicy(input: PolicyInput): AgentPolicy {
  const { config, role } = input;
  const { permissions, validation } = config;
  const { enabled: isTestRequired, ...testPatterns } = validation.require_tests;
  const canWrite = role === 'worker' || role === 'merger';
  return {
    v: 1,
    agent_id: input.agentId,
    role,
    worktree: input.worktree,
    can_write: canWrite,
    extra_writable: [...scratchFolders, ...(input.scratch ?? [])],
    allowed_tools: allowedTools(input),
    blocked_tools: permissions.blocked_tools,
    allowed_paths: canWrite ? permissions.allowed_paths : [],
    blocked_paths: permissions.blocked_paths,
    hidden_paths: [...listUnreadablePaths(permissions)],
    protected_paths: [...listAgentWorktreeFolders(config.project.worktree_dir)],
    ...(input.prepared === undefined || input.prepared.length === 0 ? {} : { prepared: [...input.prepared] }),
    file_locks: validation.file_scope.enforce && canWrite ? [...input.fileLocks] : null,
    ...(input.present === undefined || input.present.length === 0 ? {} : { literal_paths: [...input.present] }),
    allowed_commands: allowedCommands(config, role),
    base_commands: baseCommands(input),
    exact_commands: [...exactCommands(config, role)],
    blocked_patterns: permissions.bash_rules.blocked_patterns,
    allowed_env: permissions.bash_rules.allowed_env,
    commit_pattern: validation.commit_format.pattern,
    commit_example: validation.commit_format.example,
    naming_style: validation.file_naming.style,
    naming_globs: validation.file_naming.enforce_for,
    max_file_bytes: config.sandbox.max_file_size_mb * 1024 * 1024,
    require_tests: isTestRequired ? testPatterns : null,
  };
}

/** The paths of a repository by whose being there locks and the paths of the configuration are read. */
export function listPathsForLiteralGlobs(
  { permissions, validation }: Config,
  fileLocks: readonly string[],
): readonly string[] {
  const { source_patterns, test_patterns } = validation.require_tests;
  const naming = validation.file_naming.enforce_for;
  const all = [permissions.allowed_paths, fileLocks, naming, source_patterns, test_patterns];
  return listAmbiguousPaths(all.flat());
}

/** StructuredOutput is how claude hands in its answer: without it no agent could end its work. */
function allowedTools({ config, role, readsByShell = false }: PolicyInput): string[] {
  // The lead agent looks and acts by our tools alone: built-in ones would cost as much again in each request.
  if (role === 'queen') return leadTools.map(fullLeadToolName);
  const configured = config.permissions.allowed_tools;
  const own =
    role === 'planner' || role === 'validator' ? configured.filter((tool) => readTools.includes(tool)) : configured;
  // A shell no command may be run in costs a third of each request and the turns in which that is found out.
  const isShellUseless = role === 'validator' && !readsByShell && exactCommands(config, role).length === 0;
  const skill = config.superpowers.enabled ? ['Skill'] : [];
  const tools = isShellUseless ? own.filter((tool) => tool !== 'Bash') : own;
  return [...new Set([...tools, ...skill, 'StructuredOutput'])];
}

/** A validator's diagnostics. */
function exactCommands({ validation }: Config, role: Role): readonly string[] {
  const { enabled, commands } = validation.validator_diagnostics;
  return role === 'validator' && enabled ? commands : [];
}

/** Lists the commands an agent may run under any configuration; a validator runs its diagnostics and nothing else. */
function baseCommands({ role, readsByShell = false }: PolicyInput): string[] {
  if (role === 'queen') return [];
  if (role === 'validator') return readsByShell ? [...readCommands] : [];
  return role === 'planner' ? [...readCommands] : [...readCommands, ...writeCommands];
}

function allowedCommands(config: Config, role: Role): string[] {
  if (role !== 'worker' && role !== 'merger') return [];
  const configured = config.permissions.bash_rules.allowed_commands;
  // Code of the tasks it merges could answer for it. The checks run on what it commits, in cells of their own.
  return role === 'merger' ? configured.filter(runsNoCode) : configured;
}

/** Commands that only look: any agent that may use a shell may run them, under any configuration. */
const readCommands: readonly string[] = [
  ...'status diff log show shortlog blame annotate grep ls-files ls-tree rev-parse rev-list branch describe tag'
    .split(' ')
    .map((name) => `git ${name}`),
  ...'merge-base name-rev for-each-ref cat-file check-ignore count-objects diff-tree diff-index diff-files'
    .split(' ')
    .map((name) => `git ${name}`),
  ...'range-diff remote reflog config'.split(' ').map((name) => `git ${name}`),
  'git stash list',
  'git stash show',
  'git worktree list',
  'npm ls',
  'go list',
  'go env',
  'go doc',
  'cargo tree',
  ...'ls cat tac zcat zgrep head tail wc nl grep egrep fgrep rg find tree du stat file less more strings'.split(' '),
  ...'sort uniq cut paste tr fold rev column comm cmp diff od xxd hexdump jq sed awk bc expr'.split(' '),
  ...'md5sum sha1sum sha256sum sha512sum cksum base64 basename dirname realpath readlink pwd'.split(' '),
  ...'echo printf test [ true false : sleep seq date which type command yes env xargs timeout time nice'.split(' '),
  ...'nproc uname whoami df free uptime mktemp getconf locale tput clear'.split(' '),
];

/** Commands that a worker also runs within its scope: the paths they name are judged one by one. */
const writeCommands: readonly string[] = [
  'git add',
  'git commit',
  'mkdir',
  'rmdir',
  'touch',
  'cp',
  'mv',
  'tee',
  'tar',
  'gzip',
  'gunzip',
  'zip',
  'unzip',
];

const programs = new Set(
  [...readCommands, ...writeCommands]
    .filter((one) => !one.includes(' '))
    .concat('rm', 'unlink', 'truncate', 'chmod', 'nice', 'ionice', 'stdbuf', 'ps', 'id'),
);

/**
 * Whether an entry of `allowed_commands` allows no program of the repository to run: only programs that read and
 * change files, and git by the subcommands the policy has rules for. Their rules refuse what starts others.
 */
function runsNoCode(entry: string): boolean {
  const [name = '', subcommand] = entry.trim().split(/\s+/);
  if (name === 'git') return subcommand === undefined || isKnownSubcommand(subcommand);
  return programs.has(name) || isBuiltin(name);
}
