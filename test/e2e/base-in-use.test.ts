import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import { makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';

const task = { id: 'a', script: 'echo new > new.txt', locks: ['new.txt'] };

/** A session up to a changeset that waits. */
async function upToReview(repo: TestRepo, cwd = repo.path): Promise<void> {
  const plan = join(repo.path, writePlan(repo, [task]));
  const run = await flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', approving(repo, 0)], {
    cwd,
  });
  assert.is(run.code, 2, run.stderr);
}

function approving(repo: TestRepo, changesets = 1): string {
  const decisions = { plan: ['approve'], changesets: Array(changesets).fill('approve') };
  return join(repo.path, writeDecisions(repo, decisions, `decisions-${changesets}.yml`));
}

function review(repo: TestRepo, cwd = repo.path): Promise<FlameRun> {
  return flame(repo, ['review', '--decisions-file', approving(repo)], { cwd });
}

function tryGit(repo: TestRepo, ...args: string[]): void {
  try {
    repo.git(...args);
  } catch {
    // A conflict is an answer.
  }
}

/** More commits on main and a branch `side` that conflicts with the last. */
function withHistory(repo: TestRepo): void {
  repo.git('branch', 'side');
  repo.write('src/a.txt', 'ours\n');
  repo.commit('ours');
  repo.write('src/a.txt', 'ours again\n');
  repo.commit('ours again');
  repo.git('switch', '-q', 'side');
  repo.write('src/a.txt', 'theirs\n');
  repo.commit('theirs');
  repo.git('switch', '-q', 'main');
}

const operations = {
  rebase: {
    begin: (repo: TestRepo) => tryGit(repo, '-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '-i', 'HEAD~1'),
    says: /You are currently rebasing main in /,
    ends: ['rebase', '--abort'],
  },
  merge: {
    begin: (repo: TestRepo) => repo.git('merge', '-q', '--no-commit', '-s', 'ours', 'side'),
    says: /You have not concluded your merge into main in /,
    ends: ['merge', '--abort'],
  },
  'cherry-pick': {
    begin: (repo: TestRepo) => {
      tryGit(repo, 'cherry-pick', 'side');
      repo.git('checkout', 'HEAD', '--', '.');
    },
    says: /You are currently cherry-picking onto main in /,
    ends: ['cherry-pick', '--abort'],
  },
  revert: {
    begin: (repo: TestRepo) => {
      tryGit(repo, 'revert', 'HEAD~1');
      repo.git('checkout', 'HEAD', '--', '.');
    },
    says: /You are currently reverting on main in /,
    ends: ['revert', '--abort'],
  },
  bisect: {
    begin: (repo: TestRepo) => {
      repo.git('bisect', 'start');
      repo.git('bisect', 'bad', 'HEAD');
      repo.git('bisect', 'good', 'HEAD~3');
    },
    says: /You are currently bisecting, started from main, in /,
    ends: ['bisect', 'reset'],
  },
};

for (const [name, { begin, says, ends }] of Object.entries(operations)) {
  test(`MRG-5 a base in the midst of a ${name} is refused with what ends it; then the landing goes on`, async () => {
    const repo = makeExecProject();
    withHistory(repo);
    const before = repo.git('rev-parse', 'main');
    await upToReview(repo);
    begin(repo);
    const refused = await review(repo);
    assert.is(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, says);
    assert.match(refused.stderr, `git -C ${repo.path} ${ends.join(' ')}`);
    assert.is(repo.git('rev-parse', 'main'), before);
    repo.git(...ends);
    const landed = await flame(repo, ['review']);
    assert.is(landed.code, 0, landed.stderr);
    assert.is(repo.git('show', 'main:new.txt'), 'new');
    assert.is(repo.git('status', '--porcelain'), '');
  });
}

const conflicts = {
  merge: (repo: TestRepo) => tryGit(repo, 'merge', 'side'),
  'cherry-pick': (repo: TestRepo) => tryGit(repo, 'cherry-pick', 'side'),
  rebase: (repo: TestRepo) => tryGit(repo, 'rebase', 'side'),
};

test('MRG-5 a start amid conflicts names what ends them, and nothing that would record or lose them', async () => {
  for (const [name, begin] of Object.entries(conflicts)) {
    const repo = makeExecProject();
    withHistory(repo);
    begin(repo);
    const { code, stderr } = await flame(repo, ['run', 'Go', '--from', writePlan(repo, [task])]);
    assert.is(code, 1, stderr);
    assert.match(stderr, `git -C ${repo.path} ${name} --abort`);
    assert.not.match(stderr, /stash|commit -a/);
  }
});

/** The commands named after an error, but for git flame's own. */
function named({ stderr }: FlameRun): readonly string[] {
  return [...stderr.matchAll(/^ *next: (git -C .*)$/gm)].map(([, command = '']) => command);
}

function typed(command: string): string {
  return execFileSync('sh', ['-c', command], { encoding: 'utf8' });
}

test('MRG-5 what git leaves out of the work tree holds up a landing until the named commands are typed', async () => {
  const repo = makeExecProject();
  await upToReview(repo);
  repo.git('reset', '-q', '--hard');
  repo.write('src/a.txt', 'mine\n');
  repo.git('update-index', '--skip-worktree', 'src/a.txt');
  const plan = writePlan(repo, [{ id: 'b', script: 'echo theirs > src/a.txt', locks: ['src/a.txt'] }], 'b.yml');
  const run = await flame(repo, ['run', 'Go', '--new', '--from', plan, '--decisions-file', approving(repo)]);
  assert.match(run.stderr, /git refuses to update the files of /, run.stderr);
  for (const command of named(run)) typed(command.replace('FILE', 'src/a.txt'));
  assert.match(repo.git('ls-files', '-v', 'src/a.txt'), /^H /);
  assert.match((await review(repo)).stderr, /is checked out in .* with local changes/);
});

test('MRG-5 an untracked file where a folder lands is named itself, and the named stash takes it away', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'a', script: 'mkdir d; echo e > d/e; echo n > n', locks: ['d/e', 'n'] }]);
  const run = await flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', approving(repo, 0)]);
  assert.is(run.code, 2, run.stderr);
  for (const name of ['d', 'n']) repo.write(name, 'mine\n');
  const refused = await review(repo);
  assert.match(refused.stderr, /git would overwrite untracked files in /);
  for (const command of named(refused)) typed(command);
  assert.is((await review(repo)).code, 0);
  assert.is(repo.git('show', 'main:d/e'), 'e');
  assert.is(repo.git('show', 'stash@{0}^3:d'), 'mine');
});

