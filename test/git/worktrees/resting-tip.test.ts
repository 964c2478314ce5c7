import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openFixture } from '../cell-fixture.ts';

const branch = 'blueflame/ses/task-001';

test('where work rests: HEAD, the branch in the middle of a rebase, and after the worktree is gone', async () => {
  const { port, repo, head, tree } = await openFixture();
  const path = tree('mine');
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: path, env: repo.env, encoding: 'utf8', stdio: 'pipe' }).trim();
  const save = (text: string): string => {
    writeFileSync(join(path, 'f'), text);
    git('add', 'f');
    git('commit', '-qm', text);
    return git('rev-parse', 'HEAD');
  };
  assert.is(await port.restingTip(path, branch), null);
  repo.git('worktree', 'add', '-q', '-b', branch, path, head);
  assert.is(await port.restingTip(path, branch), head);
  save('one');
  const tip = save('two');
  assert.is(await port.restingTip(path, branch), tip);
  assert.throws(() => git('rebase', '--exec', 'false', 'HEAD~2', '--force-rebase'));
  assert.is.not(git('rev-parse', 'HEAD'), tip);
  assert.is(await port.restingTip(path, branch), tip);
  git('rebase', '--abort');
  git('checkout', '-q', '--detach');
  const beyond = save('three');
  assert.is(await port.restingTip(path, branch), beyond);
  rmSync(path, { recursive: true });
  assert.is(await port.restingTip(path, branch), tip);
  repo.git('worktree', 'prune');
  assert.is(await port.restingTip(null, branch), tip);
  repo.git('branch', '-qD', branch);
  assert.is(await port.restingTip(path, branch), null);
});

test.run();
