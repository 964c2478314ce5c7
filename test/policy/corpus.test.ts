import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideToolCall } from '../../lib/policy/decide-tool-call.ts';
import { makeTempDir } from '../support/repo.ts';
import { heldByCell } from './configurations.ts';
import { decideBash, makePolicy } from './fixtures.ts';
import { realFacts } from './real-facts.ts';

interface Step {
  readonly dir?: string;
  readonly file?: string;
  readonly text?: string;
  readonly symlink?: string;
  readonly hardlink?: string;
  readonly to?: string;
}
interface Shared {
  readonly allowed_paths: string[];
  readonly blocked_paths: string[];
  readonly file_locks: string[];
}
interface BashCorpus {
  readonly policy: Shared & {
    readonly commands: string[];
    readonly git_subcommands: string[];
    readonly npm_subcommands: string[];
    readonly go_subcommands: string[];
    readonly commit_pattern: string;
    readonly blocked_patterns: string[];
    readonly env_allow: string[];
  };
  readonly cases: readonly { readonly command: string; readonly expect: string; readonly why: string }[];
}
interface PathCorpus {
  readonly policy: Shared;
  readonly fixture: readonly Step[];
  readonly cases: readonly {
    readonly tool: string;
    readonly input: Record<string, unknown>;
    readonly expect: string;
    readonly why: string;
    readonly before?: readonly Step[];
  }[];
}

const bash: BashCorpus = JSON.parse(readFileSync('test/data/policy/bash.json', 'utf8'));
const paths: PathCorpus = JSON.parse(readFileSync('test/data/policy/paths.json', 'utf8'));

const bashTree = makeTempDir('flame-bash');
build(bashTree, [{ file: 'src/app.ts' }, { file: 'src/a' }, { file: 'README.md' }, { file: '.env' }, { file: '.git' }]);

// A lead writes either each subcommand or the program alone; both must give the same answers.
const { git_subcommands: git, npm_subcommands: npm, go_subcommands: go } = bash.policy;
const grouped = new Set(['git', 'npm', 'go']);
const spelled = [
  ...bash.policy.commands.filter((name) => !grouped.has(name)),
  ...git.map((name) => `git ${name}`),
  ...npm.map((name) => `npm ${name}`),
  ...go.map((name) => `go ${name}`),
];
for (const [style, commands] of [
  ['subcommands', spelled],
  ['programs', bash.policy.commands],
] as const) {
  for (const tree of [bashTree, makeTempDir('flame-empty')]) {
    const policy = makePolicy({
      worktree: tree,
      locks: bash.policy.allowed_paths,
      config: {
        permissions: {
          allowed_paths: bash.policy.allowed_paths,
          blocked_paths: [...bash.policy.blocked_paths, ...bash.policy.file_locks],
          hidden_paths: bash.policy.blocked_paths,
          bash_rules: {
            allowed_commands: commands,
            blocked_patterns: bash.policy.blocked_patterns,
            allowed_env: bash.policy.env_allow,
          },
        },
        validation: { commit_format: { pattern: bash.policy.commit_pattern } },
      },
    });
    for (const one of bash.cases.filter(({ command }) => !heldByCell.has(command))) {
      test(`bash (${style}): ${one.expect} ${JSON.stringify(one.command)} ${one.why}`, () => {
        const found = decideBash(policy, one.command.replaceAll('/wt/', `${tree}/`));
        assert.is(found.decision, one.expect, `${found.rule}: ${found.details}`);
      });
    }
  }
}

for (const one of paths.cases) {
  test(`path: ${one.expect} ${one.tool} ${JSON.stringify(one.input)} ${one.why}`, () => {
    const root = makeTempDir('flame-paths');
    const tree = join(root, 'wt');
    mkdirSync(join(root, 'wt-evil'));
    build(tree, paths.fixture);
    build(tree, one.before ?? []);
    const policy = makePolicy({
      worktree: tree,
      locks: paths.policy.allowed_paths,
      config: {
        permissions: {
          allowed_paths: paths.policy.allowed_paths,
          blocked_paths: [...paths.policy.blocked_paths, ...paths.policy.file_locks],
          hidden_paths: paths.policy.blocked_paths,
          allowed_tools: ['Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Glob', 'Grep', 'Bash'],
          blocked_tools: ['WebFetch', 'Task'],
        },
      },
    });
    const input = JSON.parse(JSON.stringify(one.input).replaceAll('/wt', tree));
    const found = decideToolCall(policy, { tool_name: one.tool, tool_input: input, cwd: tree }, realFacts);
    assert.is(found.decision, one.expect, `${found.rule}: ${found.details}`);
  });
}

function build(tree: string, steps: readonly Step[]): void {
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

test.run();
