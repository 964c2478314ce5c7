import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cloneStateDir } from '../../lib/util/user-folders.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { assertRefused } from '../support/refusal.ts';
import type { TestRepo } from '../support/repo.ts';

// MRG-8: an approval on the command line is about the commit its person saw, as one on the page is.

/** A changeset that waits, and was printed by `git flame merge`. */
async function makeMerged(): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  for (const argv of [['plan', 'One', '--from', plan, '--decisions-file', decisions], ['work'], ['validate']])
    assert.is((await flame(repo, argv)).code, 0, argv.join(' '));
  assert.is((await flame(repo, ['merge'])).code, 0);
  return repo;
}

/** Does what another clone or a program would do: nothing that is printed meanwhile reaches the person. */
async function unseen(repo: TestRepo, work: () => Promise<void>): Promise<void> {
  const commonDir = repo.git('rev-parse', '--path-format=absolute', '--git-common-dir');
  const folder = join(cloneStateDir(repo.env, commonDir), 'shown');
  const before = `${folder}-before`;
  cpSync(folder, before, { recursive: true });
  await work();
  rmSync(folder, { recursive: true });
  renameSync(before, folder);
}

/** Nothing was ever shown here. */
function forget(repo: TestRepo): void {
  const commonDir = repo.git('rev-parse', '--path-format=absolute', '--git-common-dir');
  rmSync(join(cloneStateDir(repo.env, commonDir), 'shown'), { recursive: true });
}

function commitOf(repo: TestRepo): string {
  return repo.git('for-each-ref', '--format=%(objectname)', 'refs/blueflame/changesets');
}

test('MRG-8 what was built and never shown is not approved, and the commit is named', async () => {
  const repo = await makeMerged();
  const commit = commitOf(repo);
  const before = repo.git('rev-parse', 'main');
  const short = commit.slice(0, 10);
  forget(repo);
  for (const argv of [
    ['review', '--approve'],
    ['review', '--changeset', 'main', '--approve'],
  ])
    assertRefused(await flame(repo, argv), {
      ...{ code: 1, says: `is at commit ${short}, which you have not seen yet` },
      next: `git flame review --changeset main --approve --commit ${short}`,
    });
  const wrong = ['review', '--approve', '--commit', '0123456'];
  assertRefused(await flame(repo, wrong), { code: 1, says: 'but you saw or named 0123456' });
  assert.is(repo.git('rev-parse', 'main'), before);
  const named = await flame(repo, ['review', '--approve', '--commit', commit.slice(0, 7)]);
  assert.is(named.code, 0, named.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), '1');
});

test('MRG-8 what was built again since it was shown is not approved before it is seen', async () => {
  const repo = await makeMerged();
  const seen = commitOf(repo);
  repo.write('moved.txt', 'moved on\n');
  repo.commit('the base moves');
  await unseen(repo, async () => {
    await flame(repo, ['review']);
    assert.is((await flame(repo, ['merge'])).code, 0);
  });
  const refused = await flame(repo, ['review', '--approve']);
  assertRefused(refused, { code: 1, says: seen.slice(0, 10), next: 'git flame show main --diff' });
  assert.is((await flame(repo, ['show', 'main'])).code, 0);
  assert.is((await flame(repo, ['review', '--approve'])).code, 0);
});

for (const showing of [
  ['status'],
  ['status', '--json'],
  ['show', 'main'],
  ['show'],
  ['review', '--export', '-'],
  ['review'],
])
  test(`MRG-8 git flame ${showing.join(' ')} shows what is approved next`, async () => {
    const repo = await makeMerged();
    forget(repo);
    const { stdout, stderr } = await flame(repo, showing);
    assert.ok((stdout + stderr).includes(commitOf(repo).slice(0, 7)), stdout);
    const landed = await flame(repo, ['review', '--approve']);
    assert.is(landed.code, 0, landed.stderr);
  });

test('MRG-8 --commit goes with an approval, and is at least seven digits', async () => {
  const repo = await makeMerged();
  for (const argv of [
    ['--approve', '--commit', 'abc'],
    ['--commit', '0123456'],
    ['--skip', '--commit', '0123456'],
  ])
    assertRefused(await flame(repo, ['review', ...argv]), { code: 129, says: '--commit' });
});

test.run();
