import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame } from '../support/flame.ts';
import { makeTempDir, prepared, type TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { hasSshKeys } from '../support/ssh-key.ts';

const signed = testIf(test, hasSshKeys, 'ssh-keygen is missing');

function runTasks(repo: TestRepo, tasks: readonly ScriptTask[]): Promise<FlameRun> {
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: Array(4).fill('approve') });
  return flame(repo, ['run', 'Go', '--from', writePlan(repo, tasks), '--decisions-file', decisions]);
}

const one = { id: 'a', title: 'Say hello', script: 'echo hello > hello.txt', locks: ['hello.txt'] };

test('MRG-1 a landing commit has the form of an example, where the pattern has no usual type', async () => {
  const commit_format = {
    ...{ pattern: '^\\[(task-\\d+|a)\\] [a-z].+', example: '[task-001] add the login', apply_to: 'all' },
  };
  const repo = makeExecProject({ config: { validation: { commit_format } } });
  const run = await runTasks(repo, [one]);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('log', '-1', '--format=%s'), '[a] say hello');
  assert.match(repo.git('log', '-1', '--format=%(trailers)'), /Task: a\nSession: ses-/);
});

/** An ssh key of its own, by which git signs what is committed. */
function withKey(repo: TestRepo): void {
  const folder = makeTempDir();
  const key = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'lea', '-f', key]);
  writeFileSync(join(folder, 'signers'), `lea@example.com ${readFileSync(`${key}.pub`, 'utf8')}`);
  repo.git('config', 'gpg.format', 'ssh');
  repo.git('config', 'user.signingKey', key);
  repo.git('config', 'gpg.ssh.allowedSignersFile', join(folder, 'signers'));
  repo.git('config', 'commit.gpgSign', 'true');
}

signed('MRG-5 a landing commit is signed where commits are', async () => {
  const repo = makeExecProject();
  withKey(repo);
  const tasks = [one, { id: 'b', script: 'echo b > b', locks: ['b'], group: 'other' }];
  const run = await runTasks(repo, tasks);
  assert.is(run.code, 0, run.stderr);
  assert.equal(repo.git('log', '-2', '--first-parent', '--format=%G? %aE').split('\n'), [
    'G lea@example.com',
    'G lea@example.com',
  ]);
  repo.git('fsck', '--strict');
});

signed('MRG-5 a key that does not work refuses the landing; once it does, the landing goes on', async () => {
  const repo = makeExecProject();
  withKey(repo);
  const key = repo.git('config', 'user.signingKey');
  repo.git('config', 'user.signingKey', '/nonexistent/key');
  const before = repo.git('rev-parse', 'main');
  const refused = await runTasks(repo, [one]);
  assert.is(refused.code, 1, refused.stderr);
  assert.match(refused.stderr, /git could not sign the commit that should land/);
  assert.is(repo.git('rev-parse', 'main'), before);
  repo.git('config', 'user.signingKey', key);
  const decisions = writeDecisions(repo, { changesets: ['approve'] });
  const landed = await flame(repo, ['run', '--decisions-file', decisions]);
  assert.is(landed.code, 0, landed.stderr);
  assert.is(repo.git('log', '-1', '--format=%G?'), 'G');
});

/** How a program of the repository can come to sign, by what configures it and gives its path or command. */
const ownSigners: readonly [string, string, (repo: TestRepo, outside: string) => string][] = [
  ['by its path', 'gpg.ssh.program', ({ path }) => join(path, 'tools/sign')],
  ['by a path from the top', 'gpg.ssh.program', () => 'tools/sign'],
  ['through a link from outside', 'gpg.ssh.program', (_, outside) => join(outside, 'sign')],
  ['that is a link to one outside', 'gpg.ssh.program', () => './tools/link'],
  ['as the command that gives the key', 'gpg.ssh.defaultKeyCommand', () => "sh 'tools/sign' key"],
];

const ran = join(makeTempDir(), 'ran');

/** Programs that could sign, and one that notes that it ran. */
function withTools(repo: TestRepo): TestRepo {
  withKey(repo);
  repo.write('tools/sign', `#!/bin/sh\necho "$@" >> '${ran}'\nexec ssh-keygen "$@"\n`);
  chmodSync(join(repo.path, 'tools/sign'), 0o755);
  symlinkSync('/usr/bin/ssh-keygen', join(repo.path, 'tools/link'));
  repo.commit('tools');
  return repo;
}

