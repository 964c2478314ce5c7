import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject } from '../support/exec-project.ts';
import { findDamage, findRemains, start } from '../support/kill-rig.ts';
import { copyRepo, openRepo, type TestRepo } from '../support/repo.ts';

// A command by hand, killed at each kind of moment, then typed again: the end is the same.

type Fields = Readonly<Record<string, unknown>>;

function makeQueue(): TestRepo {
  const repo = makeExecProject();
  assert.is(start(repo, ['task', 'add', 'By hand', '--locks', 'src/hand.txt']).code, 0);
  return repo;
}

/** The first moment of each name, locks apart. */
function momentsOf(repo: TestRepo, argv: readonly string[]): readonly number[] {
  const log = join(dirname(repo.path), 'points');
  assert.is(start(repo, argv, { FLAME_TEST_KILL_LOG: log }).code, 0);
  const names = readFileSync(log, 'utf8').trim().split('\n');
  // Locks are taken and given back at each start, whatever it does; other tests kill there.
  const isOwn = (name: string): boolean => !/^lock /.test(name);
  return names.flatMap((name, at) => (names.indexOf(name) === at && isOwn(name) ? [at + 1] : []));
}

function kill(repo: TestRepo, argv: readonly string[], at: number): void {
  assert.is(
    start(repo, argv, { FLAME_TEST_KILL_AT: `${at}` }).signal,
    'SIGKILL',
    `${argv.join(' ')} at ${at}`,
  );
}

function taskOf(repo: TestRepo): Fields {
  const { tasks } = JSON.parse(start(repo, ['status', '--json']).stdout);
  return tasks[0];
}

function commitIn(worktree: string, repo: TestRepo): void {
  const hand = openRepo(worktree, repo.env);
  hand.write('src/hand.txt', 'hand\n');
  hand.commit('feat: by hand');
}

const claim = ['task', 'claim', 'task-001', '--json'];
const submit = ['task', 'submit', 'task-001', '--json'];
const release = ['task', 'release', 'task-001', '--json'];

test('STA-3 claim killed at any moment and typed again: one claim, and a worktree on the branch', () => {
  const origin = makeQueue();
  const moments = momentsOf(copyRepo(origin), claim);
  assert.ok(moments.length > 5, `${moments.length} moments`);
  for (const at of moments) {
    const repo = copyRepo(origin);
    kill(repo, claim, at);
    const worktree = claimAgain(repo, at);
    const branch = openRepo(worktree, repo.env).git('symbolic-ref', '--short', 'HEAD');
    assert.match(branch, /^blueflame\/.*\/task-001$/);
    assert.equal([taskOf(repo).status, taskOf(repo).rev], ['claimed', 2], `at ${at}`);
    assert.is(findDamage(repo), '');
  }
});

/** The worktree that the same command leads to: made now, or, where the kill came after that, named. */
function claimAgain(repo: TestRepo, at: number): string {
  const again = start(repo, claim);
  if (again.code === 0) return JSON.parse(again.stdout).worktree;
  const { error } = JSON.parse(again.stderr);
  assert.is(error.code, 'already-yours', `at ${at}: ${again.stderr}`);
  return error.data.worktree;
}

/** Makes repositories in which a person has claimed the task and committed to it. */
function prepareClaim(): () => TestRepo {
  const origin = makeQueue();
  return () => {
    const repo = copyRepo(origin);
    commitIn(JSON.parse(start(repo, claim).stdout).worktree, repo);
    return repo;
  };
}

test('STA-3 submit killed at any moment: not done, or done with its branch, and nothing is lost', () => {
  const prepared = prepareClaim();
  for (const at of momentsOf(prepared(), submit)) {
    const repo = prepared();
    kill(repo, submit, at);
    if (taskOf(repo).status === 'claimed') assert.is(start(repo, submit).code, 0, `at ${at}`);
    const task = taskOf(repo);
    assert.is(task.status, 'done', `at ${at}`);
    assert.is(repo.git('rev-parse', `refs/heads/${task.branch}`), task.commit);
    // What a killed command left is cleared by the next one that works.
    assert.is(start(repo, ['validate']).code, 0);
    assert.is(start(repo, ['cleanup', '--yes']).code, 0);
    assert.is(existsSync(`${task.worktree}`), false, `at ${at}`);
    assert.equal(findRemains(repo), [], `at ${at}`);
    assert.is(findDamage(repo), '');
  }
});

test('LIF-7 release killed at any moment and typed again: the task is free and the commits are kept', () => {
  const prepared = prepareClaim();
  for (const at of momentsOf(prepared(), release)) {
    const repo = prepared();
    kill(repo, release, at);
    if (taskOf(repo).status === 'claimed') assert.is(start(repo, release).code, 0, `at ${at}`);
    assert.is(taskOf(repo).status, 'pending', `at ${at}`);
    const kept = repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue').split('\n');
    assert.is(kept.length, 1, `at ${at}`);
    assert.is(repo.git('show', `${kept[0]}:src/hand.txt`), 'hand');
    assert.is(repo.git('for-each-ref', 'refs/heads/blueflame'), '');
    assert.is(findDamage(repo), '');
  }
});

test.run();
