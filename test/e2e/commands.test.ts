import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/util/user-folders.ts';
import {
  besidesSandbox,
  makeExecProject,
  type ScriptTask,
  writeDecisions,
  writePlan,
} from '../support/exec-project.ts';
import { flame, flameJson, lookOnly } from '../support/flame.ts';
import { programEnd, programFolder, runProgram, startProgram, untilSaid } from '../support/program.ts';
import { assertRefused } from '../support/refusal.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';

const oneTask: readonly ScriptTask[] = [
  { id: 'task-001', script: 'echo one > src/one.txt', locks: ['src/one.txt'], group: 'one' },
];

test('a finished session stays in status, show and log until a new one starts', async () => {
  const repo = makeExecProject();
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  await flame(repo, ['run', 'One', '--from', writePlan(repo, oneTask), '--decisions-file', decisions]);
  for (const argv of [['status'], ['show'], ['show', 'task-001'], ['log'], ['log', 'task-001'], ['show', 'one']]) {
    const run = await flame(repo, argv);
    assert.is(run.code, 0, run.stderr);
    assert.match(run.stdout, /task-001/, argv.join(' '));
  }
});

test('--json: every answer is one object with its schema_version, and its keys are in snake_case', async () => {
  const repo = makeExecProject();
  const answers = [
    ...[['agent', 'list'], ['rescue', 'list'], ['cleanup'], ['session', 'list'], ['log'], ['config']],
    ...[['init'], lookOnly],
  ];
  const check = async (more: readonly (readonly string[])[]): Promise<void> => {
    for (const argv of [...answers, ...more]) {
      const { lines, stderr } = await flameJson(repo, argv);
      const said = argv.join(' ');
      assert.is(lines.length, 1, `${said}: ${stderr}`);
      assert.not(Array.isArray(lines[0]), said);
      assert.is(lines[0]?.schema_version, 1, said);
      for (const key of Object.keys(lines[0] ?? {})) assert.match(key, /^[a-z][a-z_]*$/, said);
    }
  };
  await check([]);
  const approve = writeDecisions(repo, { plan: ['approve'] });
  await flame(repo, ['plan', 'One', '--from', writePlan(repo, oneTask), '--decisions-file', approve]);
  const { lines } = await flameJson(repo, ['log']);
  assert.ok(((lines[0]?.entries ?? []) as readonly unknown[]).length > 0);
  await check([
    ['task', 'next'],
    ['note', 'list'],
    ['show'],
    ['show', 'task-001'],
    ['show', '--graph'],
    ['task', 'show', 'task-001'],
  ]);
});

test('each check says that it starts and how it ended, on whose work, also where it fails', async () => {
  const commands = ['test -e src/one.txt', 'exit 3'];
  const repo = makeExecProject({ config: { validation: { validator_diagnostics: { commands } } } });
  const decisions = writeDecisions(repo, { plan: ['approve'], validation: ['drop'] });
  const argv = ['run', 'One', '--from', writePlan(repo, oneTask), '--decisions-file', decisions];
  const { lines } = await flameJson(repo, argv);
  const checks = lines.filter(({ event, about }) => event === 'check' && about === 'task-001');
  assert.equal(
    checks.map(({ command, state, exit_code: code }) => [command, state, code]),
    commands.flatMap((command, index) => [
      [command, 'started', null],
      [command, 'ended', [0, 3][index]],
    ]),
  );
  assert.is(new Set(checks.map(({ id }) => id)).size, 2);
});

test('--dry-run of every command starts nothing and stores nothing', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, oneTask);
  const every = [
    ['init'],
    ['run', 'x', '--from', plan],
    ['run', 'x'],
    ['plan', 'x', '--from', plan],
    ['work'],
    ['validate'],
    ['merge'],
    ['review'],
    ['review', '--changeset', 'one', '--approve'],
    ['status'],
    ['show'],
    ['log'],
    ['config'],
    ['config', 'migrate', '--write'],
    ['demo', '--dir', join(repo.path, '.git', 'demo')],
  ];
  const untouched = async (codes: readonly number[]): Promise<void> => {
    const before = fingerprint(repo);
    for (const argv of every) {
      const run = await flame(repo, [...argv, '--dry-run']);
      assert.ok(codes.includes(run.code), `${argv.join(' ')}: ${run.code} ${run.stderr}`);
      assert.equal(fingerprint(repo), before, argv.join(' '));
    }
  };
  await untouched([0, 1]);
  await flame(repo, ['run', 'x', '--from', plan, '--decisions-file', writeDecisions(repo, { plan: ['approve'] })]);
  await untouched([0]);
});

