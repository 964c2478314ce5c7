import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { type FlameRun, flame, lookOnly } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

function decisionsOf(repo: TestRepo): string {
  return writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
}

function runOne(repo: TestRepo): Promise<FlameRun> {
  const plan = writePlan(repo, [{ id: 'a', script: 'echo a > a', locks: ['a'] }]);
  return flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', decisionsOf(repo)]);
}

/** Types the command of a hint. */
function type(repo: TestRepo, hint: string): void {
  for (const command of hint.split(' && ')) repo.git(...command.split(' ').slice(1));
}

const cases: readonly (readonly [ref: string, way: string, landing: boolean])[] = [
  ['refs/heads/blueflame', 'git branch -m blueflame blueflame-old', false],
  ['refs/heads/flame', 'git branch -m flame flame-old', true],
  ['refs/blueflame', 'git tag refs-blueflame-old refs/blueflame && git update-ref --no-deref -d refs/blueflame', false],
  [
    'refs/blueflame/tasks/mine',
    'git tag refs-blueflame-tasks-mine-old refs/blueflame/tasks/mine && git update-ref --no-deref -d refs/blueflame/tasks/mine',
    false,
  ],
  [
    'refs/blueflame/rescue',
    'git tag refs-blueflame-rescue-old refs/blueflame/rescue && git update-ref --no-deref -d refs/blueflame/rescue',
    false,
  ],
];

test('PLN-1 a ref beside which the refs of a session cannot be made is named before the plan, with what mends it', async () => {
  for (const [ref, way, isLanding] of cases) {
    const project = { name: 'x', base_branch: 'main', ...(isLanding ? { landing: 'branch' } : {}) };
    const repo = makeExecProject({ config: { project } });
    repo.git('update-ref', ref, 'HEAD');
    if (ref.endsWith('flame')) repo.git('pack-refs', '--all');
    const refused = await runOne(repo);
    assert.match(refused.stderr, 'is in the way', ref);
    assert.match(refused.stderr, way);
    assert.not.match(refused.stderr, /worker-|ENOTDIR/);
    const doctor = await flame(repo, lookOnly);
    assert.is(doctor.code, 1, ref);
    assert.match(doctor.stdout, way);
    type(repo, way);
    assert.is((await runOne(repo)).code, 0, ref);
  }
});

test('PLN-1 refs that only look like it stop nothing', async () => {
  const repo = makeExecProject();
  for (const ref of ['refs/heads/blueflame-x', 'refs/heads/flame', 'refs/heads/blueflame/mine', 'refs/tags/blueflame'])
    repo.git('update-ref', ref, 'HEAD');
  const run = await runOne(repo);
  assert.is(run.code, 0, run.stderr);
});

test('MRG-5 a branch that is made in the way of a session that goes on stops it with what mends it, and nothing is lost', async () => {
  for (const isPacked of [false, true]) {
    const repo = makeExecProject();
    const plan = writePlan(repo, [{ id: 'a', script: 'echo a >> ran; echo a > a', locks: ['a', 'ran'] }]);
    assert.is((await flame(repo, ['plan', 'Go', '--from', plan, '--decisions-file', decisionsOf(repo)])).code, 0);
    repo.git('branch', 'blueflame');
    if (isPacked) repo.git('pack-refs', '--all');
    const stopped = await flame(repo, ['run', '--decisions-file', decisionsOf(repo)]);
    assert.is.not(stopped.code, 0);
    assert.match(stopped.stderr, 'The branch blueflame is in the way');
    assert.not.match(stopped.stderr, 'Unexpected');
    type(repo, 'git branch -m blueflame blueflame-old');
    assert.match(stopped.stderr, 'git branch -m blueflame blueflame-old');
    const run = await flame(repo, ['run', '--decisions-file', decisionsOf(repo)]);
    assert.is(run.code, 0, run.stderr);
    assert.is(repo.git('show', 'main:ran'), 'a', 'the agent ran once');
  }
});

test.run();
