import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions } from '../../support/exec-project.ts';
import { type FlameOptions, type FlameRun, flame, flameJson } from '../../support/flame.ts';
import { openRepo, type TestRepo } from '../../support/repo.ts';
import { until } from '../../support/until.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The JSON answer of a command that must succeed. */
async function answer(repo: TestRepo, argv: readonly string[], options: FlameOptions = {}): Promise<Fields> {
  const run = await flameJson(repo, argv, options);
  assert.is(run.code, 0, `${argv.join(' ')}: ${run.stderr}${run.stdout}`);
  assert.is(run.lines.length, 1, run.stdout);
  return run.lines[0] ?? {};
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

/** Claims a task; the helpers for its worktree. */
async function claim(repo: TestRepo, id: string): Promise<TestRepo> {
  const { worktree } = await answer(repo, ['task', 'claim', id]);
  return openRepo(`${worktree}`);
}

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
    await until('the editor is open', () => existsSync(`${gate}.open`));
    await answer(repo, ['task', 'edit', 'task-001', ...other]);
    writeFileSync(gate, '');
    return run;
  };
  assert.is((await edit(['--priority', '1'], "sed -i 's/title: One/title: Mine/'")).code, 0);
  const both = await taskOf(repo, 'task-001');
  assert.equal([both.title, both.priority], ['Mine', 1]);
  const clash = await edit(['--title', 'Theirs'], "sed -i 's/title: Mine/title: Again/'");
  assert.is(clash.code, 1);
  assert.match(clash.stderr, /Another command changed title of task-001 at the same time/);
  assert.is((await taskOf(repo, 'task-001')).title, 'Theirs');
});

test('CFG-5 WRK-8 every command works in any worktree, and --session tells tasks of one name apart', async () => {
  const repo = makeExecProject();
  await add(repo, 'Old', 'src/one.txt');
  const old = (await taskOf(repo, 'task-001')).session;
  await claim(repo, 'task-001');
  const plan = 'tasks: [{id: task-001, title: New, description: echo new > src/two.txt, file_locks: [src/two.txt]}]';
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

test.run();
