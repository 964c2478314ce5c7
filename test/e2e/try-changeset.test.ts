import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { flame, lookOnly } from '../support/flame.ts';
import { findDamage, findRemains, sampleOf, spread, start } from '../support/kill-rig.ts';
import { assertRefused } from '../support/refusal.ts';
import { copyRepo, makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { hasTmux, openTerminal } from '../support/terminal.ts';
import { auth, done, type Fields, tryIt, waiting } from '../support/tried-changeset.ts';
import { trusted } from '../support/trusted.ts';

// RVW-2: a changeset in a worktree of the person's own, set up as agents' are, and gone again by one command.

const docs = { id: 'two', group: 'docs', script: 'echo docs > docs.txt', locks: ['docs.txt'] };

function runProgram({ path, env }: TestRepo, argv: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [join(packageRoot(), 'bin', 'git-flame'), ...argv], { cwd: path, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
}

function worktrees(repo: TestRepo): number {
  return repo.git('worktree', 'list').split('\n').length;
}

test('RVW-2 a changeset is tried in a worktree beside the repository, set up, and one command leads there', async () => {
  const repo = await waiting({
    name: 'spaces and ümläute',
    config: {
      project: { name: 'x', base_branch: 'main', setup: ['cat src/a.txt > made.txt'], copy: ['local.env'] },
    },
    prepare: (at) => at.write('.git/info/exclude', 'local.env\n'),
  });
  repo.write('local.env', 'A=1\n');
  const run = await flame(repo, ['review', '--try']);
  assert.is(run.code, 0, run.stderr);
  const [, path = ''] = /^cd '(.*)'\n$/.exec(run.stdout) ?? [];
  // No test runner of the project walks there.
  assert.is(dirname(path), `${repo.path}.trees`);
  assert.match(run.stderr, /next: git flame review --done auth/);
  const there = openRepo(path, repo.env);
  assert.is(there.git('rev-parse', '--abbrev-ref', 'HEAD'), 'HEAD');
  assert.is(there.git('status', '--short'), '?? made.txt');
  const texts = ['src/a.txt', 'made.txt', 'local.env'].map((name) => readFileSync(join(path, name), 'utf8'));
  assert.equal(texts, ['ours\n', 'ours\n', 'A=1\n']);
  const again = await tryIt(repo, 'auth');
  assert.equal([again.code, again.facts.state, again.path], [0, 'there', path]);
  assert.is(again.facts.command, `cd '${path}'`);
  const gone = await done(repo);
  assert.is(gone.code, 0, gone.stderr);
  assert.equal([existsSync(path), worktrees(repo)], [false, 1]);
  assertRefused(await done(repo), { code: 1, says: 'No changeset is in a worktree', next: 'git flame review --try' });
});

test('RVW-2 what the person made there and is nowhere else keeps it, commits that HEAD left too', async () => {
  const repo = await waiting({
    config: { project: { name: 'x', base_branch: 'main', setup: ['echo made > made.txt'] } },
  });
  const { there, path } = await tryIt(repo);
  there.write('made.txt', 'changed by hand\n');
  assertRefused(await done(repo), { code: 1, says: 'holds 1 changed file', next: 'stash push --include-untracked' });
  const commit = there.commit('mine');
  there.git('checkout', '-q', '--detach', 'HEAD~1');
  const held = await done(repo);
  assertRefused(held, { code: 1, says: 'holds 1 commit that no branch has', next: 'git branch try-auth' });
  assert.is(readFileSync(join(path, 'src/a.txt'), 'utf8'), 'ours\n');
  repo.git('branch', 'try-auth', commit);
  assert.is((await done(repo)).code, 0);
  assert.is(existsSync(path), false);
});

test('RVW-2 a newer version takes its place only while nothing of the person is in it', async () => {
  const repo = await waiting();
  const first = await tryIt(repo);
  const rebuild = async (name: string): Promise<void> => {
    repo.write(name, 'more\n');
    repo.commit(`base: ${name}`);
    assert.is((await flame(repo, ['merge'])).code, 0);
  };
  await rebuild('more.txt');
  const moved = await tryIt(repo);
  assert.equal([moved.facts.state, moved.path], ['moved', first.path]);
  assert.is.not(moved.facts.commit, first.facts.commit);
  assert.ok(existsSync(join(moved.path, 'more.txt')));
  moved.there.write('mine.txt', 'mine\n');
  await rebuild('again.txt');
  const stays = await tryIt(repo);
  assert.equal([stays.facts.state, stays.facts.commit], ['there', moved.facts.commit]);
  assert.equal((stays.facts.kept_by as Fields).changes, ['mine.txt']);
  assert.match((await flame(repo, ['review', '--try'])).stderr, /not its newest version: it holds 1 changed file/);
});

test('RVW-2 several that wait are listed, and none is named', async () => {
  const repo = await waiting({ tasks: [auth, docs] });
  assertRefused(await flame(repo, ['review', '--try']), {
    code: 1,
    says: '2 changesets wait: auth, docs.',
    next: 'git flame review --try docs',
  });
  assertRefused(await flame(repo, ['review', '--try', 'gone']), { code: 1, says: 'There is no changeset gone' });
  assertRefused(await flame(repo, ['review', '--try', 'auth', '--approve']), { code: 129, says: 'decide nothing' });
  await tryIt(repo, 'auth');
  await tryIt(repo, '1-docs');
  assertRefused(await done(repo), { code: 1, says: 'Name one', next: 'git flame review --done auth' });
  assert.equal([(await done(repo, '1-auth')).code, (await done(repo)).code], [0, 0]);
});

test('RVW-2 a setup that fails leaves the worktree, and what failed is named', async () => {
  const setup = ['echo broken > src/a.txt; echo no such tool >&2; exit 7'];
  const repo = await waiting();
  repo.write('.blueflame.yml', readFileSync(join(repo.path, '.blueflame.yml'), 'utf8'));
  const text = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  writeFileSync(
    join(repo.path, '.blueflame.yml'),
    text.replace('project:\n', `project:\n  setup: ${JSON.stringify(setup)}\n`),
  );
  trusted(repo);
  const run = await flame(repo, ['review', '--try']);
  assert.is(run.code, 1, run.stderr);
  assert.match(run.stderr, /ended with 7\. The worktree stays/);
  assert.match(run.stderr, /no such tool/);
  const { path, there } = await tryIt(repo);
  assert.match(run.stdout, /^cd /);
  assert.is(there.git('status', '--short'), '');
  assert.is((await done(repo)).code, 0);
  assert.is(existsSync(path), false);
});

test('RVW-2 after it landed, the run, doctor and cleanup name it; a commit in it is kept', async () => {
  const repo = await waiting();
  const { there, path } = await tryIt(repo);
  there.write('mine.txt', 'mine\n');
  const mine = there.commit('mine');
  const approved = await flame(repo, ['review', '--changeset', 'auth', '--approve']);
  assert.match(approved.stderr, /try-auth-.* is still there, to try changeset auth, which was landed/);
  const doctor = await flame(repo, lookOnly);
  assert.match(doctor.stdout, /is still there, to try changeset auth/);
  assert.match((await flame(repo, ['cleanup'])).stdout, /kept without --force[\s\S]*try-auth/);
  const cleaned = await flame(repo, ['cleanup', '--yes', '--force']);
  assert.is(cleaned.code, 0, cleaned.stderr);
  assert.is(existsSync(path), false);
  assert.match(repo.git('for-each-ref', '--format=%(objectname)', 'refs/blueflame/rescue'), new RegExp(mine));
});

test('RVW-2 one that still waits is no leftover for cleanup, and uninstall names it', async () => {
  const repo = await waiting();
  const { path } = await tryIt(repo);
  assert.is((await flame(repo, ['cleanup', '--yes', '--force'])).code, 0);
  assert.ok(existsSync(path));
  assert.match((await flame(repo, ['init', '--uninstall'])).stderr, /worktree to try changeset auth stays too/);
});

test('RVW-2 in a repository with submodules, a stacked changeset is tried with what is below it', async () => {
  const inner = openRepo(makeTempDir());
  inner.git('init', '-q', '-b', 'main');
  inner.write('x', 'x\n');
  inner.commit('inner');
  const repo = await waiting({
    config: { project: { name: 'x', base_branch: 'main', landing_style: 'squash' } },
    tasks: [auth, { ...auth, id: 'three', group: 'top', script: 'echo top >> src/a.txt', priority: 9 }],
    prepare: (at) => {
      at.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.path, 'sub');
      at.commit('sub');
    },
  });
  const { path } = await tryIt(repo, 'top');
  assert.is(readFileSync(join(path, 'src/a.txt'), 'utf8'), 'ours\ntop\n');
  const gone = await done(repo, 'top');
  assert.is(gone.code, 0, gone.stderr);
  assert.is(existsSync(path), false);
});

test('RVW-2 in a sparse checkout it holds what the person has and what changed', async () => {
  const repo = await waiting({
    prepare: (at) => {
      at.write('far/b.txt', 'b\n');
      at.commit('far');
      at.git('sparse-checkout', 'set', '--cone', 'docs');
    },
  });
  const { path, there } = await tryIt(repo);
  assert.equal([existsSync(join(path, 'src/a.txt')), existsSync(join(path, 'far/b.txt'))], [true, false]);
  assert.is(there.git('status', '--short'), '');
  assert.is((await done(repo)).code, 0);
});

test('RVW-2 hooks that git takes from the work tree are named; a repository that the setup made is no worktree of theirs', async () => {
  const repo = await waiting({
    prepare: (at) => void at.git('config', 'core.hooksPath', '.husky/_'),
  });
  const run = await flame(repo, ['review', '--try']);
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stderr, /git takes its hooks from the files there \(core\.hooksPath\)/);
  assert.is((await done(repo)).code, 0);
  const text = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  repo.write('.blueflame.yml', text.replace('project:\n', 'project:\n  setup: ["git init -q inner"]\n'));
  trusted(repo);
  assertRefused(await flame(repo, ['review', '--try']), {
    code: 1,
    says: /can't be put into a worktree of yours\. .*inner in it is a git repository/,
    next: 'git flame show auth --diff',
  });
  assert.is(worktrees(repo), 1);
});

