import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cloneStateDir } from '../../lib/util/user-folders.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { start } from '../support/kill-rig.ts';
import { openRepo, type TestRepo } from '../support/repo.ts';
import { forge } from '../support/shared-project.ts';
import { alterTask } from '../support/tasks.ts';

// TRU-2: a state is read as it is only where its refs stand exactly where this clone left them.

async function makePlanned(script = (_: TestRepo) => 'echo 1 > src/one.txt'): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'one', script: script(repo), locks: ['src/one.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const planned = await flame(repo, ['plan', 'Go', '--from', plan, '--decisions-file', decisions]);
  assert.is(planned.code, 0, planned.stderr);
  return repo;
}

function tipsFile(repo: TestRepo): string {
  return join(cloneStateDir(repo.env, join(repo.path, '.git')), 'own-tips');
}

/** Whether the next look takes the state for this clone's own. */
function isOwn(repo: TestRepo): boolean {
  if (!existsSync(tipsFile(repo))) return false;
  const { tips } = JSON.parse(readFileSync(tipsFile(repo), 'utf8'));
  const refs = ['sessions', 'tasks'].map((name) => `refs/blueflame/${name}`);
  return refs.every((ref) => tips[ref] === repo.git('rev-parse', ref));
}

/** Tasks that wait for a person's decision. */
async function receivedIn(repo: TestRepo): Promise<unknown> {
  const { lines } = await flameJson(repo, ['status']);
  const { proposals } = lines[0] as { readonly proposals: { readonly tasks: readonly string[] } };
  return proposals.tasks;
}

const plantTask = (repo: TestRepo): Promise<unknown> =>
  forge(repo, (state) => {
    const [task] = state.current === null ? [] : state.tasksOf(state.current.id);
    if (task === undefined) return [];
    return [{ subject: 'forged', tasks: [alterTask(task, { description: 'touch /tmp/planted' })] }];
  });

test('TRU-2 what is written past the program is a proposal, and stays one whatever is written here after it', async () => {
  const repo = await makePlanned();
  assert.ok(isOwn(repo));
  assert.equal(await receivedIn(repo), []);
  await plantTask(repo);
  assert.equal(await receivedIn(repo), ['one']);
  const added = await flame(repo, ['task', 'add', 'Two', '--locks', 'src/two.txt']);
  assert.is(added.code, 0, added.stderr);
  assert.not(isOwn(repo));
  assert.equal(await receivedIn(repo), ['one']);
});

test('TRU-2 an earlier state of this clone that is put back is judged', async () => {
  const repo = await makePlanned();
  const before = ['sessions', 'tasks'].map((name) => repo.git('rev-parse', `refs/blueflame/${name}`));
  assert.is((await flame(repo, ['task', 'drop', 'one'])).code, 0);
  assert.ok(isOwn(repo));
  for (const [at, name] of ['sessions', 'tasks'].entries())
    repo.git('update-ref', `refs/blueflame/${name}`, before[at] ?? '');
  assert.not(isOwn(repo));
  assert.equal(await receivedIn(repo), ['one']);
});

test('TRU-2 without the file, or with another text in it, all is judged, and nothing that was decided is lost', async () => {
  const repo = await makePlanned();
  for (const text of [null, '', '{"tips":{}}\n', readFileSync(tipsFile(repo), 'utf8').replace('tips', 'tip')]) {
    if (text === null) rmSync(tipsFile(repo));
    else writeFileSync(tipsFile(repo), text);
    assert.equal(await receivedIn(repo), []);
    await flame(repo, ['task', 'add', 'More', '--locks', 'src/more.txt']);
    assert.ok(isOwn(repo), 'the next change admits what was there');
  }
  await flame(repo, ['task', 'add', 'More', '--locks', 'src/more.txt']);
  rmSync(tipsFile(repo));
  await plantTask(repo);
  await flame(repo, ['task', 'add', 'More', '--locks', 'src/more.txt']);
  assert.not(isOwn(repo));
});

