import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame } from '../support/flame.ts';
import { makeRepo, makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { runGit } from './fixture.ts';

const config = `schema_version: 1
project: { name: bare }
validation: { commit_format: { pattern: '^feat: ', apply_to: all } }
`;

/** A bare repository with worktrees beside it. */
function makeTrees(): readonly [TestRepo, TestRepo] {
  const place = openRepo(makeTempDir());
  place.git('clone', '-q', '--bare', makeRepo({ config }).path, '.bare');
  writeFileSync(join(place.path, '.git'), 'gitdir: ./.bare\n');
  place.git('worktree', 'add', '-q', 'main', 'main');
  place.git('worktree', 'add', '-q', '-b', 'dev', 'dev');
  return [openRepo(join(place.path, 'main')), openRepo(join(place.path, 'dev'))];
}

async function hooksOf(repo: TestRepo): Promise<string> {
  const { stdout } = await flame(repo, ['doctor', '--json']);
  const found = stdout.split('\n').flatMap((line) => (line.includes('"git-hooks"') ? [line] : []));
  return found.join('\n');
}

function commit(repo: TestRepo, message: string): number | null {
  return runGit(repo, ['commit', '-q', '--allow-empty', '-m', message]).code;
}

test('HKS-1: beside a bare repository the hooks are in place for each worktree, also after the one that ran init goes', async () => {
  const [main, dev] = makeTrees();
  assert.is((await flame(main, ['init'])).code, 0);
  assert.is((await flame(dev, ['init'])).stdout, 'Everything is already in place.\n');
  for (const repo of [main, dev]) assert.match(await hooksOf(repo), /The git hooks are in place/);
  for (const repo of [main, dev]) assert.equal([commit(repo, 'bad'), commit(repo, 'feat: good')], [1, 0]);
  dev.git('worktree', 'remove', '--force', main.path);
  assert.equal([commit(dev, 'bad'), commit(dev, 'feat: good')], [1, 0]);
});

test('HKS-2: in a worktree of a submodule, the configuration of the main work tree counts', async () => {
  const superproject = makeRepo();
  superproject.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', makeRepo().path, 'part');
  const part = openRepo(join(superproject.path, 'part'));
  part.write('.blueflame.yml', config);
  assert.is((await flame(part, ['init'])).code, 0);
  part.git('worktree', 'add', '-q', '-b', 'side', join(superproject.path, '../side'));
  const side = openRepo(join(superproject.path, '../side'));
  assert.equal([commit(side, 'bad'), commit(side, 'feat: good')], [1, 0]);
  rmSync(join(part.path, '.blueflame.yml'));
  assert.is(commit(side, 'bad'), 0);
});

test.run();
