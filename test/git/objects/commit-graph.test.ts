import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import { openCommitGraph } from '../../../lib/git/objects/read-commits.ts';
import { makeHistory } from '../../support/history.ts';
import { makeRandom } from '../../support/random.ts';
import { makeRepo } from '../../support/repo.ts';

test('who descends from whom is told as git tells it, in histories that fork and join at random', async () => {
  for (const seed of [1, 2, 3]) {
    const repo = makeRepo();
    const random = makeRandom(seed);
    const commits = makeHistory(repo, random, 40);
    const git = (...args: readonly string[]) =>
      spawnSync('git', ['merge-base', ...args], { cwd: repo.path, env: repo.env, encoding: 'utf8' });
    const graph = openCommitGraph({ cwd: repo.path, env: repo.env });
    const answers = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      const some = Array.from({ length: random.int(2, 5) }, () => random.pick(commits));
      const [one, other] = some as [ObjectId, ObjectId];
      const isAncestor = git('--is-ancestor', one, other).status === 0;
      assert.is(await graph.isAncestor(one, other), isAncestor, `${seed} ${round}`);
      const kept = git('--independent', ...some)
        .stdout.split('\n')
        .filter(Boolean);
      assert.equal([...(await graph.dropContainedCommits(some))].sort(), kept.sort(), `${seed} ${round}`);
      const bases = git('--all', one, other).stdout.split('\n').filter(Boolean);
      const base = await graph.mergeBase(one, other);
      assert.ok(base === null ? bases.length === 0 : bases.includes(base), `${seed} ${round}`);
      answers.add(`${isAncestor} ${bases.length > 1} ${kept.length > 1}`);
    }
    assert.ok(answers.size > 3, [...answers].join(', '));
  }
});

test('a history may be cut off, and a commit that is not here is an error', async () => {
  const repo = makeRepo();
  repo.write('b.txt', 'b');
  const second = parseObjectId(repo.commit('second'));
  repo.write('c.txt', 'c');
  const third = parseObjectId(repo.commit('third'));
  repo.write('.git/shallow', `${second}\n`);
  const graph = openCommitGraph({ cwd: repo.path, env: repo.env });
  assert.is(await graph.isAncestor(second, third), true);
  assert.is(await graph.mergeBase(second, third), second);
  const absent = parseObjectId('1'.repeat(40));
  const error = await graph.isAncestor(absent, third).catch((reason: unknown) => reason);
  assert.instance(error, Error);
});

test.run();