test('TRU-2 a copy of the repository is no own state, there or in the place of the first', async () => {
  const repo = await makePlanned();
  const place = join(dirname(repo.path), 'copy');
  cpSync(repo.path, place, { recursive: true });
  const copy = openRepo(place, repo.env);
  assert.not(existsSync(tipsFile(copy)));
  assert.equal(await receivedIn(copy), ['one']);
  const kept = readFileSync(tipsFile(repo), 'utf8');
  renameSync(repo.path, `${repo.path}-away`);
  renameSync(place, repo.path);
  const { folder } = JSON.parse(kept);
  assert.type(folder, 'string');
  await flame(repo, ['task', 'add', 'More', '--locks', 'src/more.txt']);
  assert.is.not(JSON.parse(readFileSync(tipsFile(repo), 'utf8')).folder, folder);
});

test('TRU-2 a whole session stays own up to its landing, and is admitted again without the file', async () => {
  const repo = await makePlanned();
  const decisions = writeDecisions(repo, {
    changesets: [{ reject: 'once more' }, 'approve'],
    session: ['continue'],
  });
  const run = await flame(repo, ['run', '--decisions-file', decisions]);
  assert.is(repo.git('show', 'main:src/one.txt'), '1', run.stderr);
  assert.ok(isOwn(repo));
  rmSync(tipsFile(repo));
  const added = await flame(repo, ['task', 'add', 'Two', '--locks', 'src/two.txt']);
  assert.is(added.code, 0, added.stderr);
  assert.ok(isOwn(repo));
});

test('TRU-2 where what was decided here is removed, everything is asked once more', async () => {
  const repo = await makePlanned();
  rmSync(join(dirname(tipsFile(repo)), 'decisions'));
  assert.equal(await receivedIn(repo), ['one']);
});

test('UNI-2 of several that write at once none loses its decision', async () => {
  const repo = await makePlanned();
  const adding = ['a', 'b', 'c', 'd'].map((name) =>
    flame(repo, ['task', 'add', `Do ${name}`, '--locks', `src/${name}.txt`]),
  );
  for (const { code, stderr } of await Promise.all(adding)) assert.is(code, 0, stderr);
  assert.equal(await receivedIn(repo), []);
  assert.is((await flame(repo, ['task', 'drop', 'one'])).code, 0);
  assert.ok(isOwn(repo));
});

test('SBX-2 an agent neither sees the file nor can write it', async () => {
  const repo = await makePlanned((made) => {
    const file = tipsFile(made);
    return `{ cat ${file} || mkdir -p ${dirname(file)} && echo forged > ${file}; } > src/one.txt 2>&1; true`;
  });
  const before = readFileSync(tipsFile(repo), 'utf8');
  const worked = await flame(repo, ['work']);
  assert.is(worked.code, 0, worked.stderr);
  const { lines } = await flameJson(repo, ['show', 'one']);
  const task = lines[0]?.task as { readonly commit: string } | undefined;
  assert.match(repo.git('show', `${task?.commit}:src/one.txt`), /No such file/);
  assert.not.match(readFileSync(tipsFile(repo), 'utf8'), /forged/);
  assert.is.not(readFileSync(tipsFile(repo), 'utf8'), before);
  assert.ok(isOwn(repo));
});

test('LIF-4 a kill between the refs and their note costs a judgement alone', async () => {
  const repo = await makePlanned();
  const add = ['task', 'add', 'Two', '--locks', 'src/two.txt'];
  const killed = start(repo, add, { FLAME_TEST_KILL_AT: 'before own tips are kept' });
  assert.is(killed.signal, 'SIGKILL', killed.stderr);
  assert.not(isOwn(repo));
  assert.equal(await receivedIn(repo), []);
  assert.is((await flame(repo, ['task', 'drop', 'one'])).code, 0);
  assert.ok(isOwn(repo));
});

test.run();
