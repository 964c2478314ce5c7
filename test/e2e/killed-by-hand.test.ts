import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { findDamage, findRemains, sampleOf, spread, start, startHere } from '../support/kill-rig.ts';
import { copyRepo, openRepo, type TestRepo } from '../support/repo.ts';

// A command by hand, killed at each kind of moment, then typed again: the end is the same.

type Fields = Readonly<Record<string, unknown>>;

async function makeQueue(): Promise<TestRepo> {
  const repo = makeExecProject();
  assert.is((await startHere(repo, ['task', 'add', 'By hand', '--locks', 'src/hand.txt'])).code, 0);
  return repo;
}

/** First moments of each kind, locks apart. */
function momentsOf(repo: TestRepo, argv: readonly string[]): readonly number[] {
  const log = join(dirname(repo.path), 'points');
  assert.is(start(repo, argv, { FLAME_TEST_KILL_LOG: log }).code, 0);
  const names = readFileSync(log, 'utf8').trim().split('\n');
  // Locks are taken and given back at each start, whatever it does; other tests kill there.
  const isOwn = (name: string): boolean => !/^lock /.test(name);
  const kinds = names.map(kindOf);
  const first = kinds.flatMap((kind, at) => (kinds.indexOf(kind) === at && isOwn(kind) ? [at + 1] : []));
  assert.ok(first.length > 5, `${first.length} moments`);
  return spread(first, sampleOf(6, first.length));
}

/** A moment without its number, and without what differs from run to run. */
function kindOf(point: string): string {
  return point.replace(/^\d+ /, '').replace(/[0-9a-f]{8,}|ses-[\w-]+/g, '');
}

function kill(repo: TestRepo, argv: readonly string[], at: number): void {
  assert.is(start(repo, argv, { FLAME_TEST_KILL_AT: `${at}` }).signal, 'SIGKILL', `${argv.join(' ')} at ${at}`);
}

async function taskOf(repo: TestRepo): Promise<Fields> {
  const { tasks } = JSON.parse((await startHere(repo, ['status', '--json'])).stdout);
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

test('STA-3 claim killed at any moment and typed again: one claim, and a worktree on the branch', async () => {
  const origin = await makeQueue();
  const moments = momentsOf(copyRepo(origin), claim);
  for (const at of moments) {
    const repo = copyRepo(origin);
    kill(repo, claim, at);
    const worktree = await claimAgain(repo, at);
    const branch = openRepo(worktree, repo.env).git('symbolic-ref', '--short', 'HEAD');
    assert.match(branch, /^blueflame\/.*\/task-001$/);
    const { status, rev } = await taskOf(repo);
    assert.equal([status, rev], ['claimed', 2], `at ${at}`);
    assert.is(findDamage(repo), '');
  }
});

/** The worktree that the same command leads to: made now, or, where the kill came after that, named. */
async function claimAgain(repo: TestRepo, at: number): Promise<string> {
  const again = await startHere(repo, claim);
  if (again.code === 0) return JSON.parse(again.stdout).worktree;
  const { error } = JSON.parse(again.stderr);
  assert.is(error.code, 'already-yours', `at ${at}: ${again.stderr}`);
  return error.data.worktree;
}

/** Makes repositories in which a person has claimed the task and committed to it. */
async function prepareClaim(): Promise<() => Promise<TestRepo>> {
  const origin = await makeQueue();
  return async () => {
    const repo = copyRepo(origin);
    commitIn(JSON.parse((await startHere(repo, claim)).stdout).worktree, repo);
    return repo;
  };
}

test('STA-3 submit killed at any moment: not done, or done with its branch, and nothing is lost', async () => {
  const prepared = await prepareClaim();
  for (const at of momentsOf(await prepared(), submit)) {
    const repo = await prepared();
    kill(repo, submit, at);
    if ((await taskOf(repo)).status === 'claimed') assert.is((await startHere(repo, submit)).code, 0, `at ${at}`);
    const task = await taskOf(repo);
    assert.is(task.status, 'done', `at ${at}`);
    assert.is(repo.git('rev-parse', `refs/heads/${task.branch}`), task.commit);
    // What a killed command left is cleared by the next one that works.
    assert.is((await startHere(repo, ['validate'])).code, 0);
    assert.is((await startHere(repo, ['cleanup', '--yes'])).code, 0);
    assert.is(existsSync(`${task.worktree}`), false, `at ${at}`);
    assert.equal(findRemains(repo), [], `at ${at}`);
    assert.is(findDamage(repo), '');
  }
});

test('LIF-7 release killed at any moment and typed again: the task is free and the commits are kept', async () => {
  const prepared = await prepareClaim();
  for (const at of momentsOf(await prepared(), release)) {
    const repo = await prepared();
    kill(repo, release, at);
    if ((await taskOf(repo)).status === 'claimed') assert.is((await startHere(repo, release)).code, 0, `at ${at}`);
    assert.is((await taskOf(repo)).status, 'pending', `at ${at}`);
    const kept = repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue').split('\n');
    assert.is(kept.length, 1, `at ${at}`);
    assert.is(repo.git('show', `${kept[0]}:src/hand.txt`), 'hand');
    assert.is(repo.git('for-each-ref', 'refs/heads/blueflame'), '');
    assert.is(findDamage(repo), '');
  }
});

const undo = ['undo', 'two', '--drop', 'Not wanted.', '--json'];

async function makeLanded(): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(
    repo,
    ['one', 'two'].map((id) => ({ id, group: id, script: `echo ${id} > src/${id}`, locks: [`src/${id}`] })),
  );
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: [{ all: 'approve' }] });
  const run = await startHere(repo, ['run', 'Two', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  return repo;
}

test('LND-1 undo killed at any moment and typed again: the landing is there with its task, or gone with it', async () => {
  const origin = await makeLanded();
  const [landed, before] = ['main', 'main^1'].map((name) => origin.git('rev-parse', name));
  const moments = momentsOf(copyRepo(origin), undo);
  for (const at of moments) {
    const repo = copyRepo(origin);
    kill(repo, undo, at);
    const [, { status = '' } = {}] = JSON.parse((await startHere(repo, ['status', '--json'])).stdout).tasks;
    const wasDone = status === 'dropped';
    // A transaction that was under way is finished by whoever comes next.
    if (!wasDone) assert.equal([status, [landed, before].includes(repo.git('rev-parse', 'main'))], ['merged', true]);
    const again = await startHere(repo, undo);
    if (again.code !== 0) assert.is(JSON.parse(again.stderr).error.code, 'no-changeset', `at ${at}`);
    const tasks: readonly Fields[] = JSON.parse((await startHere(repo, ['status', '--json'])).stdout).tasks;
    assert.equal(
      tasks.map(({ id, status: now }) => `${id} ${now}`),
      ['one merged', 'two dropped'],
      `at ${at}`,
    );
    assert.is(repo.git('rev-parse', 'main'), before, `at ${at}`);
    assert.is(repo.git('status', '--porcelain'), '', `at ${at}`);
    assert.is(existsSync(join(repo.path, 'src/two')), false, `at ${at}`);
    assert.is(findDamage(repo), '');
  }
});

test.run();
