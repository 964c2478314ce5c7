import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { flame } from '../support/flame.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

export interface CorpusPolicy {
  readonly allowed_paths: readonly string[];
  readonly blocked_paths: readonly string[];
  readonly file_locks: readonly string[];
  readonly commit_pattern?: string;
  readonly blocked_patterns?: readonly string[];
  readonly env_allow?: readonly string[];
}

/** A call as recorded: tool, input, and the folder it was made in where that isn't the worktree. */
export type Call = readonly [tool: unknown, input: unknown, cwd?: string];

export interface Stage {
  readonly repo: TestRepo;
  readonly worktree: string;
  /** What `git flame policy check` says about each call, in their order. */
  readonly judge: (calls: readonly Call[], locks?: readonly string[]) => Promise<readonly string[]>;
}

const files =
  'src/app.ts src/a src/a.ts src/locked/l.ts test/app.test.ts docs/guide.md infra/main.tf .env README.md build/x package.json package-lock.json Makefile node_modules/x .claude/x';
const links: Readonly<Record<string, string>> = {
  'src/out': '/etc',
  'src/passwd': '/etc/passwd',
  'src/up': '..',
  'src/toinfra': '../infra',
  'src/tolock': 'locked',
  'src/dangling': '/tmp/gf-new-file',
  'src/dangling-in': '../infra/new.tf',
  'src/inner': 'a.ts',
  'src/loop': 'loop',
  'src/gitlink': '../.git',
  'src/chain': 'up/infra',
};

/** A repository configured as a lead would, with a linked worktree full of traps. */
export function openStage(policy: CorpusPolicy, commands: readonly string[], isLockBlocked: boolean): Stage {
  const repo = makeRepo();
  for (const file of files.split(' ')) repo.write(file, 'x\n');
  const { allowed_paths, blocked_paths, file_locks } = policy;
  const config = {
    schema_version: 1,
    permissions: {
      allowed_paths,
      blocked_paths: isLockBlocked ? [...blocked_paths, ...file_locks] : blocked_paths,
      hidden_paths: blocked_paths,
      allowed_tools: ['Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Glob', 'Grep', 'Bash', 'LS'],
      blocked_tools: ['WebFetch', 'WebSearch'],
      bash_rules: {
        allowed_commands: commands,
        blocked_patterns: policy.blocked_patterns ?? [],
        allowed_env: policy.env_allow ?? [],
      },
    },
    validation: { commit_format: { pattern: policy.commit_pattern ?? '' } },
  };
  repo.write('.blueflame.yml', JSON.stringify(config));
  repo.commit('start');
  // What is blocked came long ago; daily work is about other files.
  for (const text of ['y', 'z']) {
    repo.write('src/a.ts', `${text}\n`);
    repo.commit(`work ${text}`);
  }
  const worktree = join(repo.path, '.trees/worker');
  repo.git('worktree', 'add', '-q', '--detach', worktree, 'HEAD~1');
  repo.git('-C', worktree, 'checkout', '-q', '--detach', 'main');
  mkdirSync(`${worktree}-evil`);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(worktree, path));
  linkSync(join(worktree, 'infra/main.tf'), join(worktree, 'src/hard.ts'));
  writeFileSync(join(dirname(worktree), 'x'), 'x');
  const placed = (text: string): string => text.replaceAll('/WT', worktree).replaceAll('/REPO', repo.path);
  return {
    repo,
    worktree,
    judge: async (calls, locks) => {
      const lines = calls.map(([tool_name, tool_input, cwd = worktree]) =>
        placed(JSON.stringify({ tool_name, tool_input, cwd })),
      );
      const scope = locks === undefined ? [] : ['--locks', locks.join(',')];
      const argv = ['policy', 'check', '--role', 'worker', '--worktree', worktree, ...scope];
      const run = await flame(repo, argv, { stdin: `${lines.join('\n')}\n` });
      if (run.code !== 0) throw new Error(run.stderr);
      return run.stdout
        .trim()
        .split('\n')
        .map((line): string => JSON.parse(line).decision);
    },
  };
}

/** The calls that got another decision than this one, for a message. */
export function otherThan(
  expected: 'allow' | 'block',
  calls: readonly Call[],
  decisions: readonly string[],
): readonly string[] {
  return calls.filter((_, at) => decisions[at] !== expected).map((call) => JSON.stringify(call).slice(0, 200));
}
