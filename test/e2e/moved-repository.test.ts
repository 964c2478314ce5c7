import { cpSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { findDamage } from '../support/kill-rig.ts';
import { makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';

// A repository is moved between two steps of a session, with its worktrees beside it or without them.

async function planned(script: string): Promise<TestRepo> {
  const repo = makeExecProject({
    config: { limits: { max_retries: 0 }, project: { name: 'sample', base_branch: 'main', setup: ['true'] } },
  });
  const plan = writePlan(repo, [{ id: 'one', script, locks: ['a.txt', 'b.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  const run = await flame(repo, ['plan', 'Go', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  return repo;
}

/** What lies beside it comes along where the whole folder is moved. */
function move(repo: TestRepo, what: 'repository' | 'folder'): TestRepo {
  const folder = dirname(repo.path);
  if (what === 'repository') {
    renameSync(repo.path, join(folder, 'elsewhere'));
    return openRepo(join(folder, 'elsewhere'), repo.env);
  }
  renameSync(folder, `${folder}-moved`);
  return openRepo(join(`${folder}-moved`, 'repo'), repo.env);
}

const resume = ['resume', '--decisions-file', '.git/decisions.yml'];

for (const what of ['repository', 'folder'] as const) {
  test(`WTR-1 the ${what} is moved between plan and work, and between work and review: nothing is asked again`, async () => {
    let repo = move(await planned('echo a > a.txt'), what);
    for (const argv of [['work'], ['validate'], ['merge']]) assert.is((await flame(repo, argv)).code, 0, argv.join());
    repo = move(repo, what === 'folder' ? 'folder' : 'repository');
    const end = await flame(repo, resume);
    assert.is(end.code, 0, end.stderr);
    assert.is(repo.git('show', 'main:a.txt'), 'a');
    assert.is(findDamage(repo), '');
  });

  test(`UNI-5 what a failed attempt left is found after the ${what} was moved, and kept`, async () => {
    const before = await planned('echo a > a.txt && git add a.txt && git commit -qm half; echo b > b.txt; exit 3');
    assert.is((await flame(before, ['work'])).code, 1);
    const repo = move(before, what);
    const { lines } = await flameJson(repo, ['show', 'one']);
    const [worktree = ''] = (lines[0]?.worktrees ?? []) as readonly string[];
    assert.ok(existsSync(worktree), worktree);
    const there = openRepo(worktree, repo.env);
    assert.match((await flame(repo, ['show', 'one', '--diff'])).stdout, /\n\+b\n/);
    // The next command that works makes git find its way there, too.
    assert.is((await flame(repo, ['validate'])).code, 0);
    assert.is(there.git('status', '--short').split('\n').length, 2);
    assert.is((await flame(repo, ['cleanup', '--yes', '--force'])).code, 0);
    assert.is(existsSync(worktree), false);
    const kept = repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue').split('\n')[0];
    assert.is(repo.git('show', `${kept}:b.txt`), 'b');
    assert.is(findDamage(repo), '');
  });
}

test('UNI-5 what a failed attempt left stays registered where its worktree is not found, until git repairs that', async () => {
  const before = await planned('echo a > a.txt; exit 3');
  assert.is((await flame(before, ['work'])).code, 1);
  const away = join(makeTempDir(), 'away');
  renameSync(`${before.path}.trees`, away);
  const repo = move(before, 'repository');
  assert.is((await flame(repo, ['validate'])).code, 0);
  for (const name of readdirSync(away)) repo.git('worktree', 'repair', join(away, name));
  assert.match((await flame(repo, ['show', 'one', '--diff'])).stdout, /\n\+a\n/);
});

test('TRU-1 a copy of a repository is another one: what was allowed there is asked again', async () => {
  const repo = await planned('echo a > a.txt');
  const path = join(dirname(repo.path), 'copy');
  cpSync(repo.path, path, { recursive: true });
  assert.ok(statSync(path).isDirectory());
  const run = await flame(openRepo(path, repo.env), ['work']);
  assert.is.not(run.code, 0);
  assert.match(run.stderr, /git flame trust/);
});

test.run();
