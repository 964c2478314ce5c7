import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { type FlameOptions, type FlameRun, flame, flameJson } from '../../support/flame.ts';
import { findDamage } from '../../support/kill-rig.ts';
import { openRepo, type TestRepo } from '../../support/repo.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The JSON answer of a command that must succeed. */
async function answer(repo: TestRepo, argv: readonly string[], options: FlameOptions = {}): Promise<Fields> {
  const run = await flameJson(repo, argv, options);
  assert.is(run.code, 0, `${argv.join(' ')}: ${run.stderr}${run.stdout}`);
  assert.is(run.lines.length, 1, run.stdout);
  return run.lines[0] ?? {};
}

async function refused(
  repo: TestRepo,
  argv: readonly string[],
  says: RegExp,
  options: FlameOptions = {},
): Promise<FlameRun> {
  const run = await flame(repo, argv, options);
  assert.is.not(run.code, 0, run.stdout);
  assert.match(run.stderr + run.stdout, says);
  return run;
}

async function add(repo: TestRepo, title: string, locks: string, ...more: string[]): Promise<Fields> {
  const { tasks } = await answer(repo, ['task', 'add', title, '--locks', locks, ...more]);
  return (tasks as Fields[])[0] ?? {};
}

async function taskOf(repo: TestRepo, id: string): Promise<Fields> {
  const { tasks } = await answer(repo, ['status']);
  const task = (tasks as Fields[]).find((one) => one.id === id);
  assert.ok(task, id);
  return task;
}

const otto = {
  GIT_AUTHOR_NAME: 'Otto Other',
  GIT_AUTHOR_EMAIL: 'otto@example.com',
  GIT_COMMITTER_NAME: 'Otto Other',
  GIT_COMMITTER_EMAIL: 'otto@example.com',
};

/** Claims a task; the helpers for its worktree. */
async function claim(repo: TestRepo, id: string): Promise<TestRepo> {
  const { worktree } = await answer(repo, ['task', 'claim', id]);
  return openRepo(`${worktree}`);
}

test('CLI-1 add makes a session where none is open, and uses the one that is', async () => {
  const repo = makeExecProject();
  const first = await answer(repo, [
    'task',
    'add',
    'Mend',
    'it',
    '--locks',
    'src/a.txt,src/b/',
    '--priority',
    '2',
  ]);
  const [task] = first.tasks as Fields[];
  assert.equal(
    [task?.id, task?.title, task?.description, task?.priority, task?.file_locks, task?.status],
    ['task-001', 'Mend it', 'Mend it', 2, ['src/a.txt', 'src/b/'], 'pending'],
  );
  const second = await answer(repo, [
    'task',
    'add',
    'More',
    '--locks',
    'src/c.txt',
    '--needs',
    'task-001',
    '--group',
    'g',
  ]);
  assert.is(second.session, first.session);
  assert.equal(
    (second.tasks as Fields[]).map(({ id, dependencies }) => [id, dependencies]),
    [['task-002', ['task-001']]],
  );
  const status = await answer(repo, ['status']);
  assert.equal(
    [
      (status.session as Fields).state,
      (status.session as Fields).wave,
      (status.session as Fields).base_branch,
    ],
    ['active', 'work', 'main'],
  );
  assert.match(repo.git('log', '-1', '--format=%s', 'refs/blueflame/tasks'), /^task-002: added by Lea Lead/);
});

test('a task added while the plan waits for its gate is not replaced by the plan', async () => {
  const repo = makeExecProject();
  const plan =
    'tasks: [{id: task-001, title: Plan, description: echo p > src/p.txt, file_locks: [src/p.txt]}]';
  repo.write('.git/plan.yml', plan);
  assert.is((await flame(repo, ['plan', 'Later', '--from', '.git/plan.yml'])).code, 2);
  const task = await add(repo, 'By hand', 'src/hand.txt');
  assert.equal([task.id, (await answer(repo, ['status'])).tasks], ['hand-001', [task]]);
  writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', '--decisions-file', '.git/decisions.yml'])).code, 0);
  assert.equal(
    [(await taskOf(repo, 'hand-001')).status, (await taskOf(repo, 'task-001')).status],
    ['pending', 'pending'],
  );
});