test('RVW-2 a link that an agent or the setup made leads no file of the person out of the worktree', async () => {
  const outside = makeTempDir();
  const repo = await waiting({
    config: {
      project: {
        name: 'x',
        base_branch: 'main',
        setup: [`rm -rf config && ln -s ${outside} config`],
        copy: ['config/*.env', 'kept.env'],
      },
    },
    prepare: (at) => at.write('.git/info/exclude', '*.env\n'),
  });
  repo.write('config/local.env', 'A=1\n');
  repo.write('kept.env', 'B=1\n');
  const { path } = await tryIt(repo);
  assert.equal(readdirSync(outside), []);
  assert.is(readFileSync(join(path, 'kept.env'), 'utf8'), 'B=1\n');
});

test('RVW-2 where no worktree can be made, the folder is named', async () => {
  const repo = await waiting();
  const text = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  repo.write('.blueflame.yml', text.replace('project:\n', 'project:\n  worktree_dir: src/a.txt/trees\n'));
  trusted(repo);
  assertRefused(await flame(repo, ['review', '--try']), { code: 128, says: 'src/a.txt/trees' });
  assert.is(worktrees(repo), 1);
});

test('RVW-2 killed at any moment and typed again, it is there once, and is removed once', async () => {
  const origin = await waiting({
    config: { project: { name: 'x', base_branch: 'main', setup: ['echo made > made.txt'] } },
  });
  for (const argv of [
    ['review', '--try'],
    ['review', '--done'],
  ]) {
    const make = async (): Promise<TestRepo> => {
      const repo = copyRepo(origin);
      mkdirSync(join(dirname(repo.path), 'tmp'));
      if (argv[1] === '--done') await tryIt(repo);
      return repo;
    };
    const log = join(makeTempDir(), 'points');
    assert.is(start(await make(), argv, { FLAME_TEST_KILL_LOG: log }).code, 0);
    const points = readFileSync(log, 'utf8').trim().split('\n');
    const kinds = points.map((point) => point.replace(/^\d+ /, '').replace(/[0-9a-f]{8,}|ses-[\w-]+/g, ''));
    const chosen = kinds.flatMap((kind, at) =>
      /worktree|cell/.test(kind) && kinds.indexOf(kind) === at ? [at + 1] : [],
    );
    assert.ok(chosen.length >= 3, kinds.join());
    for (const at of spread(chosen, sampleOf(4, chosen.length))) {
      const repo = await make();
      assert.is(start(repo, argv, { FLAME_TEST_KILL_AT: `${at}` }).signal, 'SIGKILL', kinds[at - 1]);
      if (argv[1] === '--try') {
        const { code, path } = await tryIt(repo);
        assert.is(code, 0, kinds[at - 1]);
        assert.ok(existsSync(join(path, 'made.txt')));
      }
      const { code, stderr } = await done(repo);
      // It was gone already where the kill came last.
      assert.ok(code === 0 || stderr.includes('No changeset is in a worktree'), `${kinds[at - 1]}: ${stderr}`);
      assert.is((await flame(repo, ['cleanup', '--yes', '--force'])).code, 0);
      assert.equal(findRemains(repo), [], kinds[at - 1]);
      assert.is(findDamage(repo), '', kinds[at - 1]);
    }
  }
});

