import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId, parseRefName, type RefName } from '../../../lib/domain/ids.ts';
import { UnmovedRefsCheck } from '../../../lib/git/refs/unmoved-refs-check.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const [one, other] = [parseRefName('refs/blueflame/one'), parseRefName('refs/blueflame/other')];

type Tips = ReadonlyMap<RefName, ObjectId | null>;

function tipsOf(repo: TestRepo): Tips {
  const tipOf = (ref: RefName): ObjectId | null => {
    const found = repo.git('for-each-ref', '--format=%(objectname)', ref);
    return found === '' ? null : parseObjectId(found);
  };
  return new Map([one, other].map((ref) => [ref, tipOf(ref)]));
}

/** A repository with one of two refs, a second commit, and files that were read. */
function prepare(): {
  readonly repo: TestRepo;
  readonly next: string;
  readonly files: UnmovedRefsCheck;
  readonly read: () => Tips;
} {
  const repo = makeRepo();
  repo.git('update-ref', one, 'HEAD');
  const next = repo.git('commit-tree', '-m', 'next', 'HEAD^{tree}');
  const files = new UnmovedRefsCheck(`${repo.path}/.git`);
  const read = (): Tips => {
    const note = files.begin([one, other]);
    const tips = tipsOf(repo);
    note(tips);
    return tips;
  };
  return { repo, next, files, read };
}

test('nothing is known before git was asked', () => {
  const { repo, files } = prepare();
  assert.is(files.areUnmoved(tipsOf(repo)), false);
});

test('refs that stay are seen to stay; one that moves, goes or comes is not', () => {
  const { repo, next, files, read } = prepare();
  const tips = read();
  assert.is(files.areUnmoved(tips), true);
  repo.git('update-ref', one, next);
  assert.is(files.areUnmoved(tips), false, 'moved');
  assert.is(files.areUnmoved(tipsOf(repo)), true, 'where this process moved it to');
  repo.git('update-ref', '-d', one);
  assert.is(files.areUnmoved(tips), false, 'gone');
  repo.git('update-ref', one, `${tips.get(one)}`);
  repo.git('update-ref', other, next);
  assert.is(files.areUnmoved(tips), false, 'the other came');
});

test('packed refs are seen to stay until they are packed again', () => {
  const { repo, next, files, read } = prepare();
  const loose = read();
  repo.git('pack-refs', '--all');
  assert.is(files.areUnmoved(loose), false, 'git is asked again');
  const tips = read();
  assert.is(files.areUnmoved(tips), true);
  repo.git('update-ref', one, next);
  repo.git('pack-refs', '--all');
  assert.is(files.areUnmoved(tips), false, 'moved and packed');
  assert.is(files.areUnmoved(tipsOf(repo)), false, 'packed since it was read');
  read();
  repo.git('update-ref', other, next);
  repo.git('pack-refs', '--all');
  assert.is(files.areUnmoved(tips), false, 'came packed');
});

test('a reading that came to nothing changes nothing', () => {
  const { repo, next, files, read } = prepare();
  repo.git('pack-refs', '--all');
  const tips = read();
  repo.git('update-ref', one, next);
  repo.git('pack-refs', '--all');
  files.begin([one, other]);
  assert.is(files.areUnmoved(tips), false);
});

test.run();
