import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { makeRepo, makeTempDir, type TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { editByHand } from '../support/state-by-hand.ts';
import { runGit, snapshot, writeHook } from './fixture.ts';

// The real tools, where somebody has put them: FLAME_TEST_HOOK_TOOLS=<a node_modules with husky and lefthook>.
const tools = process.env.FLAME_TEST_HOOK_TOOLS ?? '';
const husky = join(tools, 'husky', 'bin.js');
const lefthook = join(tools, `lefthook-${process.platform}-${process.arch}`, 'bin', 'lefthook');

test('a hook that was there gets its arguments and input, changes the message, and its no counts', async () => {
  const repo = makeRepo();
  const hooks = join(repo.path, '.git/hooks');
  const seen = join(makeTempDir(), 'seen');
  writeHook(join(hooks, 'commit-msg'), ['echo "Change-Id: 1" >> "$1"', `exit \${RC:-0}`]);
  writeHook(join(hooks, 'pre-push'), [`{ echo "$@"; cat; } > '${seen}'`, `exit \${RC:-0}`]);
  assert.is((await flame(repo, ['init'])).code, 0);
  assert.is(runGit(repo, ['commit', '-qm', 'x', '--allow-empty']).code, 0);
  assert.is(repo.git('log', '-1', '--format=%B'), 'x\nChange-Id: 1');
  const refused = runGit(repo, ['commit', '-qm', 'y', '--allow-empty'], { env: { RC: '7' } });
  assert.is(refused.code, 1);
  const bare = makeBare(repo);
  const push = runGit(repo, ['push', '-q', bare, 'main'], { env: { RC: '7' } });
  assert.is(push.code, 1);
  const head = repo.git('rev-parse', 'HEAD');
  assert.is(readFileSync(seen, 'utf8'), `${bare} ${bare}\nrefs/heads/main ${head} refs/heads/main ${'0'.repeat(40)}\n`);
  assert.is(runGit(repo, ['push', '-q', bare, 'main']).code, 0);
});

test('a hook without a first line that names a shell, a disabled one and one with blanks work as before', async () => {
  const repo = makeRepo({ name: "with blank's" });
  const hooks = join(repo.path, '.git/hooks');
  writeHook(join(hooks, 'pre-commit'), ['exit 1'], 0o644);
  writeHook(join(hooks, 'commit-msg'), []);
  writeFileSync(join(hooks, 'commit-msg'), 'echo plain >&2\n');
  await flame(repo, ['init']);
  const commit = runGit(repo, ['commit', '-qm', 'x', '--allow-empty']);
  assert.equal([commit.code, commit.stderr], [0, 'plain\n']);
});

test('where core.hooksPath leads elsewhere every hook there still runs, in linked worktrees their own', async () => {
  const repo = makeRepo();
  const names = [
    'pre-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
    'post-checkout',
    'reference-transaction',
  ];
  for (const name of names) writeHook(join(repo.path, '.githooks', name), [`echo "$(basename "$0")" >&2`]);
  repo.commit('hooks');
  repo.git('config', 'core.hooksPath', '.githooks');
  const said = (...args: string[]): string => runGit(repo, args).stderr;
  const commit = ['commit', '-qm', 'x', '--allow-empty'];
  const before = [said(...commit), said('checkout', '-q', '-b', 'b1')];
  assert.is((await flame(repo, ['init'])).code, 0);
  assert.equal([said(...commit), said('checkout', '-q', '-b', 'b2')], before);
  const linked = join(makeTempDir(), 'linked');
  repo.git('worktree', 'add', '-q', linked, '-b', 'side');
  writeHook(join(linked, '.githooks/post-commit'), ['echo its own >&2']);
  assert.match(runGit(repo, commit, { cwd: linked }).stderr, /\nits own\n$/);
  // One that comes later runs too; one that isn't there doesn't matter.
  writeHook(join(repo.path, '.githooks/post-rewrite'), ['echo later >&2']);
  assert.match(said('commit', '-q', '--amend', '--allow-empty', '--no-edit'), /later\n/);
  rmSync(join(repo.path, '.githooks'), { recursive: true });
  assert.is(said(...commit), '');
});

test('a hook that looks at its name still has it', async () => {
  const repo = makeRepo();
  writeHook(join(repo.path, '.git/hooks/commit-msg'), ['echo "I am $(basename "$0")" >&2']);
  await flame(repo, ['init']);
  assert.is(runGit(repo, ['commit', '-qm', 'x', '--allow-empty']).stderr, 'I am commit-msg\n');
});

test('pre-commit: its script keeps working, also when it is installed anew before or behind ours', async () => {
  const repo = makeRepo();
  const hook = join(repo.path, '.git/hooks/pre-commit');
  installPreCommit(repo);
  const before = snapshot(join(repo.path, '.git/hooks'));
  await flame(repo, ['init']);
  const commit = (): string => runGit(repo, ['commit', '-qm', 'x', '--allow-empty']).stderr;
  assert.is(commit(), 'pre-commit runs\n');
  // Ours is a legacy hook to it, and behind ours is its own script once more.
  installPreCommit(repo);
  assert.ok(existsSync(`${hook}.legacy`));
  assert.is(commit(), 'pre-commit runs\n');
  const again = await flame(repo, ['init']);
  assert.is(again.code, 0, again.stderr);
  assert.not.ok(existsSync(`${hook}.legacy`));
  assert.is(commit(), 'pre-commit runs\n');
  installPreCommit(repo);
  const removal = await flame(repo, ['init', '--uninstall']);
  assert.is(removal.code, 0, removal.stderr);
  assert.equal(snapshot(join(repo.path, '.git/hooks')), before);
});

test('pre-commit installed later: what was there before ours becomes its legacy hook', async () => {
  const repo = makeRepo();
  const hook = join(repo.path, '.git/hooks/pre-commit');
  writeHook(hook, ['echo mine >&2']);
  await flame(repo, ['init']);
  installPreCommit(repo);
  const commit = (): string => runGit(repo, ['commit', '-qm', 'x', '--allow-empty']).stderr;
  assert.is(commit(), 'mine\npre-commit runs\n');
  const removal = await flame(repo, ['init', '--uninstall']);
  assert.is(removal.code, 0, removal.stderr);
  assert.match(readFileSync(`${hook}.legacy`, 'utf8'), /echo mine/);
  assert.is(commit(), 'mine\npre-commit runs\n');
});

testIf(
  test,
  existsSync(husky),
  'husky is not in FLAME_TEST_HOOK_TOOLS',
)('husky, the real one', async () => {
  const repo = makeRepo();
  const install = (): void => run(repo, process.execPath, [husky]);
  install();
  repo.write('.husky/commit-msg', `echo husky $1 >&2; exit \${RC:-0}\n`);
  repo.write('.husky/post-commit', 'echo husky after >&2\n');
  repo.commit('husky');
  const before = snapshot(join(repo.path, '.git'));
  assert.is((await flame(repo, ['init'])).code, 0);
  const commit = ['commit', '-qm', 'x', '--allow-empty'];
  const good = runGit(repo, commit);
  assert.equal([good.code, good.stderr], [0, 'husky .git/COMMIT_EDITMSG\nhusky after\n']);
  assert.is(runGit(repo, commit, { env: { RC: '3' } }).code, 1);
  assert.is(repo.git('status', '--porcelain'), '?? .blueflame.yml');
  // What npm install does each time.
  install();
  assert.is(repo.git('config', 'core.hooksPath'), '.husky/_');
  assert.is((await flame(repo, ['init'])).code, 0);
  assert.is(runGit(repo, commit).stderr, 'husky .git/COMMIT_EDITMSG\nhusky after\n');
  assert.is((await flame(repo, ['init', '--uninstall'])).code, 0);
  const after = snapshot(join(repo.path, '.git'));
  for (const path of ['config', 'info/exclude']) assert.is(after[path], before[path]);
  assert.equal(
    Object.keys(after).filter((path) => path.includes('flame')),
    [],
  );
  install();
});

testIf(
  test,
  existsSync(lefthook),
  'lefthook is not in FLAME_TEST_HOOK_TOOLS',
)('lefthook, the real one', async () => {
  const repo = makeRepo();
  const install = (): void => run(repo, lefthook, ['install']);
  const jobs = (word: string): string =>
    ['pre-commit', 'commit-msg'].map((name) => `${name}:\n  jobs:\n    - run: echo ${word}-${name}\n`).join('');
  repo.write('lefthook.yml', jobs('one'));
  install();
  repo.commit('lefthook');
  const before = snapshot(join(repo.path, '.git/hooks'));
  assert.is((await flame(repo, ['init'])).code, 0);
  const commit = (): string => {
    repo.write('a.txt', `${Math.random()}`);
    repo.git('add', 'a.txt');
    const { code, stdout, stderr } = runGit(repo, ['commit', '-qm', 'x']);
    return `${code} ${stdout}${stderr}`;
  };
  assert.match(commit(), /^0 [\s\S]*one-pre-commit[\s\S]*one-commit-msg/);
  // A new configuration has it install its hooks anew by itself.
  repo.write('lefthook.yml', jobs('two'));
  assert.match(commit(), /^0 [\s\S]*two-pre-commit[\s\S]*two-commit-msg/);
  // What npm install does each time: ours are put aside, and nobody runs them.
  install();
  assert.ok(existsSync(join(repo.path, '.git/hooks/pre-commit.old')));
  const again = await flame(repo, ['init']);
  assert.is(again.code, 0, again.stderr);
  assert.match(commit(), /^0 [\s\S]*two-pre-commit[\s\S]*two-commit-msg/);
  install();
  const removal = await flame(repo, ['init', '--uninstall']);
  assert.is(removal.code, 0, removal.stderr);
  assert.equal(snapshot(join(repo.path, '.git/hooks')), before);
  assert.match(commit(), /^0 [\s\S]*two-pre-commit/);
});

test('HKS-3: state goes along with a push only where it is asked for, and never stops it', async () => {
  const repo = makeExecProject();
  await flame(repo, ['init']);
  const bare = makeBare(repo);
  repo.git('remote', 'add', 'origin', bare);
  const theirs = (prefix = 'refs/blueflame/'): string =>
    runGit(repo, ['ls-remote', bare, `${prefix}*`])
      .stdout.replace(/\t/g, ' ')
      .trim();
  const own = (ref: string): string => `${repo.git('rev-parse', ref)} ${ref}`;
  const commit = (): void => void repo.git('commit', '-qm', 'x', '--allow-empty', '--no-verify');
  const push = (...args: string[]): ReturnType<typeof runGit> => runGit(repo, ['push', '-q', ...args]);
  const plan = writePlan(repo, [{ id: 'task-001', script: 'true', locks: ['a'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', 'x', '--from', plan, '--decisions-file', decisions])).code, 0);
  repo.git('update-ref', 'refs/blueflame/rescue/ses-1/task-001/1', 'HEAD');
  assert.equal(push('origin', 'main'), { code: 0, stdout: '', stderr: '' });
  assert.is(theirs(), '');
  repo.git('config', 'blueflame.pushState', 'yes');
  commit();
  for (const dry of ['--dry-run', '-n', '--dry']) assert.is(push(dry, 'origin', 'main').code, 0);
  assert.is(theirs(), '');
  assert.equal(push('origin', 'main'), { code: 0, stdout: '', stderr: '' });
  const shared = ['sessions', 'tasks'].map((name) => own(`refs/blueflame/${name}`)).join('\n');
  assert.is(theirs(), shared);
  // What can't be read here stays here, and the person's own commits go.
  const good = repo.git('rev-parse', 'refs/blueflame/tasks');
  const [note = ''] = repo.git('ls-tree', '-r', '--name-only', good).split('\n');
  editByHand(repo, 'refs/blueflame/tasks', note, 'torn');
  commit();
  const damaged = push('origin', 'main');
  assert.is(damaged.code, 0);
  assert.match(damaged.stderr, /Nothing was sent to origin: part of the state here can't be read[\s\S]*next/);
  assert.match(damaged.stderr, /git flame doctor --repair[\s\S]*the push itself goes on/);
  assert.equal([theirs(), theirs('refs/heads/')], [shared, own('refs/heads/main')]);
  // Another one's is never overwritten.
  repo.git('update-ref', 'refs/blueflame/tasks', repo.git('commit-tree', '-m', 'other', `${good}^{tree}`));
  commit();
  const refused = push('origin', 'main');
  assert.is(refused.code, 0);
  assert.match(refused.stderr, /refs\/blueflame\/\* did not go along; the push itself goes on/);
  assert.equal([theirs(), theirs('refs/heads/')], [shared, own('refs/heads/main')]);
});

/** As `pre-commit install` does: an older hook is moved aside and run first. */
function installPreCommit(repo: TestRepo): void {
  const hook = join(repo.path, '.git/hooks/pre-commit');
  const isThere = existsSync(hook);
  const isOwn = isThere && readFileSync(hook, 'utf8').includes('# ID: 138fd403');
  if (isThere && !isOwn) {
    writeHook(`${hook}.legacy`, []);
    writeFileSync(`${hook}.legacy`, readFileSync(hook));
  }
  writeHook(hook, [
    '# File generated by pre-commit: https://pre-commit.com',
    '# ID: 138fd403232d2ddd5efb44317e38bf03',
    'HERE="$(cd "$(dirname "$0")" && pwd)"',
    'if [ -n "$PRE_COMMIT_RUNNING_LEGACY" ]; then echo "installed in migration mode" >&2; exit 1; fi',
    'if [ -x "$HERE/pre-commit.legacy" ]; then',
    '  PRE_COMMIT_RUNNING_LEGACY=1 "$HERE/pre-commit.legacy" "$@" || exit 1',
    'fi',
    'echo pre-commit runs >&2',
  ]);
}

function makeBare(repo: TestRepo): string {
  const bare = join(makeTempDir(), 'bare.git');
  repo.git('init', '-q', '--bare', '-b', 'main', bare);
  return bare;
}

function run(repo: TestRepo, program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, {
    cwd: repo.path,
    env: { ...repo.env },
    encoding: 'utf8',
  });
  assert.is(status, 0, stderr);
}

test.run();
