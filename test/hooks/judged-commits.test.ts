import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { type GitRun, runGit } from './fixture.ts';

const format = { pattern: '^(feat|fix)\\(task-\\d+\\): .+', example: 'feat(task-001): add it' };

interface Project {
  readonly repo: TestRepo;
  /** Short name of the finished task's branch. */
  readonly branch: string;
  commit(message: string, ...options: string[]): GitRun;
}

interface ProjectOptions {
  readonly objectFormat?: 'sha256';
  readonly applyTo?: string;
}

const templates = new Map<string, Promise<TestRepo>>();

/** A repository with hooks, and a finished task on its branch. */
async function makeProject(options: ProjectOptions = {}): Promise<Project> {
  const key = JSON.stringify(options);
  const template = templates.get(key) ?? runTasks(options).then(installIn);
  templates.set(key, template);
  const path = join(makeTempDir(), 'repo');
  cpSync((await template).path, path, { recursive: true });
  return projectOf(openRepo(path));
}

/** The same with the worktree of the failed task, which knows where it is. */
async function makeProjectWithWorktree(): Promise<Project & { readonly worktree: string }> {
  const project = projectOf(await installIn(await runTasks({})));
  const lines = project.repo.git('worktree', 'list', '--porcelain').split('\n');
  const line = lines.find((one) => one.includes('.trees/')) ?? '';
  return { ...project, worktree: line.slice('worktree '.length) };
}

