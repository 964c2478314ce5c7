import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repackLoose } from '../../../lib/git/objects/loose-object.ts';
import { makePack, makeUnwrittenObject } from '../../../lib/git/objects/make-object.ts';
import { runGit } from '../../../lib/git/process/run-git.ts';
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

test('many small packs become one, with what nothing names yet', async () => {
  const repo = makeRepo();
  const loose = repo.git('rev-parse', 'HEAD');
  const objects = Array.from({ length: 45 }, (_, at) => makeUnwrittenObject('sha1', 'blob', `${at}\n`));
  for (const object of objects)
    await runGit(context(repo), ['index-pack', '--stdin'], { input: await makePack('sha1', [object]) });
  await repackLoose(context(repo), `${repo.path}/.git`);
  assert.match(repo.git('count-objects', '-v'), /packs: [12]$/m);
  for (const { oid } of objects) assert.is(repo.git('cat-file', '-t', oid), 'blob');
  assert.is(repo.git('cat-file', '-t', loose), 'commit');
  assert.is(repo.git('fsck', '--strict', '--no-dangling', '--unreachable').split('\n').length, 45);
});

test.run();