test('RVW-2 of several at once one makes it, one removes it, and the others say so', async () => {
  const repo = await waiting();
  const atOnce = (
    ...argv: readonly string[]
  ): Promise<readonly { readonly code: number | null; readonly said: string }[]> =>
    Promise.all([1, 2, 3].map(() => runProgram(repo, argv)));
  const tried = await atOnce('review', '--try');
  assert.equal(
    tried.map(({ code }) => code),
    [0, 0, 0],
  );
  assert.is(tried.filter(({ said }) => said.includes('It was there already')).length, 2);
  const removed = await atOnce('review', '--done');
  assert.equal(removed.map(({ code }) => code).sort(), [0, 1, 1]);
  const others = removed.filter(({ code }) => code === 1);
  assert.ok(
    others.every(({ said }) => said.includes('No changeset is in a worktree')),
    others.map(({ said }) => said).join(),
  );
  assert.is(worktrees(repo), 1);
});

testIf(
  test,
  hasTmux,
  'no tmux',
)('RVW-2 it works while a run waits at its question', async () => {
  const repo = await waiting();
  const terminal = openTerminal(repo);
  try {
    terminal.type('git-flame resume', 'Enter');
    await terminal.until(/\(a\)pprove/);
    const { code, path } = await tryIt(repo);
    assert.is(code, 0);
    assert.ok(existsSync(path));
    terminal.type('a', 'Enter');
    await terminal.until(/is still there, to\s+try\s+changeset\s+auth/);
    assert.is((await done(repo)).code, 0);
  } finally {
    terminal.close();
  }
});

test.run();
