import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removeAgentWrittenFolder } from '../../lib/cell/run/end-runs.ts';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import { makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { gitSays, testIf, testWhere } from '../support/skip.ts';
import { trusted } from '../support/trusted.ts';

// Repositories as git can be told to keep them: a whole session works in each as in a plain one.

const once = { limits: { max_retries: 0 } };

const tasks: readonly ScriptTask[] = [
  { id: 'a', script: 'echo more >> src/a.txt; echo new > src/new.txt', locks: ['src/**'], group: 'a' },
  {
    id: 'b',
    script: 'rm README.md; mkdir docs; echo d > docs/d.md',
    locks: ['README.md', 'docs/**'],
    group: 'b',
  },
  { id: 'c', script: 'cat src/new.txt > last.txt', locks: ['last.txt'], group: 'a', needs: ['a'] },
];
const landed = ['README.md', 'docs/d.md', 'last.txt', 'src/a.txt', 'src/new.txt'];

function session(repo: TestRepo, given = tasks, cwd = repo.path): Promise<FlameRun> {
  const decisions = { plan: ['approve'], changesets: ['approve', 'approve'], session: ['stop'] };
  const plan = join(repo.path, writePlan(repo, given));
  const answers = join(repo.path, writeDecisions(repo, decisions));
  return flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', answers], { cwd });
}

function health(repo: TestRepo): readonly string[] {
  return [repo.git('fsck', '--strict', '--no-dangling'), repo.git('status', '--porcelain'), repo.git('stash', 'list')];
}

/** A session from plan to landing: what was approved is there, all else as before. */
async function holds(repo: TestRepo): Promise<void> {
  repo.write('src/a.txt', 'stashed\n');
  repo.git('stash', 'push', '-q');
  const before = health(repo);
  const start = repo.git('rev-parse', 'main');
  const run = await session(repo);
  assert.is(run.code, 0, run.stderr);
  const changed = repo.git('diff', '--name-only', '--no-renames', start, 'main').split('\n');
  assert.equal(changed, landed, run.stderr);
  assert.equal(health(repo), before);
  assert.is(repo.git('write-tree'), repo.git('rev-parse', 'main^{tree}'));
  const status = await flame(repo, ['status']);
  assert.match(status.stdout, /3 landed/);
}

function configured(settings: Readonly<Record<string, string>>): TestRepo {
  const repo = makeExecProject({ config: once });
  for (const [key, value] of Object.entries(settings)) repo.git('config', key, value);
  return repo;
}

/** A clone of what makeExecProject makes, by way of a bare repository that serves parts of itself. */
function cloned(...options: readonly string[]): { readonly repo: TestRepo; readonly origin: TestRepo } {
  const source = makeExecProject({ config: once });
  for (const step of ['one', 'two']) {
    source.write('far/history.txt', `${step}\n`);
    source.commit(step);
  }
  const folder = makeTempDir();
  source.git('clone', '-q', '--bare', source.path, join(folder, 'origin.git'));
  const origin = openRepo(join(folder, 'origin.git'));
  origin.git('config', 'uploadpack.allowFilter', 'true');
  origin.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  source.git('clone', '-q', ...options, `file://${origin.path}`, join(folder, 'clone'));
  return { repo: trusted(openRepo(join(folder, 'clone'))), origin };
}

test('CFG-5 a partial clone: what is not here yet comes for the agents too', async () => {
  const { repo } = cloned('--filter=blob:none', '--sparse');
  repo.git('sparse-checkout', 'set', 'src');
  assert.match(repo.git('rev-list', '--objects', '--missing=print', 'main'), /^\?/m);
  const missing = repo.git('rev-parse', 'main:far/history.txt');
  const script = 'echo three >> far/history.txt; git diff far > src/seen.txt';
  const run = await session(repo, [{ id: 'a', script, locks: ['far/**', 'src/**'] }]);
  assert.is(run.code, 0, run.stderr);
  assert.match(repo.git('show', 'main:src/seen.txt'), /^ two\n\+three$/m);
  assert.is(repo.git('show', 'main:far/history.txt'), 'two\nthree');
  // Once fetched, it is there for the next agent.
  assert.not.match(repo.git('rev-list', '--objects', '--missing=print', 'main'), new RegExp(`\\?${missing}`));
  assert.is(existsSync(join(repo.path, 'far')), false);
  await holds(repo);
});

test('CFG-5 a partial clone whose remote is out of reach: said, and nothing is lost by it', async () => {
  const { repo, origin } = cloned('--filter=blob:none', '--sparse');
  const away = `${origin.path}.away`;
  renameSync(origin.path, away);
  const run = await session(repo);
  assert.is(run.code, 128);
  assert.match(run.stderr, /partial clone, and git could not fetch/);
  renameSync(away, origin.path);
  const decisions = writeDecisions(repo, { changesets: ['approve', 'approve'], session: ['stop'] });
  const again = await flame(repo, ['run', '--decisions-file', decisions]);
  assert.is(again.code, 0, again.stderr);
  assert.is(repo.git('show', 'main:last.txt'), 'new');
});

test('CFG-5 a shallow clone stays shallow', async () => {
  const { repo } = cloned('--depth=1');
  await holds(repo);
  assert.is(repo.git('rev-parse', '--is-shallow-repository'), 'true');
});

test('CFG-5 object names in sha256', async () => {
  await holds(makeExecProject({ config: once, objectFormat: 'sha256' }));
});

test('CFG-5 a sparse checkout with a sparse index', async () => {
  const repo = makeExecProject({ config: once });
  for (let n = 0; n < 20; n += 1) repo.write(`far/${n % 4}/${n}.txt`, `${n}\n`);
  repo.commit('much');
  repo.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
  await holds(repo);
  assert.is(existsSync(join(repo.path, 'docs')), false);
});

test('CFG-5 no hook and no file system monitor of the person runs for what the tool does', async () => {
  const repo = configured({ 'extensions.worktreeConfig': 'true', 'core.fsmonitorHookVersion': '2' });
  repo.git('config', '--worktree', 'core.autocrlf', 'input');
  const hook = (text: string): string => `#!/bin/sh\n${text}\necho "$0" >> '${repo.path}/.git/ran'\n`;
  const names = ['pre-commit', 'post-checkout', 'post-merge', 'reference-transaction', 'post-index-change'];
  for (const name of [...names, 'monitor']) {
    repo.write(`.git/mine/${name}`, hook('printf "now\\0/\\0"'));
    chmodSync(join(repo.path, '.git/mine', name), 0o755);
  }
  repo.git('config', 'core.hooksPath', '.git/mine');
  repo.git('config', '--worktree', 'core.fsmonitor', '.git/mine/monitor');
  repo.git('update-index', '--fsmonitor');
  repo.git('status');
  assert.match(readFileSync(join(repo.path, '.git/ran'), 'utf8'), /monitor/);
  rmSync(join(repo.path, '.git/ran'));
  const run = await session(repo);
  assert.is(run.code, 0, run.stderr);
  assert.is(existsSync(join(repo.path, '.git/ran')), false);
  assert.is(repo.git('status', '--porcelain'), '');
});

const hasDaemon = gitSays('version', '--build-options').includes('fsmonitor--daemon');

testWhere(
  test,
  hasDaemon,
  'a git with a file system monitor of its own',
)('CFG-5 beside the file system monitor of git itself', async () => {
  const plain = configured({ 'core.fsmonitor': 'true' });
  // It starts in a home that must be there.
  const repo = openRepo(plain.path, { ...plain.env, HOME: makeTempDir() });
  repo.git('fsmonitor--daemon', 'start');
  try {
    await holds(repo);
    assert.match(repo.git('fsmonitor--daemon', 'status'), /is watching/);
  } finally {
    repo.git('fsmonitor--daemon', 'stop');
  }
});

testIf(
  test,
  process.getuid?.() === 0,
  'only root can give a folder away',
)('CFG-5 a repository of another user is refused with the mend, and works once safe.directory names it', async () => {
  const plain = makeExecProject({ config: once });
  const settings = join(makeTempDir(), 'gitconfig');
  const repo = openRepo(plain.path, { ...plain.env, GIT_CONFIG_GLOBAL: settings });
  for (const place of ['', '.git']) chownSync(join(repo.path, place), 1234, 1234);
  const refused = await session(repo);
  assert.is(refused.code, 128);
  assert.match(refused.stderr, /belongs to another user/);
  assert.match(refused.stderr, /next: git config --global --add safe\.directory/);
  repo.git('config', '--file', settings, '--add', 'safe.directory', repo.path);
  const script = 'echo b > b && git add b && git commit -q -m b';
  const run = await session(repo, [{ id: 'a', script, locks: ['b'] }]);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:b'), 'b');
});

test('CFG-5 commit graphs and several packs with one index', async () => {
  const repo = makeExecProject({ config: once });
  for (const step of ['one', 'two', 'three']) {
    repo.write('src/more.txt', step);
    repo.commit(step);
    repo.git('repack', '-q', '-d');
  }
  repo.git('commit-graph', 'write', '--reachable', '--changed-paths');
  repo.git('multi-pack-index', 'write');
  repo.git('pack-refs', '--all');
  await holds(repo);
  repo.git('multi-pack-index', 'verify');
  repo.git('commit-graph', 'verify');
});

for (const settings of [
  { 'core.autocrlf': 'true', 'core.ignorecase': 'true', 'core.precomposeunicode': 'true' },
  { 'core.autocrlf': 'false', 'core.eol': 'crlf', 'core.untrackedCache': 'true', 'index.version': '4' },
  {
    'core.fileMode': 'false',
    'core.symlinks': 'false',
    'core.checkStat': 'minimal',
    'merge.renames': 'false',
  },
  { 'core.sharedRepository': 'group', 'core.fsync': 'all', 'gc.auto': '1', 'transfer.fsckObjects': 'true' },
  { 'diff.noprefix': 'true', 'diff.external': 'false', 'status.branch': 'true', 'submodule.recurse': 'true' },
]) {
  const name = Object.entries(settings).map((pair) => pair.join('='));
  test(`CFG-5 with ${name.join(', ')}`, () => holds(configured(settings)));
}

test('CFG-5 a submodule whose address is relative', async () => {
  const folder = makeTempDir();
  const library = makeExecProject();
  library.git('clone', '-q', '--bare', library.path, join(folder, 'library.git'));
  const { repo } = cloned();
  repo.git('remote', 'set-url', 'origin', join(folder, 'main.git'));
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '../library.git', 'lib/library');
  repo.commit('a library');
  await holds(repo);
  assert.match(repo.git('submodule', 'status'), /^[0-9a-f]{40} lib\/library/);
});

