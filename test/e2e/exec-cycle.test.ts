import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

const threeTasks = [
  { id: 'task-001', script: 'mkdir -p src && echo one > src/one.txt', locks: ['src/one.txt'], group: 'one' },
  { id: 'task-002', script: 'mkdir -p src && echo two > src/two.txt', locks: ['src/two.txt'], group: 'two' },
  {
    id: 'task-003',
    script: 'cat src/one.txt src/two.txt > src/three.txt',
    locks: ['src/three.txt'],
    group: 'three',
    needs: ['task-001', 'task-002'],
  },
];

interface WholeRun {
  readonly repo: TestRepo;
  readonly run: Awaited<ReturnType<typeof flameJson>>;
}

let whole: Promise<WholeRun> | undefined;

/** A whole cycle; whoever asks looks at the same one. */
function wholeRun(): Promise<WholeRun> {
  whole ??= runAll(makeExecProject());
  return whole;
}

test('a whole cycle with scripts: planned, worked, validated, merged, reviewed, landed, and nothing left over', async () => {
  const { repo, run } = await wholeRun();
  assert.is(run.code, 0, run.stderr + run.stdout);
  assert.is(run.lines.at(-1)?.event, 'session-ended');
  assert.equal(statuses(run.lines.at(-1)), ['merged', 'merged', 'merged']);
  assert.is(readFileSync(join(repo.path, 'src/three.txt'), 'utf8'), 'one\ntwo\n');
  assert.is(repo.git('show', 'main:src/three.txt'), 'one\ntwo');
  assertNothingLeft(repo);
});

test('git log shows the review under the landed commit, and stock git reads every task', async () => {
  const { repo } = await wholeRun();
  assert.match(repo.git('log', '-1', 'main'), /Notes \(blueflame\/shown\):\n {4}approved by Lea Lead, /);
  const session = sessionId(await flameJson(repo, ['status']));
  const path = repo
    .git('ls-tree', '-r', '--name-only', 'refs/blueflame/tasks')
    .split('\n')
    .filter((name) => name.startsWith('anchors/'));
  assert.equal(
    path,
    threeTasks.map(({ id }) => `anchors/${session}/${id}`),
  );
  assert.match(
    repo.git('log', '--format=%s', 'refs/blueflame/tasks'),
    /task-001: pending -> claimed by worker-[0-9a-f]{8}/,
  );
});

test('the single commands, one process after another, end like the run', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, threeTasks);
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: ['approve', 'approve', 'approve'],
  });
  for (const argv of [['plan', 'Count', '--from', plan], ['work'], ['validate'], ['merge'], ['review']]) {
    const run = await flame(repo, [...argv, '--decisions-file', decisions]);
    assert.is(run.code, 0, `${argv[0]}: ${run.stderr}`);
  }
  const status = await flameJson(repo, ['status']);
  assert.equal(statuses(status.lines[0]), ['merged', 'merged', 'merged']);
  assertNothingLeft(repo);
});

test('a gate without an answer saves the state, ends with 2 and names the command; going on pays nothing twice', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, threeTasks.slice(0, 1));
  const waiting = await flame(repo, ['run', 'One', '--from', plan]);
  assert.is(waiting.code, 2);
  assert.match(waiting.stderr, /git flame run/);
  const approved = writeDecisions(repo, { plan: ['approve'] });
  const reviewing = await flame(repo, ['run', '--decisions-file', approved]);
  assert.is(reviewing.code, 2, reviewing.stderr);
  assert.match(reviewing.stderr, /git flame review --changeset one --approve/);
  const done = await flame(repo, ['review', '--changeset', 'one', '--approve']);
  assert.is(done.code, 0, done.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
});

test('a script that leaves its scope fails, is tried again as configured, and nothing of it enters the repository', async () => {
  const repo = makeExecProject({ config: { limits: { max_retries: 1 } } });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'printf "se%s" cret-marker > README.md', locks: ['src/x.txt'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const run = await flameJson(repo, ['run', 'Escape', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 1);
  const [task] = tasksOf(run.lines.at(-1));
  assert.is(task?.status, 'failed');
  assert.match(JSON.stringify(task?.result), /README\.md/);
  assert.is(run.lines.filter(({ event }) => event === 'task-failed').length, 2);
  assert.is(repo.git('rev-list', '--all', '--objects').includes('secret-marker'), false);
  assert.is(repo.git('log', '--all', '--format=%H', '-Ssecret-marker'), '');
});

test('a failed task blocks what depends on it, and the run ends with 1', async () => {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'exit 3', locks: ['src/one.txt'] },
    { id: 'task-002', script: 'echo two > src/two.txt', locks: ['src/two.txt'], needs: ['task-001'] },
  ]);
  const run = await flameJson(repo, [
    'run',
    'Fail',
    '--from',
    plan,
    '--decisions-file',
    writeDecisions(repo, { plan: ['approve'] }),
  ]);
  assert.is(run.code, 1);
  assert.equal(statuses(run.lines.at(-1)), ['failed', 'blocked']);
});

test('a rejected changeset goes back with its reason, and the next cycle does it again', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [
    {
      id: 'task-001',
      script: 'echo "attempt $FLAME_ATTEMPT" > src/one.txt',
      locks: ['src/one.txt'],
      group: 'one',
    },
  ]);
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: [{ reject: 'not good enough' }, 'approve'],
    session: ['continue'],
  });
  const run = await flameJson(repo, ['run', 'Try', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'attempt 2');
  const history = tasksOf(run.lines.at(-1))[0]?.history as { rejection_reason: string | null }[];
  assert.ok(history.some((entry) => entry.rejection_reason === 'not good enough'));
});

