import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { openRepo, type TestRepo } from '../support/repo.ts';

// A colleague renames on the base branch what a task may change.

const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join('');
// By whichever name it is there.
const script =
  'f=$(ls src/util/f1.js src/lib/f1.js 2>/dev/null); echo by the agent >> $f; git add -A; git commit -qm "feat: more"';

/** With a plan that is approved, and nothing done yet. */
async function planned(locks: readonly string[]): Promise<TestRepo> {
  const repo = makeExecProject();
  repo.write('src/util/f1.js', lines);
  repo.write('src/util/f2.js', `other\n${lines}`);
  repo.commit('utilities');
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const plan = writePlan(repo, [{ id: 'task-001', script, locks }]);
  const run = await flame(repo, ['plan', 'More', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  return repo;
}

function rename(repo: TestRepo): void {
  repo.git('mv', 'src/util', 'src/lib');
  repo.write('src/lib/f1.js', `${lines}by the colleague\n`);
  repo.commit('rename util to lib');
}

async function taskOf(repo: TestRepo): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await flame(repo, ['status', '--json']);
  return JSON.parse(stdout).tasks[0];
}

for (const [locks, expected] of [
  [['src/util/f1.js'], ['src/lib/f1.js']],
  [['src/util/'], ['src/util/', 'src/lib/']],
] as const)
  test(`WTR-6 renamed before its work begins, ${locks} follows, which is said and recorded`, async () => {
    const repo = await planned(locks);
    rename(repo);
    const work = await flame(repo, ['work']);
    assert.is(work.code, 0, work.stderr);
    assert.match(work.stderr + work.stdout, /Files that task-001 locks were renamed, and its locks follow: src\/util/);
    const task = await taskOf(repo);
    assert.equal([task.status, task.file_locks], ['done', expected]);
    assert.match(
      repo.git('log', '--format=%s', 'refs/blueflame/tasks'),
      'task-001: file_locks follow what the base renamed',
    );
    assert.match(repo.git('show', `${task.commit}:src/lib/f1.js`), /by the colleague\nby the agent$/);
  });

test('WTR-6 renamed while it was at work: after the conflict the next attempt may change the new name', async () => {
  const repo = await planned(['src/util/f1.js']);
  assert.is((await flame(repo, ['work'])).code, 0);
  rename(repo);
  assert.is((await flame(repo, ['validate'])).code, 0);
  const merge = await flame(repo, ['merge']);
  assert.match(merge.stderr + merge.stdout, /task-001: done -> requeued/);
  const again = await flame(repo, [
    'resume',
    '--decisions-file',
    writeDecisions(repo, { changesets: ['approve'], session: ['continue', 'stop'] }),
  ]);
  assert.is(again.code, 0, again.stderr);
  assert.match(repo.git('show', 'main:src/lib/f1.js'), /by the colleague\nby the agent$/);
});

test('WTR-6 a person who takes the task by hand may change the new name', async () => {
  const repo = await planned(['src/util/f1.js']);
  rename(repo);
  const {
    lines: [claimed],
  } = await flameJson(repo, ['task', 'claim', 'task-001']);
  const hand = openRepo(`${claimed?.worktree}`, repo.env);
  hand.write('src/lib/f1.js', `${lines}by hand\n`);
  hand.commit('feat: by hand');
  const submitted = await flame(repo, ['task', 'submit', 'task-001']);
  assert.is(submitted.code, 0, submitted.stderr);
});

test('WTR-6 what was renamed before the task was planned is none of its locks', async () => {
  const repo = makeExecProject();
  repo.write('src/index.js', lines);
  repo.commit('index');
  repo.git('mv', 'src/index.js', 'src/main.js');
  repo.commit('main');
  const plan = writePlan(repo, [{ id: 'task-001', script: 'echo new > src/index.js', locks: ['src/index.js'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', 'New', '--from', plan, '--decisions-file', decisions])).code, 0);
  assert.is((await flame(repo, ['work'])).code, 0);
  const task = await taskOf(repo);
  assert.equal([task.status, task.file_locks], ['done', ['src/index.js']]);
});

test.run();
