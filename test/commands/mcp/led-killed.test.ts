import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { findDamage, findRemains } from '../../support/kill-rig.ts';
import { ledRun } from '../../support/led-run.ts';
import { leadsWell, ledTasks } from '../../support/led-tasks.ts';
import { programFolder } from '../../support/program.ts';
import { makeTempDir, openRepo, type TestRepo } from '../../support/repo.ts';

// A run that a model leads, killed with her at a moment of its own, and gone on with by another model or by none.
// By hand: FLAME_KILL=all node build/test/run.js mcp/led-killed, or FLAME_KILL=17,18 for these.

const asked = process.env.FLAME_KILL ?? '';
const template = makeExecProject();
writeDecisions(template, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });

/** A project that was never run. */
function makeVictim(): TestRepo {
  const path = join(makeTempDir('flame-led'), 'repo');
  cpSync(template.path, path, { recursive: true });
  mkdirSync(join(dirname(path), 'tmp'));
  return openRepo(path);
}

function start(
  repo: TestRepo,
  env: Readonly<Record<string, string>>,
): { signal: string | null; stderr: string } {
  const script = join(programFolder, '../build/test/commands/mcp/led-victim.js');
  const { signal, stderr } = spawnSync(process.execPath, [script, repo.path], {
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
  };
}

/** But for the folders of the test's own client, which died too. */
function remainsOf(repo: TestRepo): readonly string[] {
  return findRemains(repo).filter((path) => !/^tmp\/(?:door|flame-state)-/.test(path));
}

const undisturbed = makeVictim();
const log = join(dirname(undisturbed.path), 'points');
const first = start(undisturbed, { FLAME_TEST_KILL_LOG: log });
const points = readFileSync(log, 'utf8').trim().split('\n');
const expected = await endOf(undisturbed);

test('QUE-1 a led run lands everything, and leaves nothing behind', () => {
  assert.is(expected.state, 'ended', first.stderr);
  assert.equal(
    expected.tasks,
    ledTasks.map(({ id }) => ({ id, status: 'merged', done: 1, merged: 1 })),
  );
  assert.equal(remainsOf(undisturbed), []);
});

for (const [index, at] of choosePoints().entries()) {
  const isLedAgain = index % 2 === 0;
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

async function goOn(repo: TestRepo, isLedAgain: boolean): Promise<void> {
  const { session } = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
  const isOver = session?.state === 'ended';
  // Without a plan there is nothing that the waves could work on by themselves.
  if (isLedAgain || session === null || session.wave === 'plan') {
    const again = await ledRun(repo, leadsWell, isOver || session !== null ? { objective: null } : {});
    if (!isOver) assert.is(again.code, 0, again.stderr);
    return;
  }
  const again = await flame(repo, ['resume', '--decisions-file', '.git/decisions.yml']);
  assert.is(again.code, 0, again.stderr);
}

/** One of each kind of moment, as far as they differ by more than their numbers; a sample of those. */
function choosePoints(): readonly number[] {
  if (asked === 'all') return points.map((_, index) => index + 1);
  if (asked !== '') return asked.split(',').map(Number);
  const count = 4;
  return Array.from({ length: count }, (_, index) => Math.ceil(((index + 0.5) * points.length) / count));
}
