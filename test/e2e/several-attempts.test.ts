import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

// Each attempt writes something else, all of the same size.
const script = 'mkdir -p src && od -An -N8 -tx1 /dev/urandom > src/one.txt';

function makeProject(): TestRepo {
  const repo = makeExecProject({ config: { concurrency: { development: 3 } } });
  writePlan(repo, [{ id: 'task-001', script, locks: ['src/one.txt'], attempts: 3 }]);
  return repo;
}

interface Told {
  readonly status: string;
  readonly commit: string;
  readonly tries: readonly { readonly work: { readonly commit: string }; readonly chosen?: boolean }[];
}

async function taskIn(repo: TestRepo): Promise<Told> {
  return JSON.parse((await flame(repo, ['status', '--json'])).stdout).tasks[0];
}

const run = ['run', 'One', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml'];

test('RND-4 the person sees each attempt, chooses another one by command, and that one lands', async () => {
  const repo = makeProject();
  writeDecisions(repo, { plan: ['approve'] });
  const first = await flame(repo, run);
  assert.is(first.code, 2, first.stderr);
  assert.match(first.stderr, /attempt 3 of 3 by worker-[0-9a-f]{8} handed in 1 changed line/);
  const before = await taskIn(repo);
  assert.equal(
    before.tries.map(({ chosen }) => chosen),
    [true, undefined, undefined],
  );
  const shown = (await flame(repo, ['show', 'task-001'])).stdout;
  assert.match(
    shown,
    /Attempts at once\n {2}\* 1\. {2}worker-[0-9a-f]{8} {2}exec {2}pass {2}1 line {2}\$0\.00\n {4}2\. /,
  );
  assert.match(shown, /git flame task choose task-001 --attempt 2/);
  const rescues = (await flame(repo, ['rescue', 'list'])).stdout;
  for (const at of [1, 2, 3]) assert.match(rescues, new RegExp(`/task-001/${at}\\b`));
  const chosen = await flame(repo, ['task', 'choose', 'task-001', '--attempt', '2']);
  assert.is(chosen.code, 0, chosen.stderr);
  const again = await flame(repo, ['task', 'choose', 'task-001', '--attempt', '2']);
  assert.match(again.stderr, /Attempt 2 is the work of task-001 already/);
  const wrong = await flame(repo, ['task', 'choose', 'task-001', '--attempt', '4']);
  assert.match(wrong.stderr, /Attempt 4 of task-001 handed in no work; these did: 1, 2, 3/);
  writeDecisions(repo, { changesets: ['approve'] });
  const last = await flame(repo, ['run', '--decisions-file', '.git/decisions.yml']);
  assert.is(last.code, 0, last.stderr);
  const after = await taskIn(repo);
  assert.is(after.commit, before.tries[1]?.work.commit);
  assert.is(repo.git('show', 'main:src/one.txt'), repo.git('show', `${after.commit}:src/one.txt`));
  assert.is.not(after.commit, before.commit);
});

test('RND-4 a decisions file chooses another attempt, whose changeset is built and decided again', async () => {
  const repo = makeProject();
  writeDecisions(repo, { plan: ['approve'], changesets: [{ choose: { 'task-001': 3 } }, 'approve'] });
  const done = await flame(repo, run);
  assert.is(done.code, 0, done.stderr);
  const task = await taskIn(repo);
  assert.is(task.status, 'merged');
  assert.is(task.commit, task.tries[2]?.work.commit);
});

test('RND-4 the commands of a task say how many attempts, and refuse what can be none', async () => {
  const repo = makeExecProject();
  const attempts = async (...words: string[]): Promise<unknown> => {
    const done = await flame(repo, ['task', ...words, '--json']);
    assert.is(done.code, 0, done.stderr);
    const told = JSON.parse(done.stdout);
    return (told.task ?? told.tasks[0]).attempts;
  };
  const exec = { adapter: 'exec', model: null };
  assert.equal(await attempts('add', 'Say one', '--locks', 'src/', '--attempts', 'exec,exec'), [exec, exec]);
  const alike = { adapter: null, model: null };
  assert.equal(await attempts('edit', 'task-001', '--attempts', '3'), [alike, alike, alike]);
  assert.is(await attempts('edit', 'task-001', '--attempts', '1'), undefined);
  for (const bad of ['0', '9', 'exec', 'nobody,exec', 'exec,codex:claude-opus-4-1']) {
    const refused = await flame(repo, ['task', 'edit', 'task-001', '--attempts', bad]);
    assert.is.not(refused.code, 0, bad);
    assert.match(refused.stderr, /attempts|adapter|model/, bad);
  }
});

test.run();
