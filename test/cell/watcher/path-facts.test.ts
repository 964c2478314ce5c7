import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPathFacts } from '../../../lib/cell/watcher/path-facts.ts';
import { decideToolCall } from '../../../lib/policy/decide-tool-call.ts';
import { makePolicy } from '../../policy/fixtures.ts';
import { makeRepo } from '../../support/repo.ts';

test('WAT-5: below a file, and by a name that is too long, there is nothing: the rules on the path answer', () => {
  const repo = makeRepo();
  writeFileSync(join(repo.path, '.blueflame.yml'), '{}\n');
  symlinkSync('README.md', join(repo.path, 'link'));
  const facts = openPathFacts({ workTree: repo.path, env: repo.env });
  const at = (path: string) => facts.lstat(join(repo.path, path));
  assert.is(at('.blueflame.yml/below'), null);
  assert.is(at('link/below'), null);
  assert.is(at('x'.repeat(300)), null);
  assert.is(at('link')?.target, 'README.md');
  const policy = makePolicy({ worktree: repo.path, locks: ['src/'] });
  const rule = (tool_name: string, file_path: string): string =>
    decideToolCall(policy, { tool_name, tool_input: { file_path, content: 'x' }, cwd: repo.path }, facts).rule;
  assert.is(rule('Write', '.blueflame.yml/below'), 'path-protected');
  assert.is(rule('Read', '.blueflame.yml/below'), 'path-protected');
  assert.is(rule('Write', 'README.md/below'), 'path-out-of-scope');
});

test.run();
