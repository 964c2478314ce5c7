import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideToolCall } from '../../lib/policy/decide-tool-call.ts';
import { decideBash, makePolicy, memoryFacts } from './fixtures.ts';

const facts = memoryFacts('/wt', [
  '.git',
  '.env',
  'extra.md',
  'xylo.ts',
  'secure/plain.md',
  'secrets/one.txt',
  'infra/main.tf',
  'src/mine/a.ts',
  'src/mine/etc -> /etc',
  'src/mine/up -> ../../infra',
  'src/mine/gone -> nowhere',
  'src/mine/sub/deep -> ../../../infra/main.tf',
  'src/other/b.ts',
  'src/other/link -> ../mine/a.ts',
  'src/way -> mine',
]);
const commands = ['rm', 'unlink', 'mv', 'cp', 'git rm', 'git mv', 'find', 'ls', 'cat', 'rmdir', 'node'];
const policy = makePolicy({
  config: {
    permissions: {
      allowed_paths: ['src/**'],
      hidden_paths: ['.env*', '**/*.key', 'secrets/**', 'infra/**'],
      bash_rules: { allowed_commands: commands },
    },
  },
  locks: ['src/mine/'],
});

function rule(command: string, cwd = '/wt'): string {
  return decideBash(policy, command, { facts, cwd }).rule;
}

test('a link that is removed is judged by where it is, not by where it leads', () => {
  const fine = [
    'rm src/mine/etc',
    'rm -f src/mine/up src/mine/gone',
    'unlink src/mine/etc',
    'rm -r src/mine/sub',
    'rm -rf src/mine/sub/',
    'git rm -f src/mine/etc',
    'find src/mine -type l -delete',
  ];
  assert.equal(
    fine.map((command) => [command, rule(command)]),
    fine.map((command) => [command, 'allowed']),
  );
});

test('what lies behind a link is not removed through it', () => {
  const refused: readonly (readonly [command: string, rule: string])[] = [
    ['rm -r src/mine/etc/', 'path-outside'],
    ['rm -r src/mine/etc/.', 'path-outside'],
    ['rm src/mine/etc/passwd', 'path-outside'],
    ['rm src/mine/up/main.tf', 'path-hidden'],
    ['rm -r src/mine/up/', 'path-hidden'],
    ['rm src/other/link', 'path-out-of-scope'],
    ['unlink src/other/link', 'path-out-of-scope'],
    ['mv src/other/link src/mine/link', 'path-out-of-scope'],
    ['mv src/mine/up src/mine/in && cat src/mine/in/main.tf', 'path-hidden'],
    ['git mv src/mine/etc src/mine/in', 'path-outside'],
    ['find -L src/mine -exec rm {} +', 'bash-option'],
    ['find -L src/mine -type f -delete', 'bash-option'],
    ['git rm src/other/link', 'path-out-of-scope'],
    ['rm src/way', 'path-out-of-scope'],
    ['cp src/mine/etc src/mine/copy', 'path-outside'],
    ['cp src/mine/sub/deep src/mine/copy', 'path-hidden'],
  ];
  assert.equal(
    refused.map(([command]) => [command, rule(command)]),
    refused,
  );
  const write = { tool_name: 'Write', tool_input: { file_path: 'src/mine/up' }, cwd: '/wt' };
  assert.is(decideToolCall(policy, write, facts).rule, 'path-hidden');
});

test('a wildcard may begin like something blocked where all it stands for may be read', () => {
  assert.is(rule('ls -d x*'), 'allowed');
  assert.is(rule('ls -d e*'), 'allowed');
  assert.is(rule('cat xylo.*'), 'allowed');
  assert.is(rule('ls .en*'), 'path-hidden');
  assert.is(rule('ls .envi*'), 'path-hidden', 'nothing is there yet');
  assert.is(rule('ls -d se*'), 'path-hidden', 'it finds secrets, too');
  assert.is(rule('ls -d secu*'), 'allowed');
  assert.is(rule('cat secrets/*'), 'path-hidden');
});

test.run();
