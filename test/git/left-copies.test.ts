import { existsSync, linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { prepareRepository } from '../../lib/git/setup/prepare-repository.ts';
import { makeRepo } from '../support/repo.ts';

test('LIF-4 copies of git files that a kill left go, with the lock that was one of them, and no other', async () => {
  const repo = makeRepo();
  const git = join(repo.path, '.git');
  const prepare = () => prepareRepository({ cwd: repo.path, env: repo.env }, git, '.trees');
  await prepare();
  const [copy, lock, other] = ['config.flame-new', 'config.lock', 'info/exclude.lock'].map((name) => join(git, name));
  for (const file of [copy, other, `${join(git, 'info/exclude')}.flame-new`]) writeFileSync(file ?? '', 'left');
  linkSync(copy ?? '', lock ?? '');
  assert.equal(await prepare(), []);
  const names = ['config.flame-new', 'config.lock', 'info/exclude.flame-new', 'info/exclude.lock'];
  assert.equal(
    names.map((name) => existsSync(join(git, name))),
    [false, false, false, true],
  );
});

test.run();
