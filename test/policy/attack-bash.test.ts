import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Call, type CorpusPolicy, openStage, otherThan } from './attack-stage.ts';
import { heldByCell } from './configurations.ts';

// What a coding agent runs every day, and what an attacker would: the whole way through `git flame policy check`.

interface Attacks {
  readonly allow: readonly string[];
  readonly block: readonly string[];
  /** Harmless, and yet not allowed where a lead names each git subcommand. */
  readonly narrow_block: readonly string[];
  /** With awk, sed, find and their like allowed. */
  readonly wide_allow: readonly string[];
  readonly wide_block: readonly string[];
  /** With subcommands of git allowed that change more than a commit does. */
  readonly named_allow: readonly string[];
  readonly named_block: readonly string[];
  /** With what builds and tests projects in several languages. */
  readonly tools_allow: readonly string[];
  readonly tools_block: readonly string[];
}
interface Corpus {
  readonly policy: CorpusPolicy & {
    readonly commands: readonly string[];
    readonly git_subcommands: readonly string[];
    readonly npm_subcommands: readonly string[];
    readonly go_subcommands: readonly string[];
  };
}

const attacks: Attacks = JSON.parse(readFileSync('test/data/policy/attacks-bash.json', 'utf8'));
const { policy }: Corpus = JSON.parse(readFileSync('test/data/policy/bash.json', 'utf8'));
const { commands, git_subcommands: git, npm_subcommands: npm, go_subcommands: go } = policy;
const narrow = [
  ...git.map((one) => `git ${one}`),
  ...npm.map((one) => `npm ${one}`),
  ...go.map((one) => `go ${one}`),
  ...commands.filter((one) => !['git', 'npm', 'go'].includes(one)),
];
const wide = [
  ...commands,
  ...['sed', 'awk', 'find', 'xxd', 'diff', 'jq', 'timeout', 'time', 'tree', 'tee', 'cp', 'mv', 'rm', 'uniq'],
];
const named = [
  ...narrow,
  ...'rm mv restore checkout fetch rebase merge cherry-pick config submodule bisect apply format-patch clean difftool filter-branch reset'
    .split(' ')
    .map((one) => `git ${one}`),
];
const tools = [
  ...commands.filter((one) => one !== 'git'),
  ...['node', 'python', 'python3', 'pnpm', 'yarn', 'cargo', 'uv run', 'poetry run', 'env', 'timeout'],
  ...['deno', 'bun', './gradlew test', 'npx tsc', 'npx eslint', 'pytest', 'black', 'ruff', 'eslint', 'bash', 'find'],
];
const endless = [
  `git status ${'x'.repeat(300_000)}`,
  `${'('.repeat(3_000)}ls${')'.repeat(3_000)}`,
  `${'ls; '.repeat(5_000)}rm x`,
  `echo ${'$('.repeat(3_000)}id${')'.repeat(3_000)}`,
  `ls a${'\\\n'.repeat(100_000)}b`,
  `ls ${'{'.repeat(140_000)}`,
  `ls ${'src/*/'.repeat(3_000)}`,
];

function bash(command: string): Call {
  return ['Bash', { command }];
}

const shapes = [
  ['each subcommand named', narrow, attacks.allow, [...attacks.block, ...attacks.narrow_block]],
  ['programs named', commands, attacks.allow, attacks.block],
  ['many programs named', wide, attacks.wide_allow, attacks.wide_block],
  ['changing subcommands named', named, attacks.named_allow, attacks.named_block],
  ['tools of several languages named', tools, attacks.tools_allow, attacks.tools_block],
] as const;
for (const [name, list, allow, block] of shapes) {
  test(`WAT-4: attacks are blocked and daily work is not, with ${name}`, async () => {
    const stage = openStage(policy, list, true);
    const good = allow.map(bash);
    const bad = [...block.filter((line) => !heldByCell.has(line)), ...endless].map(bash);
    assert.equal(otherThan('allow', good, await stage.judge(good)), []);
    assert.equal(otherThan('block', bad, await stage.judge(bad)), []);
  });
}

test('WAT-4: the same where other tasks are kept out by the locks alone', async () => {
  const stage = openStage(policy, narrow, false);
  // The fixture has no file that another task would hold but src/locked.
  const own = ['a*', 'b*', 'c*', 'd*', 'h*', 'n*', 'new dir', 'x*', 'y*'].map((one) => `src/${one}/`);
  const locks = [...own, 'test/', 'docs/', 'package.json', 'README.md', 'build/'];
  const good = attacks.allow.map(bash);
  const bad = attacks.block.filter((line) => !heldByCell.has(line)).map(bash);
  assert.equal(otherThan('allow', good, await stage.judge(good, locks)), []);
  assert.equal(otherThan('block', bad, await stage.judge(bad, locks)), []);
});

test.run();
