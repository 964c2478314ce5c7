import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { agentCommits, agentGit, agentWrites, openFixture } from '../cell-fixture.ts';

const common = (gitDir: string, ...path: readonly string[]): string => join(gitDir, 'common', ...path);

test('UNI-5 an agent stands on a branch of its own: its commit is the work, and no ref of it reaches the repository', async () => {
  const { repo, port, head, tree } = await openFixture();
  repo.git('branch', 'other/one');
  repo.git('pack-refs', '--all');
  repo.git('tag', 'v1');
  repo.git('update-ref', 'refs/blueflame/tasks', 'HEAD');
  repo.write('src/a.txt', 'put aside by the person\n');
  repo.git('stash');
  const before = repo.git('for-each-ref');
  const cell = await port.addCellWorktree(tree('w'), head);
  assert.equal(agentGit(cell, 'for-each-ref', '--format=%(refname)').split('\n'), [
    ...['refs/heads/main', 'refs/heads/other/one', 'refs/tags/v1'],
  ]);
  agentWrites(cell, 'mine.txt', 'mine\n');
  agentGit(cell, 'stash', '--include-untracked');
  agentGit(cell, 'switch', '-q', '-c', 'mine');
  agentGit(cell, 'stash', 'pop');
  const tip = agentCommits(cell, 'on a branch');
  agentGit(cell, 'tag', 'v2');
  agentGit(cell, 'branch', '-D', 'other/one');
  assert.is(await port.cellHead(cell), tip);
  agentGit(cell, 'pack-refs', '--all');
  assert.is(await port.cellHead(cell), tip, 'packed');
  assert.equal(await port.cellLeftovers(cell), []);
  await port.acceptCell(cell, tip);
  assert.is(repo.git('for-each-ref'), before);
  await port.close();
});

test('UNI-5 what an agent writes in the place of a branch leads nowhere outside', async () => {
  const { repo, port, head, tree } = await openFixture();
  const outside = join(repo.path, '..', 'outside');
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, 'x'), `${head}\n`);
  const cell = await port.addCellWorktree(tree('w'), head);
  const { worktreeGitDir: gitDir } = cell.quarantine;
  const unreadable = /names no commit/;
  const stand = async (ref: string): Promise<unknown> => {
    writeFileSync(join(gitDir, 'HEAD'), `ref: ${ref}\n`);
    return port.cellHead(cell).catch((error: Error) => error.message);
  };
  symlinkSync(outside, common(gitDir, 'refs', 'heads', 'away'));
  assert.match(`${await stand('refs/heads/away/x')}`, unreadable);
  symlinkSync(join(outside, 'x'), common(gitDir, 'refs', 'heads', 'link'));
  assert.match(`${await stand('refs/heads/link')}`, unreadable);
  assert.match(`${await stand('refs/heads/../../../../../../../outside/x')}`, unreadable);
  writeFileSync(common(gitDir, 'refs', 'heads', 'round'), 'ref: refs/heads/round\n');
  assert.match(`${await stand('refs/heads/round')}`, unreadable);
  rmSync(common(gitDir, 'packed-refs'), { force: true });
  mkdirSync(common(gitDir, 'packed-refs'));
  assert.match(`${await stand('refs/heads/none')}`, unreadable);
  writeFileSync(common(gitDir, 'refs', 'heads', 'to'), 'ref: refs/heads/end\n');
  writeFileSync(common(gitDir, 'refs', 'heads', 'end'), `${head}\n`);
  assert.is(await stand('refs/heads/to'), head);
  await port.close();
});

test.run();
