import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as YAML from 'yaml';
import { flame } from '../support/flame.ts';
import { makeRepo } from '../support/repo.ts';

export interface Case {
  readonly tool?: string;
  readonly input?: Record<string, unknown>;
  readonly command?: string;
  readonly expect: 'allow' | 'block';
  readonly why?: string;
  readonly lists?: readonly string[];
  readonly before?: readonly Step[];
}
interface Step {
  readonly dir?: string;
  readonly file?: string;
  readonly text?: string;
  readonly symlink?: string;
  readonly hardlink?: string;
  readonly to?: string;
}
export interface CorpusFile {
  readonly policy: {
    readonly commands?: readonly string[];
    readonly git_subcommands?: readonly string[];
    readonly npm_subcommands?: readonly string[];
    readonly go_subcommands?: readonly string[];
    readonly allowed_paths: readonly string[];
    readonly blocked_paths: readonly string[];
    readonly file_locks: readonly string[];
    readonly commit_pattern?: string;
    readonly blocked_patterns?: readonly string[];
    readonly env_allow?: readonly string[];
  };
  readonly fixture?: readonly Step[];
  readonly cases: readonly Case[];
}

/** Lines the judge lets run, since in a cell they have no effect; test/cell/effects tries each. */
export const heldByCell: ReadonlySet<string> = new Set(
  JSON.parse(readFileSync('test/data/policy/held-by-cell.json', 'utf8')),
);

export function readCorpus(name: string): CorpusFile {
  return JSON.parse(readFileSync(`test/data/policy/${name}.json`, 'utf8'));
}

/** The commands a corpus was written for, each as a lead would write it. */
export function ownCommands({ policy }: CorpusFile): readonly string[] {
  const { commands = [], git_subcommands: git = [], npm_subcommands: npm = [], go_subcommands: go = [] } = policy;
  const grouped = new Set([git.length > 0 && 'git', npm.length > 0 && 'npm', go.length > 0 && 'go']);
  return [
    ...commands.filter((name) => !grouped.has(name)),
    ...git.map((name) => `git ${name}`),
    ...npm.map((name) => `npm ${name}`),
    ...go.map((name) => `go ${name}`),
  ];
}

/** What the example in docs/configuration.md allows. */
export function exampleCommands(): readonly string[] {
  const text = readFileSync('docs/configuration.md', 'utf8');
  const example = /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  return YAML.parse(example).permissions.bash_rules.allowed_commands;
}

/** The configuration's own list, and what projects usually test and build with. */
export const usualCommands: readonly string[] = [
  ...['npm test', 'npm run', 'npm ls', 'node', 'npx tsc', 'npx eslint', 'npx prettier', 'eslint'],
  ...['pytest', 'python', 'python3', 'ruff', 'cargo test', 'go test', 'go tool cover', 'make'],
];

export interface Answer {
  readonly one: Case;
  readonly decision: string;
  readonly rule: string;
  readonly details: string;
}

/** What `git flame policy check` says to each case of a corpus; `commands` null: those of a file without any. */
export async function askAll(
  corpus: CorpusFile,
  commands: readonly string[] | null,
  locks?: string,
): Promise<readonly Answer[]> {
  const { policy } = corpus;
  const repo = makeRepo();
  const rules = {
    ...(commands === null ? {} : { allowed_commands: commands }),
    ...(policy.blocked_patterns === undefined ? {} : { blocked_patterns: policy.blocked_patterns }),
    ...(policy.env_allow === undefined || commands === null ? {} : { allowed_env: policy.env_allow }),
  };
  const config = {
    schema_version: 1,
    permissions: {
      allowed_paths: policy.allowed_paths,
      blocked_paths: [...policy.blocked_paths, ...policy.file_locks],
      hidden_paths: policy.blocked_paths,
      allowed_tools: ['Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Glob', 'Grep', 'Bash'],
      blocked_tools: ['WebFetch', 'Task'],
      bash_rules: rules,
    },
    validation: { commit_format: { pattern: policy.commit_pattern ?? '' } },
  };
  repo.write('.blueflame.yml', JSON.stringify(config));
  repo.commit('start');
  const tree = join(repo.path, '.trees/wt');
  repo.git('worktree', 'add', '-q', '--detach', tree);
  mkdirSync(`${tree}-evil`);
  build(tree, corpus.fixture ?? [{ file: 'src/app.ts' }, { file: 'src/a' }, { file: '.env' }]);
  for (const one of corpus.cases) build(tree, one.before ?? []);
  const lines = corpus.cases.map(({ tool, input, command }) =>
    JSON.stringify({ tool_name: tool ?? 'Bash', tool_input: input ?? { command } }).replaceAll(
      /\/wt(?=[/"\s]|-evil)/g,
      tree,
    ),
  );
  const scope = locks === undefined ? [] : ['--locks', locks];
  const run = await flame(repo, ['policy', 'check', '--worktree', tree, ...scope], {
    stdin: `${lines.join('\n')}\n`,
  });
  if (run.code !== 0) throw new Error(run.stderr);
  const answers = run.stdout.trim().split('\n');
  return corpus.cases.map((one, at) => ({ one, ...JSON.parse(answers[at] ?? '{}') }));
}

export function build(tree: string, steps: readonly Step[]): void {
  mkdirSync(tree, { recursive: true });
  for (const step of steps) {
    const path = join(tree, step.dir ?? step.file ?? step.symlink ?? step.hardlink ?? '.');
    mkdirSync(dirname(path), { recursive: true });
    if (step.dir !== undefined) mkdirSync(path, { recursive: true });
    if (step.file !== undefined) writeFileSync(path, step.text ?? 'x');
    if (step.symlink !== undefined) symlinkSync((step.to ?? '').replace('/wt', tree), path);
    if (step.hardlink !== undefined) linkSync(join(tree, step.to ?? ''), path);
  }
}