test('TSK-6 add reads one task, a list or a plan, as YAML or JSON, from a file or standard input', async () => {
  const repo = makeExecProject();
  const ids = async (text: string, ...argv: string[]): Promise<unknown> => {
    const { tasks } = await answer(repo, ['task', 'add', ...argv], { stdin: text });
    return (tasks as Fields[]).map(({ id }) => id);
  };
  const one = '# mine\ntitle: One\ndescription: |\n  echo 1\n\n  echo 2\nfile_locks:\n  - src/a.txt\n';
  assert.equal(await ids(one), ['task-001']);
  assert.is((await taskOf(repo, 'task-001')).description, 'echo 1\n\necho 2\n');
  const json = { title: 'Two', description: 'x', file_locks: ['src/b.txt'] };
  assert.equal(await ids(JSON.stringify(json)), ['task-002']);
  assert.equal(await ids(JSON.stringify([json, { ...json, id: 'mine' }]), '--from', '-'), [
    'task-003',
    'mine',
  ]);
  repo.write('.git/tasks.yml', 'tasks:\n- title: Four\n  description: x\n  file_locks: [src/c.txt]\n');
  assert.equal(await ids('', '--from', '.git/tasks.yml'), ['task-004']);
});

test('CFG-1 every mistake of an added task is told with its line, and nothing is stored', async () => {
  const repo = makeExecProject();
  const text = 'title: One\ndescription: x\nprioritie: 3\nfile_locks: src\n';
  const run = await refused(repo, ['task', 'add'], /prioritie/, { stdin: text });
  assert.match(run.stderr, /:3:/);
  assert.match(run.stderr, /file_locks/);
  await refused(repo, ['task', 'add', 'No locks'], /has no file_locks/);
  await refused(repo, ['task', 'add', 'Out', '--locks', '../x'], /must not hold \.\./);
  await refused(
    repo,
    ['task', 'add', 'Lost', '--locks', 'a', '--needs', 'task-009'],
    /task-009, which doesn't exist/,
  );
  await refused(repo, ['task', 'add'], /nothing to add/);
  assert.is(repo.git('for-each-ref', 'refs/blueflame/tasks', 'refs/blueflame/sessions'), '');
  await add(repo, 'One', 'src/a.txt', '--id', 'mine');
  await refused(repo, ['task', 'add', 'Two', '--locks', 'a', '--id', 'mine'], /this id already/);
});

test('WFL-1 a person takes a task, works in its worktree, submits, and it is merged with the others', async () => {
  const repo = makeExecProject();
  await add(repo, 'By hand', 'src/hand.txt');
  await add(repo, 'echo machine > src/machine.txt', 'src/machine.txt', '--needs', 'task-001');
  assert.is(((await answer(repo, ['task', 'next'])).task as Fields).id, 'task-001');
  const claimed = await answer(repo, ['task', 'claim']);
  const task = claimed.task as Fields;
  assert.equal(
    [task.id, task.status, task.agent_id, task.claimed_by],
    ['task-001', 'claimed', null, 'Lea Lead <lea@example.com>'],
  );
  assert.match(`${task.claimed_host}`, /\/[0-9a-f]{8}$/);
  const hand = openRepo(`${claimed.worktree}`);
  assert.is(hand.git('symbolic-ref', '--short', 'HEAD'), claimed.branch);
  hand.write('src/hand.txt', 'hand\n');
  hand.commit('feat: by hand');
  const submitted = await answer(repo, ['task', 'submit'], { cwd: join(hand.path, 'src') });
  assert.equal([(submitted.task as Fields).status, submitted.violations], ['done', []]);
  // The person stands in it: it stays, off the branch.
  assert.is(submitted.worktree, hand.path);
  assert.is(hand.git('rev-parse', '--abbrev-ref', 'HEAD'), 'HEAD');
  writeDecisions(repo, { changesets: ['approve'] });
  const run = await flame(repo, ['run', '--decisions-file', '.git/decisions.yml']);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:src/hand.txt'), 'hand');
  assert.is(repo.git('show', 'main:src/machine.txt'), 'machine');
  assert.is((await taskOf(repo, 'task-001')).status, 'merged');
  assert.is(findDamage(repo), '');
});