test('--quiet says only what went wrong and the result; --json says nothing on stderr', async () => {
  const decisions = { plan: ['approve'], changesets: ['approve'] };
  const quiet = makeExecProject();
  const argv = (repo: TestRepo): string[] => [
    ...['run', 'One', '--from', writePlan(repo, oneTask)],
    ...['--decisions-file', writeDecisions(repo, decisions)],
  ];
  const silent = await flame(quiet, [...argv(quiet), '--quiet']);
  assert.equal([silent.code, besidesSandbox(silent.stderr)], [0, '']);
  assert.match(silent.stdout, /task-001 +merged/);
  const json = makeExecProject();
  const events = await flameJson(json, argv(json));
  assert.equal([events.code, events.stderr], [0, '']);
  assert.is(events.lines.at(-1)?.event, 'session-ended');
  for (const line of events.lines) assert.match(String(line.at), /^\d{4}-\d\d-\d\dT.*Z$/);
});

test('no colour without a terminal, with --plain or with NO_COLOR; --color forces it', async () => {
  const repo = makeExecProject();
  const colored = '\u001b[';
  assert.is((await flame(repo, ['status'])).stdout.includes(colored), false);
  assert.is((await flame(repo, ['status', '--color'])).stdout.includes(colored), true);
  assert.is((await flame(repo, ['status', '--plain'])).stdout.includes(colored), false);
  const env = { NO_COLOR: '1', FORCE_COLOR: '1' };
  assert.is((await flame(repo, ['status'], { env })).stdout.includes(colored), false);
});

test('from folders, with -C, as git flame, by an alias, with GIT_DIR: always the same repository', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, oneTask);
  repo.git('config', 'alias.fl', '!git-flame');
  const cwd = join(repo.path, 'src');
  const from = ['run', 'One', '--dry-run', '--from'];
  const outside = makeTempDir();
  const git = ['git'];
  const runs = await Promise.all([
    runProgram(repo, [...from, `../${plan}`], { cwd }),
    runProgram(repo, ['-C', cwd, ...from, `../${plan}`], { cwd: outside }),
    runProgram(repo, ['flame', ...from, `../${plan}`], { cwd, command: git }),
    runProgram(repo, ['-C', cwd, 'flame', ...from, `../${plan}`], { cwd: outside, command: git }),
    runProgram(repo, ['fl', ...from, `../${plan}`], { cwd, command: git }),
    runProgram(repo, [...from, join(repo.path, plan)], {
      cwd: outside,
      env: { GIT_DIR: join(repo.path, '.git'), GIT_WORK_TREE: repo.path },
    }),
    runProgram(repo, [...from, plan], { env: { GIT_DIR: '.git' } }),
  ]);
  for (const run of runs) {
    assert.is(run.code, 0, run.stderr);
    assert.match(run.stdout, 'step 1: task-001');
  }
});

test('CFG-5: from inside a linked worktree the session of the repository is worked on', async () => {
  const repo = makeExecProject();
  const linked = join(makeTempDir(), 'linked');
  repo.git('worktree', 'add', '-q', linked, '-b', 'topic');
  const plan = join(repo.path, writePlan(repo, oneTask));
  const decisions = join(repo.path, writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] }));
  const cwd = join(linked, 'src');
  const run = await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', decisions], { cwd });
  assert.is(run.code, 0, run.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
  assert.is(readFileSync(join(repo.path, 'src/one.txt'), 'utf8'), 'one\n');
  assert.is(existsSync(join(linked, 'src/one.txt')), false);
  assert.equal((await flameJson(repo, ['status'], { cwd })).lines, (await flameJson(repo, ['status'])).lines);
});

test('output to a closed pipe ends quietly', async () => {
  const repo = makeExecProject();
  await flame(repo, ['run', 'One', '--from', writePlan(repo, oneTask)]);
  for (const command of ['status', 'log', 'config', 'help', 'show']) {
    const script = `git flame ${command} | head -n 1; git flame ${command} | true`;
    const run = await programEnd(startProgram(repo, ['-c', script], { command: ['sh'] }));
    assert.is(run.stderr, '', command);
  }
});

// A script that goes on only when it is allowed to, so that nothing here depends on the clock.
const patient = 'echo started > src/one.txt; while [ ! -e go ] && [ $((n += 1)) -lt 3000 ]; do sleep 0.1; done';