async function runTasks({ objectFormat, applyTo }: ProjectOptions): Promise<TestRepo> {
  const commitFormat = { ...format, ...(applyTo === undefined ? {} : { apply_to: applyTo }) };
  const repo = makeExecProject({
    ...(objectFormat === undefined ? {} : { objectFormat }),
    config: { validation: { commit_format: commitFormat }, limits: { max_retries: 0 } },
  });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'mkdir -p src; echo one > src/one.txt', locks: ['src/one*'] },
    { id: 'task-002', script: 'echo two > src/two.txt; exit 3', locks: ['src/two.txt'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  await flame(repo, ['run', 'Two', '--from', plan, '--decisions-file', decisions]);
  return repo;
}

async function installIn(repo: TestRepo): Promise<TestRepo> {
  const init = await flame(repo, ['init']);
  assert.is(init.code, 0, init.stderr);
  return repo;
}

function projectOf(repo: TestRepo): Project {
  const branch = repo.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/blueflame');
  assert.match(branch, /^blueflame\/ses-[^\n]*\/task-001$/);
  const commit = (message: string, ...more: string[]): GitRun => runGit(repo, ['commit', '-qm', message, ...more]);
  return { repo, branch, commit };
}

for (const objectFormat of [undefined, 'sha256'] as const) {
  test(`HKS-2: on a task's branch its scope and the commit format hold, whoever commits (${objectFormat ?? 'sha1'})`, async () => {
    const { repo, branch, commit } = await makeProject(objectFormat === undefined ? {} : { objectFormat });
    repo.git('checkout', '-q', branch);
    repo.write('src/one-more.txt', 'more\n');
    repo.write('docs/out.txt', 'out\n');
    repo.git('add', '-A');
    const out = commit('feat(task-001): both');
    assert.is(out.code, 1);
    assert.match(out.stderr, /This commit breaks a rule of task task-001/);
    assert.match(out.stderr, /docs\/out\.txt is not in the locks of this task.*\[path-out-of-scope\]/);
    assert.match(out.stderr, /the same rules apply when the work is submitted/);
    assert.match(out.stderr, /next: git restore --staged -- docs\/out\.txt$/m);
    repo.git('restore', '--staged', '--', 'docs/out.txt');
    const message = commit('whatever');
    assert.is(message.code, 1);
    assert.match(message.stderr, /"whatever" does not match .*For example: feat\(task-001\): add it/);
    assert.is(commit('feat(task-001): more').code, 0);
    assert.is(repo.git('show', '--format=', '--name-only', 'HEAD'), 'src/one-more.txt');
  });
}

test('WAT-8: contents are judged too: a credential, a link out of the repository', async () => {
  const { repo, branch, commit } = await makeProject();
  repo.git('checkout', '-q', branch);
  repo.write('src/one-key.txt', `${['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ')}\nabc\n`);
  repo.git('add', '-A');
  assert.match(commit('feat(task-001): key').stderr, /src\/one-key\.txt:1 looks like a credential/);
});

test('HKS-2: -a, paths and another index are judged by what they commit', async () => {
  const { repo, branch } = await makeProject();
  repo.git('checkout', '-q', branch);
  repo.write('README.md', '# changed\n');
  repo.write('src/one.txt', 'changed\n');
  const all = runGit(repo, ['commit', '-qam', 'feat(task-001): all']);
  assert.match(all.stderr, /README\.md is not in the locks/);
  const some = runGit(repo, ['commit', '-qm', 'feat(task-001): some', '--', 'src/one.txt']);
  assert.equal([some.code, some.stderr], [0, '']);
  const other = runGit(repo, ['commit', '-qm', 'feat(task-001): other', '--', 'README.md']);
  assert.is(other.code, 1);
});

test('HKS-2: in the middle of a rebase of a task’s branch its rules hold', async () => {
  const { repo, branch } = await makeProject();
  repo.git('checkout', '-q', branch);
  const rebase = runGit(repo, ['rebase', '-q', '-x', 'false', 'HEAD~1', '--force-rebase']);
  assert.is(rebase.code, 1, rebase.stderr);
  repo.write('README.md', '# changed\n');
  const commit = runGit(repo, ['commit', '-qam', 'feat(task-001): all']);
  assert.match(commit.stderr, /README\.md is not in the locks/);
});

test('HKS-2: a merge brings what the other side has, and git writes its message', async () => {
  const { repo, branch } = await makeProject();
  repo.git('checkout', '-q', 'main');
  repo.write('README.md', '# of main\n');
  repo.write('src/one.txt', 'of main\n');
  repo.git('add', 'README.md', 'src/one.txt');
  repo.git('commit', '-qm', 'on main');
  repo.git('checkout', '-q', branch);
  const merge = runGit(repo, ['merge', '-q', 'main']);
  assert.is(merge.code, 1);
  repo.write('src/one.txt', 'of both\n');
  repo.git('add', 'src/one.txt');
  const good = runGit(repo, ['commit', '-q', '--no-edit']);
  assert.equal([good.code, good.stderr], [0, '']);
  repo.git('reset', '-q', '--hard', 'HEAD~1');
  runGit(repo, ['merge', '-q', 'main']);
  repo.write('src/one.txt', 'of both\n');
  repo.write('README.md', '# of neither\n');
  repo.git('add', '-A', 'src/one.txt', 'README.md');
  assert.match(runGit(repo, ['commit', '-q', '--no-edit']).stderr, /README\.md is not in the locks/);
});

test('HKS-2: in a task’s worktree its rules hold', async () => {
  const { repo, worktree } = await makeProjectWithWorktree();
  const git = (...args: string[]): GitRun => runGit(repo, args, { cwd: worktree });
  assert.is(git('symbolic-ref', '-q', 'HEAD').code, 1);
  writeFileSync(join(worktree, 'README.md'), '# changed\n');
  assert.match(git('commit', '-qam', 'feat(task-002): all').stderr, /rule of task task-002/);
  git('checkout', '-q', 'README.md');
  git('add', 'src/two.txt');
  assert.match(git('commit', '-qm', 'whatever').stderr, /does not match/);
  const good = git('commit', '-qm', 'feat(task-002): two');
  assert.equal([good.code, good.stderr], [0, '']);
});

test('HKS-2: every other commit passes, and node is not even started', async () => {
  const { repo, commit } = await makeProject();
  const log = join(makeTempDir(), 'started');
  const node = join(makeTempDir(), 'node');
  writeFileSync(node, `#!/bin/sh\necho "$3" >> '${log}'\nexit 3\n`);
  chmodSync(node, 0o755);
  for (const hook of ['commit-msg', 'pre-commit']) {
    const file = join(repo.path, '.git/hooks', hook);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^node=\S+/m, `node=${node}`));
  }
  repo.write('anything.txt', 'any\n');
  repo.git('add', '-A');
  assert.equal(commit('anything at all'), { code: 0, stdout: '', stderr: '' });
  repo.git('checkout', '-q', '-b', 'feature/refs/heads/blueflame/x');
  assert.is(commit('on a branch', '--allow-empty').code, 0);
  repo.git('checkout', '-q', '--detach');
  assert.is(commit('on none', '--allow-empty').code, 0);
  const linked = join(makeTempDir(), 'linked');
  repo.git('worktree', 'add', '-q', linked, '-b', 'side');
  assert.is(runGit(repo, ['commit', '-qm', 'linked', '--allow-empty'], { cwd: linked }).code, 0);
  repo.git('checkout', '-q', '--orphan', 'blueflame-no-slash');
  assert.is(commit('orphan').code, 0);
  assert.not.ok(existsSync(log));
  // The same log is written where a task may be concerned.
  repo.git('checkout', '-q', '-b', 'blueflame/mine');
  assert.is(commit('maybe', '--allow-empty').code, 1);
  assert.is(readFileSync(log, 'utf8'), 'pre-commit\n');
});

test('HKS-2: a branch that is no task’s passes although its name begins like one', async () => {
  const { repo, commit } = await makeProject();
  repo.git('checkout', '-q', '-b', 'blueflame/mine');
  repo.write('anything.txt', 'any\n');
  repo.git('add', '-A');
  assert.equal(commit('anything at all'), { code: 0, stdout: '', stderr: '' });
});