/** The same, with a session whose work is done and judged: what is signed is made next. */
const makeJudged = prepared(async () => {
  const repo = withTools(makeExecProject());
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const plan = ['plan', 'Go', '--from', writePlan(repo, [one]), '--decisions-file', decisions];
  for (const argv of [plan, ['work'], ['validate']]) {
    const run = await flame(repo, argv);
    assert.is(run.code, 0, run.stderr);
  }
  return repo;
});

for (const [index, [how, key, value]] of ownSigners.entries()) {
  signed(`SBX-7 a program of the repository signs nothing: ${how}`, async () => {
    // The first is there from the beginning of the session on.
    const repo = index === 0 ? withTools(makeExecProject()) : await makeJudged();
    const outside = makeTempDir();
    symlinkSync(join(repo.path, 'tools/sign'), join(outside, 'sign'));
    repo.git('config', key, value(repo, outside));
    const approve = writeDecisions(repo, { changesets: ['approve'] }, 'approve.yml');
    const before = repo.git('rev-parse', 'main');
    const refused = index === 0 ? await runTasks(repo, [one]) : await flame(repo, ['run', '--decisions-file', approve]);
    assert.is(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /lies inside the repository\. An agent could have written it/);
    assert.match(refused.stderr, `git config --unset-all ${key}`);
    assert.not.ok(existsSync(ran));
    assert.is(repo.git('rev-parse', 'main'), before);
    repo.git('config', '--unset-all', key);
    const landed = await flame(repo, ['run', '--decisions-file', approve]);
    assert.is(landed.code, 0, landed.stderr);
    assert.is(repo.git('log', '-1', '--format=%G?', 'main'), 'G');
  });
}

for (const mark of ['--assume-unchanged', '--skip-worktree']) {
  test(`MRG-5 a file that git was told of by ${mark} is not landed over, and the next commit takes nothing back`, async () => {
    const repo = makeExecProject();
    repo.write('conf.local', 'theirs\n');
    repo.commit('conf');
    repo.git('update-index', mark, 'conf.local');
    repo.write('conf.local', 'mine\n');
    const before = repo.git('rev-parse', 'main');
    const task = { id: 'a', script: 'echo new > conf.local; echo n > new', locks: ['conf.local', 'new'] };
    const refused = await runTasks(repo, [task]);
    assert.is(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /'conf\.local' not uptodate/);
    assert.is(repo.git('rev-parse', 'main'), before);
    assert.is(readFileSync(join(repo.path, 'conf.local'), 'utf8'), 'mine\n');
    repo.git('update-index', `--no-${mark.slice(2)}`, 'conf.local');
    repo.git('checkout', 'conf.local');
    const landed = await flame(repo, ['review']);
    assert.is(landed.code, 0, landed.stderr);
    assert.is(repo.git('status', '--porcelain'), '');
  });
}

test('MRG-5 a sparse checkout stays as sparse as it is, and what is outside of it lands', async () => {
  const repo = makeExecProject();
  repo.write('in/a', 'a\n');
  repo.write('out/b', 'b\n');
  repo.commit('folders');
  repo.git('sparse-checkout', 'set', '--cone', 'in');
  const script = 'echo new > in/n; echo new > out/b; echo new > out/n; rm in/a';
  const run = await runTasks(repo, [{ id: 'a', script, locks: ['in/**', 'out/**'] }]);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('status', '--porcelain'), '');
  assert.is(repo.git('show', 'main:out/b'), 'new');
  assert.is(existsSync(join(repo.path, 'out')), false);
  assert.is(existsSync(join(repo.path, 'in/n')), true);
});

test('MRG-5 an index another git holds is said, and the landing goes on once it is free', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [one]);
  const early = await flame(repo, [
    'run',
    'Go',
    '--from',
    plan,
    '--decisions-file',
    writeDecisions(repo, { plan: ['approve'] }),
  ]);
  assert.is(early.code, 2, early.stderr);
  repo.write('.git/index.lock', '');
  const refused = await flame(repo, ['review', '--decisions-file', writeDecisions(repo, { changesets: ['approve'] })]);
  assert.is(refused.code, 1, refused.stderr);
  assert.match(refused.stderr, /index is locked, so nothing was landed/);
  execFileSync('rm', [join(repo.path, '.git/index.lock')]);
  assert.is((await flame(repo, ['review'])).code, 0);
  assert.is(repo.git('status', '--porcelain'), '');
});

test.run();