test('two runs at once on one session: the second is refused and changes nothing', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'task-001', script: patient, locks: ['src/one.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const child = startProgram(repo, ['run', 'Slow', '--from', plan, '--decisions-file', decisions]);
  const end = programEnd(child);
  await untilSaid(child, /started on task-001/);
  for (const argv of [['run'], ['work'], ['merge']])
    assertRefused(await flame(repo, argv), {
      code: 1,
      says: 'Another git flame command is working',
      next: 'git flame status',
    });
  assertRefused(await flame(repo, ['run', 'More', '--from', plan]), { code: 1, says: 'is still open' });
  assert.is((await flameJson(repo, ['status'])).lines.flatMap(({ agents }) => agents as unknown[]).length, 1);
  child.kill('SIGTERM');
  assert.is((await end).code, 130);
});

const canSetPriv =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', 'true']).status === 0;
testIf(
  test,
  canSetPriv,
  'another user: needs root and setpriv',
)('the program runs from an installation it can’t write', async () => {
  const folder = makeTempDir();
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  // What V8 kept is left out, as it is of the package.
  const isPacked = (path: string): boolean => !/\.cache(?:\.\d+)?$/.test(path);
  for (const part of [...manifest.files.filter((one) => !one.startsWith('!')), 'package.json'])
    cpSync(join(packageRoot(), part), join(folder, part), { recursive: true, filter: isPacked });
  const home = makeTempDir();
  const repo = makeExecProject();
  const plan = writePlan(repo, oneTask);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  execFileSync('chmod', ['-R', 'a-w,a+rX', folder]);
  execFileSync('chmod', ['a+x', join(folder, 'bin', 'git-flame')]);
  execFileSync('chown', ['-R', '65534:65534', join(repo.path, '..'), home, repo.env.XDG_STATE_HOME ?? home]);
  const command = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath];
  const argv = ['run', 'One', '--from', plan, '--decisions-file', decisions];
  const run = await runProgram(repo, [join(folder, 'bin', 'git-flame'), ...argv], {
    command,
    env: { HOME: home, XDG_STATE_HOME: join(home, 'state') },
  });
  execFileSync('chmod', ['-R', 'u+w', folder]);
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stdout, /task-001 +merged/);
});

test('the program works through a symbolic link to it', async () => {
  const repo = makeExecProject();
  const folder = makeTempDir();
  symlinkSync(join(programFolder, 'git-flame'), join(folder, 'git-flame'));
  const run = await runProgram(repo, ['config', 'schema'], { command: [join(folder, 'git-flame')] });
  assert.is(run.code, 0, run.stderr);
  assert.ok(JSON.parse(run.stdout));
});

test('worktree_dir may lie outside the repository', async () => {
  const outside = join(makeTempDir(), 'trees');
  const repo = makeExecProject({
    config: { project: { name: 'x', base_branch: 'main', worktree_dir: outside } },
  });
  const plan = writePlan(repo, [{ id: 'task-001', script: 'pwd > src/one.txt', locks: ['src/one.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = await flame(repo, ['run', 'Out', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
  assert.ok(
    repo.git('show', 'main:src/one.txt').startsWith(`${outside}/worker-`),
    repo.git('show', 'main:src/one.txt'),
  );
  assert.equal(readdirSync(outside), []);
});

test('a worktree folder that can’t be made is refused before anything is stored', async () => {
  // Below /proc mkdir -p of node never comes back.
  for (const folder of ['/dev/null/trees', ...(existsSync('/proc/self') ? ['/proc/nowhere'] : [])]) {
    const repo = makeExecProject({
      config: { project: { name: 'x', base_branch: 'main', worktree_dir: folder } },
    });
    const run = await flame(repo, ['run', 'Out', '--from', writePlan(repo, oneTask)]);
    assertRefused(run, { code: 128, says: `${folder} can't be written` });
    assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
  }
});

/** Everything a command could change: what lies in the git folder, what is pointed at and configured, the work tree. */
function fingerprint(repo: TestRepo): readonly string[] {
  const list = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
  const git = join(repo.path, '.git');
  const files = list(git);
  const texts = files.filter((file) => /^(?:HEAD|config(?:\.worktree)?|packed-refs|info\/.*|refs\/.*)$/.test(file));
  return [
    ...files,
    ...texts
      .filter((file) => !statSync(join(git, file)).isDirectory())
      .map((file) => `${file}: ${readFileSync(join(git, file), 'utf8')}`),
    ...list(`${repo.path}.trees`),
    repo.git('status', '--porcelain', '--ignored'),
  ];
}

test.run();
