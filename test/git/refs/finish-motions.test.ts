import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { finishKilledRefChanges } from '../../../lib/git/refs/finish-killed-ref-changes.ts';
import { ownIdentity } from '../../../lib/util/process-identity.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const gone = { ...ownIdentity(), start: '1' };
const [one, two] = ['refs/blueflame/tasks', 'refs/heads/main'];

/** A repository with two refs, a commit they are to move to, and the note of a process that had begun that. */
function makeMotion(fields: Readonly<Record<string, unknown>> = {}) {
  const repo = makeRepo();
  const old = repo.git('rev-parse', 'HEAD');
  repo.git('update-ref', one, old);
  const next = repo.git('commit-tree', '-m', 'next', '-p', old, `${old}^{tree}`);
  const note = join(repo.path, '.git/blueflame/locks/motion-99999999-1.json');
  const moves = [one, two].map((ref) => ({ ref, old, new: next }));
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(note, JSON.stringify({ owner: gone, git: { pid: 99999999, start: '1' }, moves, locks: [], ...fields }));
  const finish = () => finishKilledRefChanges({ cwd: repo.path, env: repo.env }, join(repo.path, '.git'));
  return { repo, old, next, note, finish };
}

function lock(repo: TestRepo, name: string, content = ''): string {
  const file = join(repo.path, '.git', `${name}.lock`);
  writeFileSync(file, content);
  return file;
}

test('UNI-4 LIF-4 refs that a killed git had moved in part are all moved, its locks go', async () => {
  const { repo, next, note, finish } = makeMotion();
  repo.git('update-ref', one, next);
  const locks = [lock(repo, two, `${next}\n`), lock(repo, 'HEAD')];
  assert.equal([...(await finish())].sort(), [...locks, two].sort());
  assert.is(repo.git('rev-parse', two), next);
  assert.equal(
    [...locks, note].map((file) => existsSync(file)),
    [false, false, false],
  );
  assert.equal(await finish(), []);
});

test('LIF-4 refs none of which had moved stay where they are, the locks go', async () => {
  const { repo, old, next, finish } = makeMotion();
  lock(repo, one, `${next}\n`);
  lock(repo, two);
  await finish();
  assert.equal([repo.git('rev-parse', one), repo.git('rev-parse', two)], [old, old]);
  repo.git('update-ref', two, next, old);
});

test('a ref that somebody moved elsewhere since stays there', async () => {
  const { repo, old, next, finish } = makeMotion();
  const other = repo.git('commit-tree', '-m', 'other', '-p', old, `${old}^{tree}`);
  repo.git('update-ref', one, next);
  repo.git('update-ref', two, other);
  await finish();
  assert.is(repo.git('rev-parse', two), other);
});

test('a lock that is older than the motion, and one while another git is at work, stay', async () => {
  const { repo, finish } = makeMotion();
  const old = lock(repo, two);
  utimesSync(old, 1_000, 1_000);
  const other = lock(repo, one, 'of somebody else\n');
  const git = spawn('git', ['hash-object', '--stdin'], {
    cwd: repo.path,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise((resolve) => git.on('close', resolve));
  await new Promise((resolve) => git.on('spawn', resolve));
  while (readFileSync(`/proc/${git.pid}/comm`, 'utf8').trim() !== 'git') await new Promise(setImmediate);
  await finish();
  assert.equal([existsSync(old), existsSync(other)], [true, true]);
  git.stdin.end();
  await ended;
});

test('the motion of a living process, and of one on another machine, is left alone', async () => {
  for (const owner of [ownIdentity(), { ...gone, host: 'elsewhere' }]) {
    const { repo, next, note, finish } = makeMotion({ owner });
    const file = lock(repo, two, `${next}\n`);
    assert.equal(await finish(), []);
    assert.equal([existsSync(note), existsSync(file)], [true, true]);
  }
});

/** main checked out at `from`, at `to` since, its work tree brought along in part. */
function makeHalfAdvanced() {
  const repo = makeRepo();
  const from = repo.git('rev-parse', 'HEAD');
  repo.git('checkout', '-q', '-b', 'work');
  repo.write('src/a.txt', 'landed\n');
  repo.write('src/long.txt', 'a long text\n'.repeat(100));
  repo.write('new/file.txt', 'new\n');
  repo.git('rm', '-q', 'README.md');
  const to = repo.commit('landed');
  repo.git('checkout', '-q', 'main');
  repo.git('update-ref', 'refs/heads/main', to, from);
  const index = lock(repo, 'index');
  const note = join(repo.path, '.git/blueflame/locks/motion-99999999-1.json');
  mkdirSync(dirname(note), { recursive: true });
  const advance = { workTree: repo.path, gitDir: join(repo.path, '.git'), from, to, variables: {} };
  writeFileSync(note, JSON.stringify({ owner: gone, git: null, moves: [], locks: [index], advance }));
  rmSync(join(repo.path, 'README.md'));
  repo.write('src/long.txt', 'a long text\na lo');
  const finish = () => finishKilledRefChanges({ cwd: repo.path, env: repo.env }, join(repo.path, '.git'));
  return { repo, index, finish };
}

test('MRG-5 LIF-4 a work tree that git had brought along in part is brought along', async () => {
  const { repo, index, finish } = makeHalfAdvanced();
  assert.equal([...(await finish())].sort(), [repo.path, index].sort());
  assert.is(repo.git('status', '--porcelain'), '');
  assert.is(readFileSync(join(repo.path, 'new/file.txt'), 'utf8'), 'new\n');
  assert.equal(
    readdirSync(join(repo.path, '.git')).filter((name) => /flame-advance|lock$/.test(name)),
    [],
  );
});

test('MRG-5 what a person changed in it since is not touched, and then nothing is', async () => {
  const changes: readonly ((repo: TestRepo) => void)[] = [
    (repo) => repo.write('src/a.txt', 'mine\n'),
    (repo) => repo.write('src/long.txt', 'mine\n'),
    (repo) => repo.write('new/file.txt', 'mine\n'),
    (repo) => repo.write('README.md', 'mine\n'),
  ];
  for (const change of changes) {
    const { repo, index, finish } = makeHalfAdvanced();
    change(repo);
    const status = (): string => repo.git('--no-optional-locks', 'status', '--porcelain');
    const before = status();
    assert.equal(await finish(), [index]);
    assert.is(status(), before);
  }
});

test.run();
