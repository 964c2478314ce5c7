import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import { runProgram } from '../support/program.ts';
import type { TestRepo } from '../support/repo.ts';
import { until } from '../support/until.ts';

// What becomes of what an agent leaves: each way has an end that is named.

const argv = ['run', 'Go', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml'];

/** A run of these tasks, each approved and landed by itself. */
async function runTasks(repo: TestRepo, tasks: readonly ScriptTask[]): Promise<FlameRun> {
  writePlan(
    repo,
    tasks.map((task) => ({ group: task.id, ...task })),
  );
  writeDecisions(repo, {
    plan: ['approve'],
    changesets: [{ all: 'approve' }],
    validation: ['drop'],
    session: ['stop'],
  });
  return flame(repo, argv);
}

function makeProject(config: Readonly<Record<string, unknown>> = {}): TestRepo {
  return makeExecProject({ config: { limits: { max_retries: 0 }, ...config } });
}

function failureOf({ stderr }: FlameRun, task: string): string {
  return new RegExp(`^.*${task} failed: .*$`, 'm').exec(stderr)?.[0] ?? stderr;
}

function landed(repo: TestRepo): readonly string[] {
  return repo.git('ls-tree', '-r', '--name-only', 'main').split('\n');
}

test('WRK-5 commits that are empty are no work', async () => {
  const repo = makeProject();
  const before = repo.git('rev-parse', 'main');
  const run = await runTasks(repo, [
    { id: 'one', script: 'git commit -q --allow-empty -m "Do one"', locks: ['a.txt'] },
  ]);
  assert.match(failureOf(run, 'one'), /no-commits: It made only empty commits/);
  assert.is(repo.git('rev-parse', 'main'), before);
});

test('PCK-1 a large file that is tracked is no matter of its agent, and one that was cut off at the limit is refused', async () => {
  const repo = makeProject({ sandbox: { max_file_size_mb: 1 } });
  writeFileSync(join(repo.path, 'data.bin'), randomBytes(2 * 1024 ** 2));
  writeFileSync(join(repo.path, 'old.bin'), randomBytes(3 * 1024 ** 2));
  repo.git('add', '-A');
  repo.git('commit', '-qm', 'large');
  const commit = (title: string): string => `git add -A && git commit -qm "${title}"`;
  const run = await runTasks(repo, [
    { id: 'beside', script: `touch data.bin old.bin; echo 1 > b.txt; ${commit('b')}`, locks: ['b.txt'] },
    { id: 'cut', script: 'yes 0123456789 | head -c 20000000 > new.txt; true', locks: ['new.txt'] },
    {
      id: 'full',
      script: 'head -c 1048576 /dev/urandom | base64 -w 0 | head -c 1048576 > full.txt',
      locks: ['full.txt'],
    },
    { id: 'moved', script: `mv old.bin other.bin; chmod +x other.bin; ${commit('m')}`, locks: ['*.bin'] },
  ]);
  assert.match(
    failureOf(run, 'cut'),
    /violation: \[file-size\] new\.txt has \d+ bytes, but at most 1048576 are allowed/,
  );
  assert.equal(
    landed(repo).filter((path) => /b\.txt|\.bin|new|full/.test(path)),
    ['b.txt', 'data.bin', 'full.txt', 'other.bin'],
    run.stderr,
  );
});

test('WTR-5 a file of project.copy that an agent changed is named, and kept in its worktree', async () => {
  const repo = makeProject({ project: { name: 'sample', base_branch: 'main', copy: ['config/local.json'] } });
  repo.write('config/local.json', '{}\n');
  const change = 'sleep 0.1; echo 1 >> config/local.json';
  const run = await runTasks(repo, [
    { id: 'alone', script: change, locks: ['config/**'] },
    { id: 'beside', script: `${change}; echo b > b.txt`, locks: ['config/local.json', 'b.txt'] },
    { id: 'left', script: 'cat config/local.json > c.txt', locks: ['config/**', 'c.txt'] },
  ]);
  assert.match(failureOf(run, 'alone'), /config\/local\.json was copied into its worktree and is in no commit/);
  const beside = await flame(repo, ['show', 'beside']);
  assert.match(beside.stdout, /not handed in: config\/local\.json/);
  assert.match(run.stderr, /beside is done, but no commit holds 1 path .*; its worktree stays: /);
  assert.not.match(run.stderr, /left is done, but/);
  assert.is(landed(repo).includes('config/local.json'), false);
  const trees = repo.git('worktree', 'list', '--porcelain').match(/^worktree .*worker-.*$/gm) ?? [];
  assert.is(trees.length, 2, run.stderr);
  for (const tree of trees)
    assert.is(readFileSync(join(tree.slice('worktree '.length), 'config/local.json'), 'utf8'), '{}\n1\n');
});

test('WTR-2 a worktree that is removed while its agent works ends that attempt alone, and its commits stay', async () => {
  const repo = makeProject({ project: { name: 'sample', base_branch: 'main', worktree_dir: '.trees' } });
  const running = runTasks(repo, [
    {
      id: 'gone',
      script: 'echo 1 > a.txt; git add -A; git commit -qm kept; touch ready; until [ ! -e ready ]; do sleep 0.1; done',
      locks: ['a.txt'],
    },
    { id: 'other', script: 'echo 2 > b.txt', locks: ['b.txt'] },
  ]);
  let tree = '';
  await until('its commit', () => {
    const trees = join(repo.path, '.trees');
    const names = existsSync(trees) ? readdirSync(trees) : [];
    tree = names.find((name) => existsSync(join(trees, name, 'ready'))) ?? '';
    return tree !== '';
  });
  rmSync(join(repo.path, '.trees', tree), { recursive: true });
  const run = await running;
  assert.match(failureOf(run, 'gone'), /Its worktree was removed while it worked\./);
  assert.ok(landed(repo).includes('b.txt'), run.stderr);
  assert.is(readFileSync(join(repo.path, '.trees', tree, 'a.txt'), 'utf8'), '1\n');
});

test('WTR-2 a kept worktree that was removed is made again by the next command, with the commits of its agent', async () => {
  const repo = makeProject();
  writePlan(repo, [{ id: 'kept', script: 'echo 1 > a.txt; git add -A; git commit -qm a; exit 1', locks: ['a.txt'] }]);
  writeDecisions(repo, { plan: ['approve'], session: ['stop'] });
  const run = await runProgram(repo, argv);
  assert.is(run.code, 1, run.stderr);
  const [tree = ''] = readdirSync(`${repo.path}.trees`);
  rmSync(join(`${repo.path}.trees`, tree), { recursive: true });
  await runProgram(repo, ['cleanup', '--yes']);
  assert.is(readFileSync(join(`${repo.path}.trees`, tree, 'a.txt'), 'utf8'), '1\n');
  const cleaned = await runProgram(repo, ['cleanup', '--force', '--yes']);
  const rescue = /refs\/blueflame\/rescue\/\S+/.exec(repo.git('for-each-ref'))?.[0] ?? cleaned.stderr;
  assert.is(repo.git('show', `${rescue}:a.txt`), '1');
});

test('WTR-5 what project.copy and link put into a worktree is no work of its agent, however it adds files', async () => {
  const repo = makeProject({
    project: { name: 'sample', base_branch: 'main', link: ['node_modules'], copy: ['config/*.json', '.env'] },
  });
  repo.write('.gitignore', 'node_modules/\n.env\n');
  repo.write('config/kept.json', '{}\n');
  repo.git('add', '.gitignore', 'config/kept.json');
  repo.git('commit', '-qm', 'settings');
  repo.write('config/local [1].json', '{"db":"lea"}\n');
  repo.write('.env', 'DB=lea\n');
  repo.write('node_modules/foo/index.js', 'module.exports = 1\n');
  const commit = (add: string, title: string): string => `git add ${add} && git commit -qm "${title}"`;
  const run = await runTasks(repo, [
    { id: 'all', script: `echo b > b.txt; ${commit('-A', 'b')}`, locks: ['b.txt', 'config/**'] },
    { id: 'folder', script: `echo c > config/c.txt; ${commit('config', 'c')}`, locks: ['config/c.txt'] },
    { id: 'none', script: 'echo d > d.txt; git status --porcelain > s.txt', locks: ['d.txt', 's.txt'] },
    {
      id: 'forced',
      script: `echo e > e.txt; ${commit('-f e.txt config', 'e')}`,
      locks: ['e.txt', 'config/**'],
    },
    { id: 'past', script: 'git add -f .env node_modules; git commit -nqm f', locks: ['**/*', '*'] },
    {
      id: 'kept',
      script: 'cat config/kept.json > k.txt; echo 1 >> config/kept.json',
      locks: ['k.txt', 'config/kept.json'],
    },
  ]);
  const past = await flame(repo, ['show', 'past']);
  assert.match(past.stdout, /\[path-prepared\] \.env was copied here by project\.copy/);
  assert.match(past.stdout, /\[path-prepared\] node_modules was copied here by project\.link/);
  assert.equal(
    landed(repo).filter((path) => !/^src|^README|flame/.test(path)),
    ['.gitignore', 'b.txt', 'config/c.txt', 'config/kept.json', 'd.txt', 'k.txt', 's.txt'],
    run.stderr,
  );
  assert.is(repo.git('show', 'main:s.txt'), '?? d.txt\n?? s.txt', 'its git does not see them');
  // What git tracks is never replaced by a copy: a change to it is the agent's.
  assert.is(repo.git('show', 'main:k.txt'), '{}');
  assert.is(repo.git('show', 'main:config/kept.json'), '{}\n1');
});

test('WTR-5 work that git ignores is named with the rule, and kept; what setup and tests made is not', async () => {
  const repo = makeProject({
    project: {
      ...{ name: 'sample', base_branch: 'main' },
      setup: ['mkdir -p dist node_modules; echo 1 > dist/old.js; echo 1 > node_modules/a.js'],
    },
  });
  repo.write('.gitignore', 'dist/\nnode_modules/\n*.generated.ts\nmodules/\n__pycache__/\n');
  repo.git('add', '.gitignore');
  repo.git('commit', '-qm', 'ignored');
  const personal = join(repo.path, '.git', 'mine');
  repo.write('.git/mine', '*.log.md\n');
  repo.git('config', 'core.excludesFile', personal);
  const run = await runTasks(repo, [
    { id: 'whole', script: 'mkdir -p dist; echo 1 > dist/bundle.js', locks: ['dist/**'] },
    {
      id: 'half',
      script: 'echo 1 > src/a.ts; echo 1 > src/c.generated.ts',
      locks: ['src/a.ts', 'src/*.generated.ts'],
    },
    { id: 'nested', script: 'git init -q modules/b; echo 2 > modules/b/b.txt', locks: ['modules/b/**'] },
    { id: 'personal', script: 'echo w > work.log.md', locks: ['*.md'] },
    {
      id: 'caches',
      script: 'mkdir -p lib/__pycache__; echo 1 > lib/x.py; echo 1 > lib/__pycache__/x.pyc',
      locks: ['lib/**'],
    },
    { id: 'beside', script: 'echo 1 > dist/new.js; echo 1 > node_modules/b.js', locks: ['other/**'] },
  ]);
  const nothing = 'no-commits: It ended without a change inside its scope';
  assert.match(failureOf(run, 'whole'), `${nothing}: git ignores dist/bundle.js, by .gitignore:1 (dist/)`);
  assert.match(failureOf(run, 'nested'), `${nothing}: git ignores modules/b/b.txt, by .gitignore:4 (modules/)`);
  assert.match(failureOf(run, 'personal'), `${nothing}: git ignores work.log.md, by ${personal}:1 (*.log.md)`);
  assert.match(failureOf(run, 'beside'), `${nothing}.`);
  assert.match(run.stderr, /half is done, but no commit holds 1 path of its work; its worktree stays: \S+/);
  assert.match(run.stderr, 'src/c.generated.ts, by .gitignore:3 (*.generated.ts)');
  assert.not.match(run.stderr, /caches is done, but/);
  const half = await flame(repo, ['show', 'half']);
  assert.match(half.stdout, 'Ignored by git, not handed in: src/c.generated.ts, by .gitignore:3 (*.generated.ts)');
  const cleaned = await flame(repo, ['cleanup', '--yes', '--force']);
  assert.is(cleaned.code, 0, cleaned.stderr);
  const kept = repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue/').split('\n').filter(Boolean);
  const files = kept
    .map((ref) => repo.git('diff', '--no-renames', '--diff-filter=A', '--name-only', 'main', ref))
    .sort();
  assert.equal(files.flatMap((list) => list.split('\n')).sort(), [
    ...['dist/bundle.js', 'modules/b/b.txt', 'src/c.generated.ts', 'work.log.md'],
  ]);
});

test('UNI-5 what an agent committed and left again is a rescue, and named; a secret stays in its quarantine', async () => {
  const repo = makeProject();
  const commit = (file: string): string => `echo ${file} > ${file}.txt; git add -A; git commit -qm "Do ${file}"`;
  const locks = (name: string): string[] => [`${name}*.txt`];
  const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  const run = await runTasks(repo, [
    { id: 'reset', script: `${commit('reset')}; git reset -q --hard HEAD~1`, locks: locks('reset') },
    { id: 'stash', script: 'echo 1 > stash.txt; git stash -q --include-untracked', locks: locks('stash') },
    {
      id: 'branch',
      script: `git switch -qc mine; ${commit('branch')}; git switch -q --detach main`,
      locks: locks('branch'),
    },
    {
      id: 'part',
      script: `${commit('part1')}; ${commit('part2')}; git reset -q --hard HEAD~1`,
      locks: locks('part'),
    },
    {
      id: 'amend',
      script: `${commit('amend')}; echo 2 > amend.txt; git commit -qa --amend --no-edit`,
      locks: locks('amend'),
    },
    {
      id: 'failed',
      script: `${commit('failed')}; git reset -q --hard HEAD~1; exit 3`,
      locks: locks('failed'),
    },
    {
      id: 'secret',
      script: `echo ${token} > secret.txt; git add -A; git commit -nqm s; git reset -q --hard HEAD~1`,
      locks: locks('secret'),
    },
  ]);
  const kept = repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue/').split('\n');
  assert.equal(
    kept.map((ref) => ref.split('/').slice(-2)[0]).sort(),
    ['branch', 'failed', 'part', 'reset', 'stash'],
    run.stderr,
  );
  assert.match(
    run.stderr,
    /reset: It committed \w+ "Do reset" and then dropped it\. That is kept as the rescue ses-\S+\/reset\/1/,
  );
  assert.match(
    run.stderr,
    /secret: It committed \w+ "s" and then dropped it\. That stays in \S+, because secret\.txt:1 looks like/,
  );
  const part = await flame(repo, ['show', 'part']);
  assert.match(part.stdout, /It committed \w+ "Do part2" and then dropped it\. That is kept as the rescue/);
  assert.ok(landed(repo).includes('part1.txt') && !landed(repo).includes('part2.txt'));
  assert.is(repo.git('log', '--all', '--format=%s', '--grep=^s$'), '');
});

test.run();
