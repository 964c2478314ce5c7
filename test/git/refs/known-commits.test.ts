import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId, parseRefName, type RefName } from '../../../lib/domain/ids.ts';
import { RefCommitCache } from '../../../lib/git/refs/resolve-commit.ts';
import { makeRepo } from '../../support/repo.ts';

test('git is asked again only where its files do not show that a ref stands where it stood', async () => {
  const repo = makeRepo();
  let asked = 0;
  const ask = async (ref: RefName): Promise<ObjectId | null> => {
    asked += 1;
    const found = repo.git('for-each-ref', '--format=%(objectname)', ref);
    return found === '' ? null : parseObjectId(found);
  };
  const refs = new RefCommitCache(`${repo.path}/.git`, ask);
  const [main, other] = [parseRefName('refs/heads/main'), parseRefName('refs/heads/other')];
  const expect = async (ref: RefName, tip: string | null, questions: number, what: string): Promise<void> => {
    asked = 0;
    assert.is(await refs.resolveRef(ref), tip, what);
    assert.is(asked, questions, what);
  };
  const first = repo.git('rev-parse', 'HEAD');
  const next = repo.git('commit-tree', '-m', 'next', 'HEAD^{tree}');
  await expect(main, first, 1, 'the first time');
  await expect(main, first, 0, 'it stands');
  repo.git('update-ref', main, next);
  await expect(main, next, 1, 'it moved');
  await expect(main, next, 0, 'it stands there');
  await expect(other, null, 1, 'one that is not there');
  repo.git('update-ref', other, first);
  await expect(other, first, 1, 'it came');
  repo.git('pack-refs', '--all');
  await expect(main, next, 1, 'it was packed');
  await expect(main, next, 0, 'it is packed');
  repo.git('update-ref', '-d', other);
  await expect(other, null, 1, 'it went');
});

test.run();