test('PCK-1 what a person submits is judged like the work of an agent, and a broken rule keeps the claim', async () => {
  const repo = makeExecProject();
  await add(repo, 'By hand', 'src/hand.txt');
  const hand = await claim(repo, 'task-001');
  await refused(repo, ['task', 'submit'], /no commit to submit/);
  hand.write('src/hand.txt', 'hand\n');
  await refused(repo, ['task', 'submit'], /not committed.*src\/hand\.txt/s);
  hand.write('src/other.txt', 'other\n');
  hand.commit('feat: too much');
  const run = await flameJson(repo, ['task', 'submit', 'task-001']);
  assert.is(run.code, 1);
  assert.match(run.stdout, /"where":"src\/other\.txt"/);
  assert.is((await taskOf(repo, 'task-001')).status, 'claimed');
  hand.git('rm', '-q', 'src/other.txt');
  hand.git('commit', '-q', '--amend', '-m', 'feat: enough');
  const done = await answer(repo, ['task', 'submit', 'task-001', '--notes', 'see the tests']);
  assert.is(((done.task as Fields).result as Fields).notes, 'see the tests');
  // Nobody stands in it and nothing in it is unsaved.
  assert.is(done.worktree, null);
  assert.is(existsSync(hand.path), false);
  await refused(repo, ['task', 'submit', 'task-001'], /is done, not claimed by you/);
});

test('WFL-1 locks, needs and the limit hold for people too, and next goes by them', async () => {
  const repo = makeExecProject({ config: { concurrency: { development: 2 } } });
  await add(repo, 'One', 'src/');
  await add(repo, 'Two', 'src/two.txt', '--priority', '1');
  await add(repo, 'Three', 'docs/', '--needs', 'task-001');
  await add(repo, 'Four', 'four.txt', '--priority', '9');
  await add(repo, 'Five', 'five.txt', '--priority', '9');
  assert.is(((await answer(repo, ['task', 'next', '--role', 'worker'])).task as Fields).id, 'task-002');
  assert.is((await flame(repo, ['task', 'next', '--role', 'validator'])).code, 1);
  assert.is((await flame(repo, ['task', 'next', '--role', 'cook'])).code, 129);
  await answer(repo, ['task', 'claim', '--no-worktree']);
  await refused(repo, ['task', 'claim', 'task-001'], /shares src\/ with task-002/);
  await refused(repo, ['task', 'claim', 'task-003'], /needs task-001 first/);
  await refused(repo, ['task', 'claim', 'task-002'], /is claimed by Lea Lead/, { env: otto });
  await refused(repo, ['task', 'claim', 'task-002'], /task-002 is yours already\./);
  await refused(repo, ['task', 'claim', 'task-002', '--no-worktree'], /task-002 is yours already\./);
  assert.is(
    ((await answer(repo, ['task', 'claim', '--no-worktree'], { env: otto })).task as Fields).id,
    'task-004',
  );
  await refused(repo, ['task', 'claim', 'task-005'], /one too many: 2 may work at once/);
  assert.match((await flame(repo, ['task', 'next'])).stderr, /no agent is free \(limit 2\)/);
});

test('LIF-7 release gives the claim back: commits are a rescue, unsaved files stay, an agent may take it', async () => {
  const repo = makeExecProject();
  await add(repo, 'echo machine > src/one.txt', 'src/one.txt');
  const hand = await claim(repo, 'task-001');
  hand.write('src/one.txt', 'half\n');
  hand.commit('feat: half');
  hand.write('src/one.txt', 'unsaved\n');
  await refused(repo, ['task', 'release', 'task-001'], /not claimed by you/, { env: otto });
  const released = await answer(repo, ['task', 'release', '--reason', 'no time']);
  assert.equal([(released.task as Fields).status, released.worktree], ['pending', hand.path]);
  assert.is(repo.git('show', `refs/blueflame/rescue/${released.rescue}:src/one.txt`), 'half');
  assert.is(repo.git('for-each-ref', 'refs/heads/blueflame'), '');
  assert.match(repo.git('log', '-1', '--format=%s', 'refs/blueflame/tasks'), /released: no time/);
  writeDecisions(repo, { changesets: ['approve'] });
  const run = await flame(repo, ['run', '--decisions-file', '.git/decisions.yml']);
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'machine');
  assert.is(hand.git('diff', '--stat').includes('src/one.txt'), true);
  assert.is(findDamage(repo), '');
});

test("WFL-1 with --force another person's claim is given back", async () => {
  const repo = makeExecProject();
  await add(repo, 'One', 'src/one.txt');
  await answer(repo, ['task', 'claim', '--no-worktree']);
  const { task } = await answer(repo, ['task', 'release', 'task-001', '--force'], { env: otto });
  assert.is((task as Fields).status, 'pending');
});

