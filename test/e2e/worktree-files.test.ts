import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';
import { trusted } from '../support/trusted.ts';

// What a worktree gets beside the commit, and what is undone before it goes.

const argv = ['run', 'Go', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml'];

function plan(repo: TestRepo, script: string): TestRepo {
  writePlan(repo, [{ id: 'one', script, locks: ['out.txt'] }]);
  writeDecisions(repo, {
    plan: ['approve'],
    changesets: ['approve'],
    validation: ['drop'],
    session: ['stop'],
  });
  return repo;
}

/** Ignored files, of which `.worktreeinclude` names some, and one that git does not ignore. */
function withIncluded(script: string): TestRepo {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  repo.write('.gitignore', '*.local\ncache/\nother/\n');
  repo.write('.worktreeinclude', '# for each worktree\n*.local\n!not.local\ncache/\nplain.txt\n');
  repo.commit('include');
  repo.write('.git/info/exclude', '/note.txt\n');
  for (const path of [
    'db.local',
    'other/own.local',
    'not.local',
    'cache/deep/a',
    'other/b',
    'plain.txt',
    'app/web.local',
  ])
    repo.write(path, `${path}\n`);
  repo.git('update-index', '--refresh');
  return plan(trusted(repo), script);
}

test('WTR-2 ignored files that .worktreeinclude names are copied, as git reads its patterns, and no others', async () => {
  const repo = withIncluded('find db.local not.local cache other plain.txt app -type f 2>/dev/null | sort > out.txt');
  const run = await flame(repo, argv);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:out.txt'), 'app/web.local\ncache/deep/a\ndb.local\nother/own.local');
});

test('WTR-2 WTR-5 what was copied is no work of its agent, and what named it is named', async () => {
  const repo = withIncluded('echo 1 > out.txt; git add -A; git add -f db.local; git commit -qm "feat: all"');
  const run = await flame(repo, argv);
  assert.match(run.stderr, /one failed: .*db\.local.*\.worktreeinclude/s);
});

test('WTR-2 a person is asked before what it names is copied, and again where it changed', async () => {
  const repo = withIncluded('echo 1 > out.txt');
  repo.write('.worktreeinclude', '*\n');
  repo.commit('everything');
  const run = await flame(repo, argv);
  assert.is.not(run.code, 0);
  assert.match(run.stderr, /\.worktreeinclude/);
  assert.match(run.stderr, /git flame trust/);
});

test('WTR-4 teardown runs where the agent worked and where its work was checked, before each goes', async () => {
  const config = {
    project: {
      name: 'sample',
      base_branch: 'main',
      setup: ['touch made'],
      teardown: ['test -e made', 'exit 3'],
    },
    validation: { validator_diagnostics: { commands: ['test -e out.txt'] } },
  };
  const repo = plan(makeExecProject({ config }), 'echo 1 > out.txt');
  const run = await flameJson(repo, argv);
  assert.is(run.code, 0, run.stderr);
  const ended = run.lines.filter(
    ({ event, state, about }) => event === 'check' && state === 'ended' && /^teardown of /.test(`${about}`),
  );
  const both = ['test -e made 0', 'exit 3 3'];
  assert.equal(
    ended.map(({ command, exit_code: code }) => `${command} ${code}`).slice(0, 4),
    [...both, ...both],
    'once for each worktree',
  );
  const told = run.lines.filter(({ message }) => /The teardown command "exit 3" ended with 3/.test(`${message}`));
  assert.is(told.length, 1);
  assert.is(repo.git('worktree', 'list').split('\n').length, 1);
});

/** Files in three folders, of which the task may change one; what there is in a worktree lands as its work. */
function monorepo(project: Readonly<Record<string, unknown>>, commit: string): TestRepo {
  const config = {
    project: { name: 'sample', base_branch: 'main', ...project },
    limits: { max_retries: 0 },
    validation: { validator_diagnostics: { commands: ['test -e pkgs/a/out.txt && test ! -e big'] } },
  };
  const repo = makeExecProject({ config });
  for (const path of ['big/1.txt', 'big/deep/2.txt', 'pkgs/a/a.txt', 'pkgs/b/b.txt', 'pkgs/c/[c].txt'])
    repo.write(path, `${path}\n`);
  repo.commit('packages');
  const script = `touch pkgs/a/out.txt; find . -name '*.txt' | sort > pkgs/a/out.txt; cat pkgs/a/a.txt >> pkgs/a/out.txt; ${commit}`;
  writePlan(repo, [{ id: 'one', script, locks: ['pkgs/a/out.txt', 'pkgs/c/[c].txt'] }]);
  writeDecisions(repo, {
    plan: ['approve'],
    changesets: ['approve'],
    validation: ['drop'],
    session: ['stop'],
  });
  return trusted(repo);
}

const seen = './pkgs/a/a.txt\n./pkgs/a/out.txt\n./pkgs/c/[c].txt\npkgs/a/a.txt';
for (const commit of ['true', 'git add -A && git commit -qm "feat: list"', 'git stash -uq && git stash pop -q'])
  test(`WTR-3 project.sparse: worktrees hold these folders and what the locks name, and the rest stays committed (${commit})`, async () => {
    const repo = monorepo({ sparse: ['pkgs/a'] }, commit);
    const before = repo.git('ls-tree', '-r', '--name-only', 'main').split('\n');
    const run = await flame(repo, argv);
    assert.is(run.code, 0, run.stderr);
    assert.is(repo.git('show', 'main:pkgs/a/out.txt'), seen);
    const after = repo.git('ls-tree', '-r', '--name-only', 'main').split('\n');
    assert.equal(after, [...before, 'pkgs/a/out.txt'].sort());
    assert.is(repo.git('status', '--porcelain'), '');
  });

test('WTR-3 a sparse worktree holds what the tasks before may have changed', async () => {
  const repo = monorepo({ sparse: ['pkgs/a'] }, 'true');
  const below = 'mkdir -p pkgs/new; echo below > pkgs/new/b.txt; touch pkgs/a/out.txt';
  writePlan(repo, [
    { id: 'below', script: below, locks: ['pkgs/new/b.txt', 'pkgs/a/out.txt'] },
    { id: 'above', script: 'cat pkgs/new/b.txt > pkgs/a/on.txt', locks: ['pkgs/a/on.txt'], needs: ['below'] },
  ]);
  const run = await flame(repo, argv);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:pkgs/a/on.txt'), 'below');
});

test('WTR-3 a sparse checkout of the person holds for agents', async () => {
  const repo = monorepo({}, 'true');
  repo.git('sparse-checkout', 'set', 'pkgs/a');
  const run = await flame(repo, argv);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:pkgs/a/out.txt'), seen);
  assert.is(repo.git('show', 'main:big/1.txt'), 'big/1.txt');
});

test('WTR-3 what an agent writes over a file that its worktree leaves out changes nothing', async () => {
  const commit = 'mkdir -p big && echo mine > big/1.txt; git add -A --sparse; git commit -qm "feat: big"; rm -r big';
  const repo = monorepo({ sparse: ['pkgs/a'] }, commit);
  const run = await flame(repo, argv);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:big/1.txt'), 'big/1.txt');
  assert.is(repo.git('show', 'main:pkgs/a/out.txt'), seen);
});

test.run();
