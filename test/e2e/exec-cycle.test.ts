import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

for (const format of ['sha1', 'sha256'] as const) {
  test(`a path with spaces, quotes and non-ASCII letters, from a subfolder, ${format}`, async () => {
    const repo = makeExecProject({ name: `it's a "tést" dir`, objectFormat: format });
    const plan = writePlan(repo, [
      { id: 'task-001', script: 'mkdir -p src && echo one > src/one.txt', locks: ['src/one.txt'] },
    ]);
    const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
    const run = await flame(repo, ['run', 'One', '--from', `../${plan}`, '--decisions-file', `../${decisions}`], {
      cwd: join(repo.path, 'src'),
    });
    assert.is(run.code, 0, run.stderr);
    assert.is(repo.git('show', 'main:src/one.txt'), 'one');
    assertNothingLeft(repo);
  });
}

function assertNothingLeft(repo: TestRepo): void {
  repo.git('fsck', '--strict');
  assert.is(repo.git('status', '--porcelain'), '');
  assert.is(repo.git('worktree', 'list').split('\n').length, 1);
  const trees = `${repo.path}.trees`;
  assert.equal(existsSync(trees) ? readdirSync(trees) : [], []);
  for (const folder of ['run', 'objects', 'cells']) {
    const path = join(repo.path, '.git/blueflame', folder);
    assert.equal(existsSync(path) ? readdirSync(path) : [], [], folder);
  }
  assert.is(existsSync(join(repo.path, '.git/objects/info/alternates')), false);
}

test.run();
