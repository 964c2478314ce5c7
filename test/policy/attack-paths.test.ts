import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame } from '../support/flame.ts';
import { type Call, type CorpusPolicy, openStage, otherThan } from './attack-stage.ts';

interface Attacks {
  readonly allow: readonly Call[];
  readonly block: readonly Call[];
}
const attacks: Attacks = JSON.parse(readFileSync('test/data/policy/attacks-paths.json', 'utf8'));
const { policy }: { readonly policy: CorpusPolicy } = JSON.parse(readFileSync('test/data/policy/paths.json', 'utf8'));
const commands = ['git status', 'ls', 'cat'];

test('WAT-5: calls that reach elsewhere are blocked in every disguise, plain work is not', async () => {
  const stage = openStage(policy, commands, true);
  execFileSync('mkfifo', [join(stage.worktree, 'src/fifo')]);
  const bad: readonly Call[] = [
    ...attacks.block,
    ['Write', { file_path: `src/${'../'.repeat(2_000)}x`, content: 'x' }],
    ['Write', { file_path: `src/${'a/'.repeat(4_000)}x`, content: 'x' }],
  ];
  assert.equal(otherThan('allow', attacks.allow, await stage.judge(attacks.allow)), []);
  assert.equal(otherThan('block', bad, await stage.judge(bad)), []);
});

test('WAT-2: lines that are no calls are blocked, one answer each; of a key given twice the last counts', async () => {
  const stage = openStage(policy, commands, true);
  const lines = [
    '{}',
    '[]',
    'null',
    '1',
    '"x"',
    '{',
    '{"tool_name":"Write"}',
    '{"tool_input":{"file_path":"src/a.ts"}}',
    '{"tool_name":"Write","tool_input":{"file_path":"src/a.ts","file_path":".env","content":"x"}}',
    '{"tool_name":"Write","tool_name":"Read","tool_input":{"file_path":".env"}}',
    '{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_input":{"command":"rm x"}}',
    '{"tool_name":"Write","tool_input":{"file_path":"src/a.ts"},"cwd":null}',
    '{"tool_name":"Write","tool_input":{"file_path":"src/a.ts"},"cwd":["/"]}',
  ];
  const argv = ['policy', 'check', '--worktree', stage.worktree];
  const run = await flame(stage.repo, argv, { stdin: lines.join('\n') });
  const decisions = run.stdout.trim().split('\n');
  assert.is(decisions.length, lines.length);
  assert.ok(
    decisions.every((line) => JSON.parse(line).decision === 'block'),
    run.stdout,
  );
});

test.run();
