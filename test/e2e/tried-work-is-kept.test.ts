import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame } from '../support/flame.ts';
import { findDamage, findRemains, start } from '../support/kill-rig.ts';
import { assertRefused } from '../support/refusal.ts';
import { copyRepo, makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { auth, done, type Fields, type Tried, tryIt, waiting } from '../support/tried-changeset.ts';

// RVW-2: what a person made while they tried a changeset is removed by no command, wherever git hides it.

/** A project whose worktrees are set up by these commands. */
const withSetup = (...setup: readonly string[]): { readonly project: Fields } => ({
  project: { name: 'x', base_branch: 'main', setup },
});

/** Changes that keep a worktree, by the error of the command that would remove it. */
async function keptBy(repo: TestRepo): Promise<readonly string[]> {
  const { code, stderr } = await done(repo, '--json');
  assert.is(code, 1, stderr);
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  assert.is(error.code, 'try-has-work', stderr);
  return error.data.changes;
}

async function assertGone(repo: TestRepo, { path }: Tried): Promise<void> {
  const { code, stderr } = await done(repo);
  assert.is(code, 0, stderr);
  assert.is(existsSync(path), false);
}

const ignoring = {
  ...auth,
  script: [
    "printf '*.log\\n*.md\\nfresh/\\nnode_modules/\\n' > .gitignore",
    "mkdir -p docs && printf 'own*\\n' > docs/.gitignore",
    'echo ours > src/a.txt',
  ].join(' && '),
  locks: ['src/a.txt', '.gitignore', 'docs/.gitignore'],
};

test('RVW-2 files that only the changeset ignores keep the worktree; what the base ignores does not', async () => {
  const repo = await waiting({
    config: withSetup('mkdir -p fresh made && echo s | tee fresh/s made/s.md set.md'),
    tasks: [ignoring],
    prepare: (at) => {
      at.write('.gitignore', '*.log\ndist/\n');
      at.write('.git/info/exclude', '*.local\n');
      at.commit('rules');
    },
  });
  const tried = await tryIt(repo);
  const { there } = tried;
  // A program's, and what the project and the person ignore themselves.
  there.write('dist/app.md', 'built\n');
  there.write('run.log', 'log\n');
  there.write('a.local', 'local\n');
  there.write('fresh/later.md', 'by what the setup installed\n');
  there.write('node_modules/pkg/readme.md', 'installed\n');
  there.write('.tool/.gitignore', '*\n');
  there.write('.tool/state', 'a tool that ignores itself\n');
  const names = ['notes.md', 'made/later.md', 'deep/er/notes.md', 'docs/own.txt', 'odd\nname\x1b[31m.md', 'set.md'];
  for (const name of names) there.write(name, 'mine\n');
  assert.is(there.git('status', '--short'), '');
  assert.equal(await keptBy(repo), [...names].sort());
  const refused = await done(repo);
  assertRefused(refused, { code: 1, says: 'holds 6 changed files', next: 'stash push --all -- deep/er/notes.md' });
  assert.not.ok(refused.stderr.includes('\x1b[31m'), refused.stderr);
  there.git('stash', 'push', '--all', '--', ...names);
  await assertGone(repo, tried);
  assert.is(repo.git('ls-tree', '-r', '--name-only', 'stash@{0}^3').split('\n').length, names.length);
});

test('RVW-2 a file that the changeset ignores keeps an earlier version of it, and cleanup leaves it', async () => {
  const repo = await waiting({ tasks: [ignoring] });
  const { there, path, facts } = await tryIt(repo);
  there.write('notes.md', 'mine\n');
  repo.write('more.txt', 'more\n');
  repo.commit('base: more');
  assert.is((await flame(repo, ['merge'])).code, 0);
  const again = await tryIt(repo);
  assert.equal([again.facts.commit, (again.facts.kept_by as Fields).changes], [facts.commit, ['notes.md']]);
  assert.is((await flame(repo, ['review', '--changeset', 'auth', '--approve'])).code, 0);
  const cleaned = await flame(repo, ['cleanup', '--yes', '--force']);
  assert.match(cleaned.stdout, /kept .*try-auth.*uncommitted changes/);
  assert.ok(existsSync(join(path, 'notes.md')));
});

test('RVW-2 a file that is marked as unchanged or skipped in the index keeps the worktree', async () => {
  const repo = await waiting({
    prepare: (at) => {
      at.write('b.txt', 'b\n');
      at.write('gone.txt', 'gone\n');
      at.commit('more');
    },
  });
  const tried = await tryIt(repo);
  const { there } = tried;
  there.git('update-index', '--assume-unchanged', 'src/a.txt');
  there.git('update-index', '--skip-worktree', 'b.txt', 'gone.txt');
  assert.is((await done(repo, '--dry-run')).code, 0);
  there.write('src/a.txt', 'mine\n');
  there.write('b.txt', 'mine\n');
  assert.is(there.git('status', '--short'), '');
  assert.equal(await keptBy(repo), ['b.txt', 'src/a.txt']);
  there.write('src/a.txt', 'ours\n');
  there.write('b.txt', 'b\n');
  await assertGone(repo, tried);
});

test('RVW-2 commits that only the worktree holds keep it, wherever they are', async () => {
  const repo = await waiting({ prepare: (at) => void at.git('config', 'core.logAllRefUpdates', 'false') });
  const makers: readonly ((there: TestRepo) => string)[] = [
    (there) => {
      there.write('b.txt', 'b\n');
      const left = there.commit('left again');
      there.git('checkout', '-q', '--detach', 'HEAD~1');
      return left;
    },
    (there) => {
      const own = there.git('commit-tree', '-m', 'own', 'HEAD^{tree}');
      there.git('update-ref', 'refs/worktree/mine', own);
      return own;
    },
    (there) => {
      there.git('commit', '-q', '--allow-empty', '-m', 'to edit');
      there.git('branch', 'held');
      there.write('src/a.txt', 'mine\n');
      there.git('-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '-q', '-i', '--autostash', 'HEAD~1');
      return readFileSync(there.git('rev-parse', '--git-path', 'rebase-merge/autostash'), 'utf8').trim();
    },
  ];
  for (const make of makers) {
    const tried = await tryIt(repo);
    const commit = make(tried.there);
    const refused = await done(repo);
    assertRefused(refused, { code: 1, says: 'that no branch has', next: 'git branch try-auth' });
    assert.ok(refused.stderr.includes(commit), refused.stderr);
    repo.git('branch', `kept-${commit}`, commit);
    await assertGone(repo, tried);
  }
});

test('RVW-2 repositories, links, modes and folders in the place of files keep the worktree', async () => {
  const repo = await waiting({
    config: withSetup('echo made | tee made.txt kept.txt'),
    tasks: [ignoring],
  });
  const tried = await tryIt(repo);
  const { there, path } = tried;
  for (const name of ['mine', 'fork.md']) {
    mkdirSync(join(path, name));
    openRepo(join(path, name), repo.env).git('init', '-q');
  }
  there.write('src/a.txt', 'ours\n');
  there.git('update-index', '--chmod=+x', 'src/a.txt');
  symlinkSync('/nowhere', join(path, 'link'));
  rmSync(join(path, 'made.txt'));
  there.write('made.txt/in.txt', 'a folder now\n');
  assert.equal(await keptBy(repo), ['fork.md/', 'link', 'made.txt/in.txt', 'mine/', 'src/a.txt']);
});

test('RVW-2 what a person makes where a killed --done left off is theirs', async () => {
  const origin = await waiting({ config: withSetup('echo made > made.txt') });
  const log = join(makeTempDir(), 'points');
  const make = async (): Promise<TestRepo & { readonly tried: string }> => {
    const repo = copyRepo(origin);
    mkdirSync(join(dirname(repo.path), 'tmp'));
    return { ...repo, tried: (await tryIt(repo)).path };
  };
  assert.is(start(await make(), ['review', '--done'], { FLAME_TEST_KILL_LOG: log }).code, 0);
  const points = readFileSync(log, 'utf8').trim().split('\n');
  const chosen = points.flatMap((point, at) => (point.includes('worktree to try') ? [at + 1] : []));
  assert.is(chosen.length, 4, points.join());
  for (const at of chosen) {
    const repo = await make();
    assert.is(start(repo, ['review', '--done'], { FLAME_TEST_KILL_AT: `${at}` }).signal, 'SIGKILL');
    const mine = join(repo.tried, 'mine.txt');
    mkdirSync(repo.tried, { recursive: true });
    writeFileSync(mine, 'mine\n');
    await done(repo);
    await flame(repo, ['review', '--try']);
    await flame(repo, ['cleanup', '--yes', '--force']);
    assert.is(readFileSync(mine, 'utf8'), 'mine\n', points[at - 1]);
    rmSync(mine);
    await done(repo);
    rmSync(repo.tried, { recursive: true, force: true });
    assert.equal(findRemains(repo), [], points[at - 1]);
    assert.is(findDamage(repo), '', points[at - 1]);
  }
});

test('RVW-2 a locked worktree stays, and one in which submodules are or were', async () => {
  const inner = openRepo(makeTempDir());
  inner.git('init', '-q', '-b', 'main');
  inner.write('x', 'x\n');
  inner.commit('inner');
  const file = ['-c', 'protocol.file.allow=always'];
  const repo = await waiting({
    prepare: (at) => {
      at.git(...file, 'submodule', '--quiet', 'add', inner.path, 'sub');
      at.commit('sub');
    },
  });
  const tried = await tryIt(repo);
  const { there, path } = tried;
  repo.git('worktree', 'lock', path);
  assertRefused(await done(repo), { code: 1, says: 'asked to lock it', next: 'git worktree unlock' });
  repo.git('worktree', 'unlock', path);
  there.git(...file, 'submodule', '--quiet', 'update', '--init');
  openRepo(join(path, 'sub'), repo.env).write('y', 'y\n');
  const mine = openRepo(join(path, 'sub'), repo.env).commit('mine');
  there.git('submodule', '--quiet', 'deinit', '--force', '--all');
  assertRefused(await done(repo), { code: 1, says: 'submodules are checked out', next: 'git worktree remove --force' });
  const modules = join(there.git('rev-parse', '--absolute-git-dir'), 'modules', 'sub');
  assert.is(openRepo(modules, repo.env).git('cat-file', '-t', mine), 'commit');
  rmSync(modules, { recursive: true });
  await assertGone(repo, tried);
});

test.run();