test('HKS-2: apply_to all extends the format to every commit, but for merges and what a rebase melts', async () => {
  const { repo, commit } = await makeProject({ applyTo: 'all' });
  const refused = commit('anything', '--allow-empty');
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /breaks a rule of this repository/);
  assert.match(refused.stderr, /"anything" does not match/);
  assert.is(commit('feat(task-9): good', '--allow-empty').code, 0);
  repo.write('README.md', '# scope holds for tasks alone\n');
  assert.is(commit('feat(task-9): any file', '-a').code, 0);
  assert.is(runGit(repo, ['commit', '-q', '--allow-empty', '--fixup', 'HEAD']).code, 0);
  repo.git('checkout', '-q', '-b', 'side', 'HEAD~1');
  assert.is(commit('feat(task-9): side', '--allow-empty').code, 0);
  const merge = runGit(repo, ['merge', '-q', '--no-edit', 'main']);
  assert.equal([merge.code, merge.stderr], [0, '']);
  // Also with other spellings of the value, and not because of a comment.
  for (const [line, code] of [
    ['commit_format: {pattern: "^x", "apply_to" : "all"}', 1],
    ['commit_format: {pattern: "^x"} # apply_to: all', 0],
    ['commit_format: {pattern: "^x", apply_to: tasks}', 0],
  ] as const) {
    repo.write('.blueflame.yml', `schema_version: 1\nvalidation:\n  ${line}\n`);
    assert.is(commit('another', '--allow-empty').code, code, line);
  }
});

test('comments and the diff below scissors are no part of the message', async () => {
  const { repo, branch } = await makeProject();
  repo.git('checkout', '-q', branch);
  const editor = join(makeTempDir(), 'editor');
  const commit = (text: string, ...options: string[]): number | null => {
    writeFileSync(editor, `#!/bin/sh\ncat > "$1" <<'END'\n${text}\nEND\n`);
    chmodSync(editor, 0o755);
    const env = { GIT_EDITOR: editor };
    return runGit(repo, ['commit', '-q', '--allow-empty', ...options], { env }).code;
  };
  assert.is(commit('# a comment\n\nfeat(task-001): edited\n# another'), 0);
  assert.is(commit('# feat(task-001): only a comment\nnot this'), 1);
  const scissors = '# ------------------------ >8 ------------------------';
  assert.is(commit(`not this\n${scissors}\nfeat(task-001): below`, '--cleanup=scissors'), 1);
  assert.is(commit(`${scissors}\nfeat(task-001): below`, '-v'), 1);
  // Given with -m, a # is a part of it.
  assert.is(runGit(repo, ['commit', '-q', '--allow-empty', '-m', '# feat(task-001): x']).code, 1);
});

test('a missing or failing tool blocks nobody, and says one line where it had to judge', async () => {
  const { repo, branch, commit } = await makeProject();
  const hooks = ['commit-msg', 'pre-commit'].map((name) => join(repo.path, '.git/hooks', name));
  for (const file of hooks) {
    const text = readFileSync(file, 'utf8').replace(/^(node=\S+ tool=)\S+/m, '$1/nowhere/git-flame');
    writeFileSync(file, text);
  }
  assert.equal(commit('ordinary', '--allow-empty'), { code: 0, stdout: '', stderr: '' });
  repo.git('checkout', '-q', branch);
  const gone = commit('unjudged', '--allow-empty');
  assert.is(gone.code, 0);
  assert.match(gone.stderr, /^(?:git-flame is not installed any more, so this commit was not judged\.\n){2}$/);
  // Found in PATH instead.
  const bin = makeTempDir();
  writeFileSync(join(bin, 'git-flame'), '#!/bin/sh\necho "asked $*" >&2\nexit 3\n');
  chmodSync(join(bin, 'git-flame'), 0o755);
  const env = { PATH: `${bin}:${repo.env.PATH ?? ''}` };
  const found = runGit(repo, ['commit', '-qm', 'x', '--allow-empty'], { env });
  assert.equal([found.code, found.stderr], [1, 'asked hook pre-commit\n']);
  writeFileSync(join(bin, 'git-flame'), '#!/bin/sh\nexit 1\n');
  const failing = runGit(repo, ['commit', '-qm', 'x', '--allow-empty'], { env });
  assert.is(failing.code, 0);
  assert.match(failing.stderr, /could not judge this commit, so it passes/);
});

test('a configuration or state that cannot be read lets the commit pass, with the reason', async () => {
  const { repo, branch, commit } = await makeProject();
  repo.git('checkout', '-q', branch);
  repo.write('.blueflame.yml', 'schema_version: [\n');
  const broken = commit('unjudged', '--allow-empty');
  assert.is(broken.code, 0);
  assert.match(broken.stderr, /\.blueflame\.yml/);
  assert.match(broken.stderr, /could not judge this commit, so it passes/);
  rmSync(join(repo.path, '.blueflame.yml'));
  repo.git('update-ref', 'refs/blueflame/tasks', 'HEAD');
  const corrupt = commit('unjudged too', '--allow-empty');
  assert.is(corrupt.code, 0);
  assert.match(corrupt.stderr, /refs\/blueflame\/tasks/);
});

test.run();