test('failing diagnostics make the verdict fail; dropping the task ends the session', async () => {
  const repo = makeExecProject({
    config: { validation: { validator_diagnostics: { commands: ['test ! -e src/bad.txt'] } } },
  });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'echo bad > src/bad.txt', locks: ['src/bad.txt'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'], validation: ['drop'] });
  const run = await flameJson(repo, ['run', 'Bad', '--from', plan, '--decisions-file', decisions]);
  assert.equal(statuses(run.lines.at(-1)), ['dropped']);
  assert.ok(run.lines.some(({ event, status }) => event === 'verdict' && status === 'fail'));
});

test('green apart, red together: the changeset is shown red and lands only with an override', async () => {
  const repo = makeExecProject({
    config: { validation: { validator_diagnostics: { commands: ['test $(ls src | grep -c part) -lt 2'] } } },
  });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'echo 1 > src/part1', locks: ['src/part1'], group: 'parts' },
    { id: 'task-002', script: 'echo 2 > src/part2', locks: ['src/part2'], group: 'parts' },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flame(repo, ['run', 'Parts', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 2);
  assert.match(run.stderr, /--override REASON/);
  const forced = await flame(repo, ['review', '--changeset', 'parts', '--override', 'known and wanted']);
  assert.is(forced.code, 0, forced.stderr);
  assert.match(repo.git('log', '-1', 'main'), /known and wanted/);
});

test('conflicting tasks without a merger: the first is shown, the other goes back with the conflict', async () => {
  const repo = makeExecProject({ config: { validation: { file_scope: { enforce: false } } } });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'echo left > src/a.txt; echo 1 > src/x', locks: ['src/x'], group: 'same' },
    {
      id: 'task-002',
      script:
        'if [ "$FLAME_ATTEMPT" = 1 ]; then echo right > src/a.txt; else echo more >> src/a.txt; fi; echo 2 > src/y',
      locks: ['src/y'],
      group: 'same',
    },
  ]);
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: ['approve', 'approve'],
    session: ['continue'],
  });
  const run = await flameJson(repo, ['run', 'Conflict', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr + run.stdout);
  assert.is(repo.git('show', 'main:src/a.txt'), 'left\nmore');
});

test('CFG-7 a configuration that changes during a cycle is shown as a diff, and holds from the next cycle on', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'echo $FLAME_ATTEMPT > src/one.txt', locks: ['src/one.txt'], group: 'one' },
  ]);
  const rejecting = writeDecisions(repo, {
    plan: ['approve'],
    changesets: [{ reject: 'again' }],
    session: ['stop'],
  });
  assert.is((await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', rejecting])).code, 0);
  const config = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  repo.write('.blueflame.yml', `${config}limits: { max_retries: 1 }\n`);
  repo.commit('fewer retries');
  const going = writeDecisions(repo, { session: ['continue'], changesets: ['approve'] });
  const run = await flameJson(repo, ['run', '--decisions-file', going]);
  assert.is(run.code, 0, run.stderr);
  const notice = run.lines.find(({ message }) => /configuration has changed/.test(String(message)));
  assert.equal(notice?.details, ['limits.max_retries: 2 -> 1']);
});

for (const format of ['sha1', 'sha256'] as const) {
  test(`a path with spaces, quotes and non-ASCII letters, from a subfolder, ${format}`, async () => {
    const repo = makeExecProject({ name: `it's a "tést" dir`, objectFormat: format });
    const plan = writePlan(repo, threeTasks.slice(0, 1));
    const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
    const run = await flame(
      repo,
      ['run', 'One', '--from', `../${plan}`, '--decisions-file', `../${decisions}`],
      { cwd: join(repo.path, 'src') },
    );
    assert.is(run.code, 0, run.stderr);
    assert.is(repo.git('show', 'main:src/one.txt'), 'one');
    assertNothingLeft(repo);
  });
}

async function runAll(repo: TestRepo): Promise<WholeRun> {
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: ['approve', 'approve', 'approve'],
  });
  const plan = writePlan(repo, threeTasks);
  const argv = ['run', 'Count to three', '--from', plan, '--decisions-file', decisions];
  return { repo, run: await flameJson(repo, argv) };
}

function assertNothingLeft(repo: TestRepo): void {
  repo.git('fsck', '--strict');
  assert.is(repo.git('status', '--porcelain'), '');
  assert.is(repo.git('worktree', 'list').split('\n').length, 1);
  const trees = `${repo.path}.trees`;
  assert.equal(existsSync(trees) ? readdirSync(trees) : [], []);
  for (const folder of ['run', 'objects', 'cells']) {
    const path = join(repo.path, '.git/blueflame', folder);
    assert.equal(existsSync(path) ? readdirSync(path) : [], [], folder);
  }
  assert.is(existsSync(join(repo.path, '.git/objects/info/alternates')), false);
}

type StoredTask = Record<string, unknown> & {
  readonly status: string;
  readonly result: unknown;
  readonly history: unknown;
};

function tasksOf(event: Record<string, unknown> | undefined): readonly StoredTask[] {
  return (event?.tasks ?? []) as readonly StoredTask[];
}

function statuses(event: Record<string, unknown> | undefined): readonly string[] {
  return tasksOf(event).map(({ status }) => status);
}

function sessionId(run: { readonly lines: readonly Record<string, unknown>[] }): string {
  const [status] = run.lines;
  assert.ok(status);
  return (status.session as { id: string }).id;
}

test.run();