test('WRK-5 names and paths as long as they may be', async () => {
  const repo = makeExecProject({ config: once });
  const name = 'x'.repeat(250);
  const folders = Array.from({ length: 12 }, () => name).join('/');
  // Too long to be named in one word: made and removed step by step.
  const script = `cd src && for n in $(seq 14); do mkdir ${name} && cd ${name}; done && echo deep > ${name}`;
  const run = await session(repo, [{ id: 'a', script, locks: ['src/**'] }]);
  assert.is(run.code, 0, run.stderr);
  assert.ok(repo.git('ls-tree', '-r', '--name-only', 'main').includes(folders));
  assert.is(repo.git('status', '--porcelain'), '');
});

const otherDisk = '/dev/shm';
const hasOtherDisk = existsSync(otherDisk) && statSync(otherDisk).dev !== statSync(makeTempDir()).dev;

testIf(
  test,
  hasOtherDisk,
  'there is no second file system',
)('CFG-5 agents on another file system, and a person in a linked worktree there', async () => {
  const place = mkdtempSync(join(otherDisk, 'flame-'));
  try {
    const project = { name: 'x', base_branch: 'main', worktree_dir: join(place, 'trees') };
    const repo = makeExecProject({ config: { ...once, project } });
    const linked = openRepo(join(place, 'linked'));
    repo.git('worktree', 'add', '-q', linked.path, '-b', 'side');
    const run = await session(repo, tasks, linked.path);
    assert.is(run.code, 0, run.stderr);
    assert.is(readFileSync(join(repo.path, 'last.txt'), 'utf8'), 'new\n');
    assert.equal(
      [repo, linked].map((tree) => tree.git('status', '--porcelain')),
      ['', ''],
    );
  } finally {
    removeAgentWrittenFolder(place);
  }
});

test.run();