test('a task that failed or was sent back can be taken up by hand', async () => {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  await add(repo, 'exit 1', 'src/one.txt');
  assert.is((await flame(repo, ['work'])).code, 1);
  assert.is((await taskOf(repo, 'task-001')).status, 'failed');
  const hand = await claim(repo, 'task-001');
  hand.write('src/one.txt', 'mended\n');
  hand.commit('fix: mend it');
  await answer(repo, ['task', 'submit', 'task-001']);
  assert.is((await taskOf(repo, 'task-001')).status, 'done');
});

test('drop gives a task up with its reason, and blocks what needs it', async () => {
  const repo = makeExecProject();
  await add(repo, 'One', 'src/one.txt');
  await add(repo, 'Two', 'src/two.txt', '--needs', 'task-001');
  const hand = await claim(repo, 'task-001');
  const dropped = await answer(repo, ['task', 'drop', 'task-001', '--reason', 'not wanted any more']);
  assert.equal([(dropped.task as Fields).status, dropped.blocked], ['dropped', ['task-002']]);
  assert.is((dropped.task as Fields).reason, 'not wanted any more');
  assert.is(existsSync(hand.path), false);
  assert.match(`${(await taskOf(repo, 'task-002')).reason}`, /needs task-001: it was dropped/);
  await refused(repo, ['task', 'drop', 'task-001'], /can't go from dropped/);
});

test('edit changes what is asked by options, and refuses what would be no task', async () => {
  const repo = makeExecProject();
  await add(repo, 'One', 'src/one.txt');
  await add(repo, 'Two', 'src/two.txt', '--needs', 'task-001');
  const edited = await answer(repo, [
    'task',
    'edit',
    'task-001',
    '--title',
    'Better',
    '--locks',
    'src/,docs/',
  ]);
  assert.equal(edited.changed, ['title', 'file_locks']);
  assert.equal([(edited.task as Fields).title, (edited.task as Fields).rev], ['Better', 2]);
  await refused(repo, ['task', 'edit', 'task-001', '--needs', 'task-002'], /task-002, which depends on it/);
  await refused(
    repo,
    ['task', 'edit', 'task-001', '--locks', '.git/config'],
    /names \.git, which is git's own/,
  );
  assert.equal((await answer(repo, ['task', 'edit', 'task-001', '--title', 'Better'])).changed, []);
  await answer(repo, ['task', 'claim', 'task-001', '--no-worktree']);
  await refused(repo, ['task', 'edit', 'task-001', '--title', 'Late'], /is claimed: what was asked/);
});

test('TSK-5 edit opens the editor; mistakes are told in place and what was written stays', async () => {
  const repo = makeExecProject();
  await add(repo, 'One', 'src/one.txt');
  const edit = (script: string): Promise<FlameRun> =>
    flame(repo, ['task', 'edit', 'task-001'], { env: { GIT_EDITOR: script, TMPDIR: repo.path } });
  assert.is((await edit("sed -i 's/title: One/title: Edited/'")).code, 0);
  assert.is((await taskOf(repo, 'task-001')).title, 'Edited');
  const bad = await edit("sed -i 's/priority: 5/priority: high/'");
  assert.is.not(bad.code, 0);
  assert.match(bad.stderr, /priority/);
  const kept = /What was written is in (.*)/.exec(bad.stderr)?.[1] ?? '';
  assert.ok(existsSync(kept), bad.stderr);
  assert.is((await edit('true')).code, 1);
  assert.is((await taskOf(repo, 'task-001')).priority, 5);
});

test('edit loses nothing that somebody else changes meanwhile', async () => {
  const repo = makeExecProject();
  await add(repo, 'One', 'src/one.txt');
  // An editor in which a coffee is drunk: the other one changes the task before it is saved.
  const edit = async (other: readonly string[], mine: string): Promise<FlameRun> => {
    const script = join(repo.path, '.git/editor');
    const gate = join(repo.path, '.git/saved');
    writeFileSync(
      script,
      `touch ${gate}.open; while [ ! -e ${gate} ]; do sleep 0.02; done; rm ${gate} ${gate}.open; ${mine} "$1"`,
    );
    const run = flame(repo, ['task', 'edit', 'task-001'], { env: { GIT_EDITOR: `sh ${script}` } });
    while (!existsSync(`${gate}.open`)) await new Promise((resolve) => setTimeout(resolve, 5));
    await answer(repo, ['task', 'edit', 'task-001', ...other]);
    writeFileSync(gate, '');
    return run;
  };
  assert.is((await edit(['--priority', '1'], "sed -i 's/title: One/title: Mine/'")).code, 0);
  const both = await taskOf(repo, 'task-001');
  assert.equal([both.title, both.priority], ['Mine', 1]);
  const clash = await edit(['--title', 'Theirs'], "sed -i 's/title: Mine/title: Again/'");
  assert.is(clash.code, 1);
  assert.match(clash.stderr, /changed title of task-001 meanwhile/);
  assert.is((await taskOf(repo, 'task-001')).title, 'Theirs');
});

test('UNI-2 claim --stdin answers each id with one line, in order', async () => {
  const repo = makeExecProject();
  for (const n of [1, 2, 3]) await add(repo, `T${n}`, `src/${n}.txt`);
  await add(repo, 'shares', 'src/1.txt');
  const ids = 'task-002\ntask-009\n\ntask-001\ntask-002\r\ntask-004\ntask-003';
  const run = await flameJson(repo, ['task', 'claim', '--stdin'], { stdin: ids });
  assert.is(run.code, 0);
  assert.equal(
    run.lines.map(({ id, claimed }) => [id, claimed]),
    [
      ['task-002', true],
      ['task-009', false],
      ['task-001', true],
      ['task-002', false],
      ['task-004', false],
      ['task-003', true],
    ],
  );
  assert.equal(Object.keys(run.lines[0] ?? {}), ['id', 'claimed', 'reason']);
  assert.match(`${run.lines[4]?.reason}`, /shares src\/1\.txt with task-001/);
  const text = await flame(repo, ['task', 'claim', '-'], { stdin: 'task-001\n\u001b[2J' });
  assert.match(text.stdout, /^task-001\trefused\tis claimed by Lea Lead/);
  assert.not.match(text.stdout, /\u001b/);
});

test('CFG-5 WRK-8 every command works in any worktree, and --session tells tasks of one name apart', async () => {
  const repo = makeExecProject();
  await add(repo, 'Old', 'src/one.txt');
  const old = (await taskOf(repo, 'task-001')).session;
  await claim(repo, 'task-001');
  const plan =
    'tasks: [{id: task-001, title: New, description: echo new > src/two.txt, file_locks: [src/two.txt]}]';
  repo.write('.git/plan.yml', plan);
  writeDecisions(repo, { plan: ['approve'] });
  const planned = await flame(repo, [
    'plan',
    'New',
    '--new',
    '--from',
    '.git/plan.yml',
    '--decisions-file',
    '.git/decisions.yml',
  ]);
  assert.is(planned.code, 0, planned.stderr);
  const fresh = (await taskOf(repo, 'task-001')).session;
  assert.is.not(fresh, old);
  const [folder = ''] = readdirSync(`${repo.path}.trees`);
  const inside = { cwd: join(`${repo.path}.trees`, folder) };
  const shown = await answer(repo, ['task', 'show'], inside);
  assert.is((shown.task as Fields).session, old);
  assert.is(((await answer(repo, ['task', 'show', 'task-001'])).task as Fields).session, fresh);
  const second = await answer(repo, ['task', 'claim', 'task-001']);
  assert.is.not(second.worktree, inside.cwd);
  const released = await answer(repo, ['task', 'release', 'task-001', '--session', `${old}`]);
  assert.is((released.task as Fields).session, old);
  assert.is((await taskOf(repo, 'task-001')).status, 'claimed');
});

test('with --dry-run nothing is changed', async () => {
  const repo = makeExecProject();
  await answer(repo, ['task', 'add', 'One', '--locks', 'a', '--dry-run']);
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
  await add(repo, 'One', 'src/one.txt');
  const tip = repo.git('rev-parse', 'refs/blueflame/tasks');
  for (const argv of [['claim'], ['drop', 'task-001'], ['edit', 'task-001', '--title', 'x']])
    await answer(repo, ['task', ...argv, '--dry-run']);
  assert.is(repo.git('rev-parse', 'refs/blueflame/tasks'), tip);
});

test.run();
