import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../../lib/util/user-folders.ts';
import { makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { findDamage, findRemains } from '../../support/kill-rig.ts';
import { ledRun, type QueenScript } from '../../support/led-run.ts';
import { leadsByHints, leadsInRounds, ledTasks } from '../../support/led-tasks.ts';
import { programFolder } from '../../support/program.ts';
import { makeTempDir, openRepo, type TestRepo } from '../../support/repo.ts';
import { trusted } from '../../support/trusted.ts';

// A run that a model leads, killed with her at a moment of its own, and gone on with by another model or by none.
// Of its moments a few are tried each time, evenly; which of them changes with the commit that is tested, so that all come
// to their turn. By hand: FLAME_KILL=all node build/test/run.js mcp/led-killed, or FLAME_KILL=17,18 for these;
// FLAME_KILL_LED=1 has another model lead on after each, FLAME_KILL_LED=0 none; FLAME_KILL_ROUNDS likewise for runs in
// which she leaves a note and sends work back.

const template = makeExecProject();
writeDecisions(template, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });

/** From 0 to 1, the same for each run of the tests on one commit. */
const turn = Number.parseInt(testedCommit().slice(0, 6), 16) / 0x1000000;

function testedCommit(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: packageRoot(),
    encoding: 'utf8',
  });
  return status === 0 ? stdout : '800000';
}

/** A project that was never run. */
function makeVictim(): TestRepo {
  const path = join(makeTempDir('flame-led'), 'repo');
  cpSync(template.path, path, { recursive: true });
  mkdirSync(join(dirname(path), 'tmp'));
  return trusted(openRepo(path));
}

function start(
  repo: TestRepo,
  env: Readonly<Record<string, string>>,
  ...how: readonly string[]
): { signal: string | null; stderr: string } {
  const script = join(programFolder, '../build/test/commands/mcp/led-victim.js');
  const { signal, stderr } = spawnSync(process.execPath, [script, repo.path, ...how], {
    cwd: repo.path,
    env: { ...repo.env, TMPDIR: join(dirname(repo.path), 'tmp'), ...env },
    encoding: 'utf8',
  });
  return { signal, stderr };
}

/** What it comes to, without what differs from run to run. */
async function endOf(repo: TestRepo): Promise<Readonly<Record<string, unknown>>> {
  const { session, tasks, changesets } = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
  const subjects = repo.git('log', '--format=%s', 'refs/blueflame/tasks').split('\n');
  const count = (start: string): number => subjects.filter((line) => line.startsWith(start)).length;
  return {
    state: session?.state,
    tasks: tasks.map(({ id, status }: Record<string, unknown>) => ({
      ...{ id, status },
      ...{ done: count(`${id}: claimed -> done`), merged: count(`${id}: done -> merged`) },
    })),
    changesets: changesets.map(({ state }: Record<string, unknown>) => state),
    landed: repo.git('log', '--first-parent', '--format=%s', 'main'),
    tree: repo.git('rev-parse', 'main^{tree}'),
    sessions: repo.git('ls-tree', '--name-only', 'refs/blueflame/sessions:anchors').split('\n').length,
    checkout: repo.git('status', '--porcelain'),
    notes: JSON.parse((await flame(repo, ['note', '--json'])).stdout).notes.length,
  };
}

/** But for the folders of the test's own client, which died too. */
function remainsOf(repo: TestRepo): readonly string[] {
  return findRemains(repo).filter((path) => !/^tmp\/(?:door|flame-state)-/.test(path));
}

/** A run that nothing disturbs, and the moments at which it could be killed. */
async function undisturbedRun(...how: readonly string[]) {
  const repo = makeVictim();
  const log = join(dirname(repo.path), 'points');
  const { stderr } = start(repo, { FLAME_TEST_KILL_LOG: log }, ...how);
  const points = readFileSync(log, 'utf8').trim().split('\n');
  return { repo, stderr, points, expected: await endOf(repo) };
}

const { repo: undisturbed, stderr: told, points, expected } = await undisturbedRun();
const rounds = await undisturbedRun('rounds');

