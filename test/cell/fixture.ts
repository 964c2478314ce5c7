import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { createAgentRunner } from '../../lib/cell/agent-runner.ts';
import type { AgentPolicy } from '../../lib/domain/agent-policy.ts';
import { type Config, configSchema } from '../../lib/domain/config/config-schema.ts';
import { parseObjectId } from '../../lib/domain/ids.ts';
import type { Adapter } from '../../lib/domain/ports/adapter.ts';
import type { AgentRequest, AgentRunner } from '../../lib/domain/ports/agent-port.ts';
import type { CellWorktree } from '../../lib/domain/ports/git-cells.ts';
import type { GitPort } from '../../lib/domain/ports/git-port.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { freshAgentId } from '../support/agent-id.ts';
import { hermeticEnv, makeRepo, type TestRepo } from '../support/repo.ts';

export const distDir = join(process.cwd(), 'dist');

export interface CellFixture {
  readonly repo: TestRepo;
  readonly port: GitPort;
  readonly runner: AgentRunner;
  readonly cell: CellWorktree;
  /** Runs a shell line in the cell. */
  sh(command: string, timeoutMs?: number): ReturnType<AgentRunner['runCommand']>;
  request(changes?: Partial<AgentRequest>): AgentRequest;
}

export interface FixtureOptions {
  /** Of the repository's folder. */
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: unknown;
  readonly adapter?: Partial<Adapter>;
  /** Another copy of the program. */
  readonly distDir?: string;
}

export async function openCellFixture(options: FixtureOptions = {}): Promise<CellFixture> {
  const repo = makeRepo({ name: options.name ?? 'repo' });
  const port = await openGit({ cwd: repo.path, env: repo.env });
  const cell = await port.addCellWorktree(
    join(`${repo.path}.trees`, freshAgentId()),
    parseObjectId(repo.git('rev-parse', 'HEAD')),
  );
  const config: Config = configSchema.parse(options.config ?? {});
  const runner = createAgentRunner({
    config,
    repository: port.repository,
    env: { ...hermeticEnv, ...options.env },
    adapters: () => ({ ...scriptAdapter, ...options.adapter }),
    distDir: options.distDir ?? distDir,
    now: () => new Date('2026-02-06T14:30:22Z'),
  });
  return {
    repo,
    port,
    runner,
    cell,
    sh: (command, timeoutMs = 60_000) =>
      runner.runCommand({ command, phase: 'diagnostics', worktree: cell, timeoutMs, label: 'test' }),
    request: (changes) => agentRequest(cell, changes),
  };
}

const { apis, calls } = getAdapter('claude', configSchema.parse({}));
/** For scripts: the hooks of claude, and the model API beside them. */
export const claudeHooks = { calls };
export const claudeFacts = { apis, calls };

/** Runs the prompt as a shell script; its last line is its text. */
export const scriptAdapter: Adapter = {
  name: 'script',
  command: ['bash'],
  commits: 'agent',
  apis: [],
  calls: null,
  end: null,
  readsByShell: false,
  takesAccountShell: false,
  readsUnasked: [],
  canTalk: false,
  cannotLead: 'they are scripts',
  preparation: null,
  weaker: [],
  version: {
    args: ['--version'],
    minimum: '4.0',
    parse: (output) => /version (\d+\.\d+)/.exec(output)?.[1] ?? null,
    install: 'Install bash.',
  },
  launch: (request, paths) => ({
    argv: [...paths.command, join(paths.controlDir, 'task.sh')],
    env: {
      PATH: paths.searchPath,
      HOME: paths.home,
      TMPDIR: paths.tmp,
      LANG: 'C.UTF-8',
      ...(paths.baseUrl === null ? {} : { BASE_URL: paths.baseUrl }),
      ...(paths.hookCommand === null ? {} : { HOOK: paths.hookCommand }),
      ...(paths.canaryCommand === null ? {} : { CANARY: paths.canaryCommand }),
    },
    files: [{ dir: 'control', path: 'task.sh', content: request.prompt }],
    stdin: null,
    transcript: null,
  }),
  reader: () => {
    let output = '';
    return {
      push: (chunk) => {
        output = (output + chunk).slice(-10_000);
        return [{ text: chunk.slice(-100), tokens: 0, cost_usd: 0 }];
      },
      finish: (end) => ({
        failure: null,
        answer: end,
        text: output.trim(),
        cost_usd: 0,
        tokens: 0,
        warnings: [],
      }),
    };
  },
  readTranscript: () => ({ answer: null, text: '', tokens: 0 }),
};

export function agentRequest(cell: CellWorktree, changes: Partial<AgentRequest> = {}): AgentRequest {
  const id = freshAgentId();
  return {
    id,
    role: 'worker',
    adapter: 'script',
    task: null,
    model: 'sonnet',
    systemPrompt: '',
    prompt: 'true',
    answerSchema: null,
    worktree: cell,
    isReadOnly: false,
    policy: agentPolicy(id, cell.path),
    budget: { unit: 'tokens', limit: 0 },
    timeoutMs: 60_000,
    isInteractive: false,
    author: { name: 'worker one', email: 'worker@example.com' },
    ...changes,
  };
}

export function agentPolicy(id: string, worktree: string): AgentPolicy {
  return {
    v: 1,
    agent_id: id,
    role: 'worker',
    worktree,
    can_write: true,
    allowed_tools: ['Read', 'Write', 'Bash'],
    blocked_tools: [],
    allowed_paths: ['**'],
    hidden_paths: ['secret.key'],
    blocked_paths: ['secret.key'],
    file_locks: null,
    allowed_commands: ['ls'],
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

/** Pids of living processes whose command line holds the text. */
export function processesNaming(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readCommandLine(pid).includes(text))
    .map(Number);
}

/** What a cell must never change: every file below, with its content. */
export function snapshotTree(folder: string, isKept: (path: string) => boolean): string {
  if (!existsSync(folder)) return 'absent';
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isKept)
    .sort()
    .map((path) => `${path}\n${readFileSync(path, 'latin1')}`)
    .join('\n');
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