test('CFG-5 a checkout that says it is bare is told how to be one again', async () => {
  const repo = makeExecProject();
  repo.git('config', 'core.bare', 'true');
  const { code, stderr } = await flame(repo, ['run', 'Go', '--from', writePlan(repo, [task])]);
  assert.is(code, 128, stderr);
  typed(/next: (git --git-dir=.*)$/m.exec(stderr)?.[1] ?? 'false');
  assert.is(repo.git('rev-parse', '--is-bare-repository'), 'false');
});

test('MRG-5 a base that is being rebased in another worktree is refused, and told before anything is paid', async () => {
  const repo = makeExecProject();
  withHistory(repo);
  const elsewhere = join(makeTempDir(), 'wt');
  repo.git('switch', '-q', '--detach');
  repo.git('worktree', 'add', '-q', elsewhere, 'main');
  await upToReview(repo);
  operations.rebase.begin(openRepo(elsewhere));
  const refused = await review(repo);
  assert.match(refused.stderr, `You are currently rebasing main in ${elsewhere}`);
  const other = await flame(repo, ['plan', 'More', '--new', '--from', writePlan(repo, [task])]);
  assert.match(other.stderr, `You are currently rebasing main in ${elsewhere}: nothing can land on main until`);
});

test('MRG-5 a base checked out in a folder that is gone is found before anything is paid', async () => {
  const repo = makeExecProject();
  const elsewhere = join(makeTempDir(), 'wt');
  repo.git('switch', '-q', '--detach');
  repo.git('worktree', 'add', '-q', elsewhere, 'main');
  rmSync(elsewhere, { recursive: true });
  const argv = ['run', 'Go', '--from', writePlan(repo, [task]), '--decisions-file', approving(repo)];
  const refused = await flame(repo, argv);
  assert.is(refused.code, 1, refused.stderr);
  assert.match(refused.stderr, /main is checked out in .* but no work tree is there[\s\S]*git worktree prune/);
  repo.git('worktree', 'prune');
  assert.is((await flame(repo, argv)).code, 0);
});

test('CFG-5 a repository whose git folder lies apart lands like any other', async () => {
  const source = makeExecProject();
  const folder = makeTempDir();
  source.git('clone', '-q', '--separate-git-dir', join(folder, 'D'), source.path, join(folder, 'W'));
  const repo = openRepo(join(folder, 'W'));
  await flame(repo, ['trust', '--yes']);
  const plan = join(source.path, writePlan(source, [task]));
  const run = await flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', approving(source)]);
  assert.is(run.code, 0, run.stderr);
  assert.ok(existsSync(join(repo.path, 'new.txt')));
  assert.is(repo.git('status', '--porcelain'), '');
});

test('CFG-5 a bare clone with linked worktrees is worked in from any of them', async () => {
  const source = makeExecProject();
  const folder = makeTempDir();
  source.git('clone', '-q', '--bare', source.path, join(folder, 'b'));
  const bare = openRepo(join(folder, 'b'));
  bare.git('worktree', 'add', '-q', '../wt', 'main');
  const repo = openRepo(join(folder, 'wt'));
  const init = await flame(repo, ['init']);
  assert.is(init.code, 0, init.stderr);
  await flame(repo, ['trust', '--yes']);
  const plan = join(source.path, writePlan(source, [task]));
  const run = await flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', approving(source)]);
  assert.is(run.code, 0, run.stderr);
  assert.ok(existsSync(join(repo.path, 'new.txt')));
  assert.is((await flame(repo, ['status'])).code, 0);
});

test.run();