test('QUE-1 a led run lands everything, and leaves nothing behind', () => {
  assert.is(expected.state, 'ended', told);
  assert.equal(
    expected.tasks,
    ledTasks.map(({ id }) => ({ id, status: 'merged', done: 1, merged: 1 })),
  );
  assert.equal(remainsOf(undisturbed), []);
});

test('QUE-1 what she sends back is done again, once', () => {
  const { repo, stderr, expected: end } = rounds;
  assert.equal([end.state, end.notes], ['ended', 1], stderr);
  assert.equal(
    end.tasks,
    ledTasks.map(({ id }) => ({ id, status: 'merged', done: id === 'two' ? 2 : 1, merged: 1 })),
  );
  assert.equal(remainsOf(repo), []);
});

for (const at of choosePoints(rounds.points, process.env.FLAME_KILL_ROUNDS, 3))
  test(`QUE-2 killed at ${rounds.points[at - 1] ?? at} of a run with work sent back, another model leads on`, async () => {
    const repo = makeVictim();
    const killed = start(repo, { FLAME_TEST_KILL_AT: String(at) }, 'rounds');
    assert.is(findDamage(repo), '');
    if (killed.signal === 'SIGKILL') await goOn(repo, true, leadsInRounds);
    assert.equal(await endOf(repo), rounds.expected, killed.stderr);
    assert.equal(remainsOf(repo), []);
  });

test('QUE-2 killed once all was taken in, and before it was judged: another model is told how it comes to be', async () => {
  const repo = makeVictim();
  const killed = start(repo, { FLAME_TEST_KILL_AT: '/^refs done: tasks \\S+\\/two$/' });
  assert.is(killed.signal, 'SIGKILL', killed.stderr);
  const { tasks } = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
  assert.equal([tasks[1]?.status, tasks[1]?.result.status], ['done', null]);
  await goOn(repo, true);
  assert.equal(await endOf(repo), expected);
});

for (const [index, at] of choosePoints(points, process.env.FLAME_KILL, 4).entries()) {
  const isLedAgain = process.env.FLAME_KILL_LED === undefined ? index % 2 === 0 : process.env.FLAME_KILL_LED === '1';
  const who = isLedAgain ? 'another model leads on' : 'nobody leads it any more';
  test(`QUE-2 killed at ${points[at - 1] ?? at}, ${who}: nothing is done twice`, async () => {
    const repo = makeVictim();
    const killed = start(repo, { FLAME_TEST_KILL_AT: String(at) });
    assert.is(findDamage(repo), '');
    if (killed.signal === 'SIGKILL') await goOn(repo, isLedAgain);
    assert.equal(await endOf(repo), expected, killed.stderr);
    assert.equal(remainsOf(repo), []);
  });
}

test.run();

async function goOn(repo: TestRepo, isLedAgain: boolean, leads: QueenScript = leadsByHints): Promise<void> {
  const { session } = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
  const isOver = session?.state === 'ended';
  // Without a plan there is nothing that the waves could work on by themselves.
  if (isLedAgain || session === null || session.wave === 'plan') {
    const again = await ledRun(repo, leads, isOver || session !== null ? { objective: null } : {});
    if (!isOver) assert.is(again.code, 0, again.stderr);
    // The waves would finish the work without her: that she leads to the end shows only here.
    const gaveOut = again.lines.filter(
      ({ event, message }) => event === 'notice' && /no longer leads/.test(`${message}`),
    );
    assert.equal(gaveOut, [], again.stderr);
    return;
  }
  const again = await flame(repo, ['resume', '--decisions-file', '.git/decisions.yml']);
  assert.is(again.code, 0, again.stderr);
}

/** One of each kind of moment, as far as they differ by more than their numbers; a sample of those. */
function choosePoints(all: readonly string[], asked = '', count = 0): readonly number[] {
  if (asked === 'none') return [];
  if (asked === 'all') return all.map((_, index) => index + 1);
  if (asked !== '') return asked.split(',').map(Number);
  return Array.from({ length: count }, (_, index) => Math.floor(((index + turn) * all.length) / count) + 1);
}
