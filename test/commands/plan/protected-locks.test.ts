import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import { ledRun } from '../../support/led-run.ts';

const protectedLocks: readonly (readonly [string, RegExp])[] = [
  ['.trees/worker-1/a.ts', /names \.trees, which is where agents' worktrees are/],
  ['.git/hooks/post-commit', /names \.git, which is git's own/],
  ['.blueflame.yml', /names \.blueflame\.yml, which configures git flame/],
  ['.blueflame/templates/worker.ejs', /names \.blueflame, which configures git flame/],
  ['.claude/settings.json', /names \.claude, which holds settings that agents obey/],
];
const locks = protectedLocks.map(([lock]) => lock);

function assertNamed(text: string, how: string): void {
  for (const [lock, why] of protectedLocks) {
    const line = text.split(/\n|","/).find((one) => one.includes(`file lock ${lock} `)) ?? '';
    assert.match(line, why, `${how}, ${lock}: ${text}`);
  }
}

test('PLN-4 whoever plans: a lock on what no agent may write is refused at once, with the path and why', async () => {
  // Nothing is said of what agents may write: all but that.
  const repo = makeExecProject({
    config: {
      project: { name: 'x', base_branch: 'main', worktree_dir: '.trees' },
      roles: { worker: { adapter: 'exec' } },
      queen: { on_exit: 'stop' },
    },
  });
  const plan = writePlan(repo, [{ id: 'a', script: 'true', locks }]);
  for (const argv of [
    ['task', 'add', 'A', '--locks', locks.join(',')],
    ['plan', 'A', '--from', plan],
    ['run', 'A', '--from', plan],
  ]) {
    const { code, stderr, stdout } = await flame(repo, argv);
    assert.is(code, 1, `${argv.join(' ')}: ${stderr}`);
    assertNamed(stderr + stdout, argv.join(' '));
    const { session } = JSON.parse((await flame(repo, ['status', '--json'])).stdout);
    assert.is(session, null, `${argv.join(' ')} began a session`);
  }
  const task = { id: 'a', title: 'A', description: 'true', file_locks: locks };
  const heard: string[] = [];
  const led = await ledRun(
    repo,
    async ({ call }) => {
      heard.push((await call('create_tasks', { tasks: [task] })).text);
      return undefined;
    },
    { decisions: null },
  );
  assert.is(heard.length, 1, led.stderr);
  assertNamed(heard[0] ?? '', 'create_tasks');
  await flame(repo, ['session', 'end', '--yes']);

  const added = await flame(repo, ['task', 'add', 'A', '--locks', 'src/a.ts', '--json']);
  assert.is(added.code, 0, added.stderr);
  const { tasks } = JSON.parse(added.stdout);
  const edited = await flame(repo, ['task', 'edit', tasks[0].id, '--locks', locks.join(',')]);
  assert.is(edited.code, 1, edited.stderr);
  assertNamed(edited.stderr, 'task edit');
});

test.run();
