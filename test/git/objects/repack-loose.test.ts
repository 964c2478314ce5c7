import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repackLoose } from '../../../lib/git/objects/repack-loose.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const context = ({ path, env }: TestRepo): { cwd: string; env: TestRepo['env'] } => ({ cwd: path, env });

test('few loose objects are left alone, many are packed without loss', async () => {
  const repo = makeRepo();
  await repackLoose(context(repo), `${repo.path}/.git`);
  assert.match(repo.git('count-objects', '-v'), /packs: 0/);
  for (let index = 0; index < 2_600; index += 1) repo.write(`many/${index}.txt`, `${index}\n`);
  repo.commit('many files');
  await repackLoose(context(repo), `${repo.path}/.git`);
  assert.match(repo.git('count-objects', '-v'), /packs: 1/);
  repo.git('fsck', '--strict');
  assert.is(repo.git('show', 'HEAD:many/2599.txt'), '2599');
});

test.run();
