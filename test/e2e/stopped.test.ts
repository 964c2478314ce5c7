import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { findDamage, processesIn } from '../support/kill-rig.ts';
import type { TestRepo } from '../support/repo.ts';

const waits = 'echo half > src/one.txt; echo ready; sleep 300 & wait';
const deaf = `trap '' TERM INT HUP; ${waits}`;
const whole = 'echo whole > src/one.txt';

interface Running {
  readonly child: ChildProcess;
  /** Resolves when a line of output holds the text; rejects when the program ends before. */
  saw(text: string): Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

function makeProject(first: string, config: Readonly<Record<string, unknown>> = {}): TestRepo {
  const repo = makeExecProject({ config });
  const script = `if [ "$FLAME_ATTEMPT" = 1 ]; then ${first}; else ${whole}; fi`;
  writePlan(repo, [{ id: 'task-001', script, locks: ['src/one.txt'], group: 'one' }]);
  writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  return repo;
}

const argv = ['run', 'Wait', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml', '--json'];

function startRun(repo: TestRepo): Running {
  const child = spawn(process.execPath, [join(packageRoot(), 'bin', 'git-flame'), ...argv], {
    cwd: repo.path,
    env: repo.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listeners = new Set<() => void>();
  const take = (chunk: Buffer): void => {
    output += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output })),
  );
  const saw = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (output.includes(text)) resolve();
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without ${text}: ${output}`)));
    });
  return { child, saw, ended };
}

/** Stopped with everything saved: the task is free, its half work kept, nothing runs, and a run goes on to the end. */
async function assertGoesOn(repo: TestRepo): Promise<void> {
  assert.equal(processesIn(dirname(repo.path)), []);
  const [status] = (await flameJson(repo, ['status'])).lines;
  const [task] = (status?.tasks ?? []) as readonly Record<string, unknown>[];
  assert.is(task?.status, 'pending');
  assert.is(task?.retry_count, 0);
  assert.equal(status?.agents, []);
  const [tree = ''] = readdirSync(`${repo.path}.trees`);
  assert.is(readFileSync(join(`${repo.path}.trees`, tree, 'src/one.txt'), 'utf8'), 'half\n');
  for (const folder of ['run', 'locks']) {
    const path = join(repo.path, '.git/blueflame', folder);
    assert.equal(existsSync(path) ? readdirSync(path) : [], [], folder);
  }
  const again = await flame(repo, ['run', '--decisions-file', '.git/decisions.yml']);
  assert.is(again.code, 0, again.stderr);
  assert.match(again.stderr, /Continuing ses-/);
  assert.is(repo.git('show', 'main:src/one.txt'), 'whole');
  assert.is(
    repo.git('show', `${repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue')}:src/one.txt`),
    'half',
  );
  assert.is(findDamage(repo), '');
}

for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
  test(`LIF-3 ${name}: agents end, tasks are free again, worktrees stay, exit 130`, async () => {
    const repo = makeProject(waits);
    const run = startRun(repo);
    await run.saw('ready');
    run.child.kill(name);
    const { code, output } = await run.ended;
    assert.is(code, 130, output);
    assert.match(output, /"event":"session-ended"/);
    assert.match(output, /git flame run/);
    await assertGoesOn(repo);
  });
}

test('LIF-3 a second Ctrl-C ends an agent at once that does not listen to the first', async () => {
  const repo = makeProject(deaf);
  const run = startRun(repo);
  await run.saw('ready');
  run.child.kill('SIGINT');
  run.child.kill('SIGINT');
  // Two signals of one kind may arrive as one; it's the second that ends it.
  const again = setInterval(() => run.child.kill('SIGINT'), 200);
  // Later it would meet a program that has put away what heeds signals, and is about to exit.
  await run.saw('"event":"agent-ended"').finally(() => clearInterval(again));
  const { code, output } = await run.ended;
  assert.is(code, 130, output);
  // It ended in order: the state was saved, nothing had to be cut off.
  assert.match(output, /"event":"session-ended"/);
  assert.is(await taskStatus(repo), 'pending');
  assert.equal(processesIn(dirname(repo.path)), []);
  const resumed = await flame(repo, ['resume', '--decisions-file', '.git/decisions.yml']);
  assert.is(resumed.code, 0, resumed.stderr);
  assert.is(repo.git('show', 'main:src/one.txt'), 'whole');
  assert.is(findDamage(repo), '');
});

test('LIF-3 an agent that does not listen is ended after its grace time', async () => {
  const repo = makeProject(deaf);
  const run = startRun(repo);
  await run.saw('ready');
  run.child.kill('SIGINT');
  const { code, output } = await run.ended;
  assert.is(code, 130, output);
  await assertGoesOn(repo);
});

test('LIF-2 an agent without a sign of life is told of, with how to look and how to end it', async () => {
  const repo = makeProject(waits, { limits: { heartbeat_interval: '200ms' } });
  const run = startRun(repo);
  await run.saw('"event":"agent-stalled"');
  run.child.kill('SIGTERM');
  const { code, output } = await run.ended;
  assert.is(code, 130, output);
  const line = output.split('\n').find((one) => one.includes('"event":"agent-stalled"')) ?? '{}';
  const { agent, task, quiet_ms: quiet } = JSON.parse(line);
  assert.match(String(agent), /^worker-/);
  assert.is(task, 'task-001');
  assert.ok(quiet >= 800, `${quiet} ms`);
  assert.is(output.match(/"event":"agent-stalled"/g)?.length, 1);
  await assertGoesOn(repo);
});

test('LIF-3 stopped while a diagnostic runs: it ends, and what it did not say is no verdict', async () => {
  // Not on the base, where it is tried before anybody works.
  const commands = ['test ! -e src/one.txt || sleep 300'];
  const repo = makeProject(whole, { validation: { validator_diagnostics: { commands, timeout: '5m' } } });
  const run = startRun(repo);
  await run.saw('"wave":"validate"');
  await untilRunning(repo, 'sleep 300');
  run.child.kill('SIGTERM');
  const { code, output } = await run.ended;
  assert.is(code, 130, output);
  assert.not.match(output, /"event":"verdict"/);
  assert.equal(processesIn(dirname(repo.path)), []);
  assert.is(existsSync(`${repo.path}.trees`), false);
  const [status] = (await flameJson(repo, ['status'])).lines;
  const [task] = (status?.tasks ?? []) as readonly { status: string; result: { status: string | null } }[];
  assert.equal([task?.status, task?.result.status], ['done', null]);
  assert.is(repo.git('for-each-ref', 'refs/blueflame/validations'), '');
});

async function taskStatus(repo: TestRepo): Promise<unknown> {
  const [status] = (await flameJson(repo, ['status'])).lines;
  const [task] = (status?.tasks ?? []) as readonly Record<string, unknown>[];
  return task?.status;
}

/** Until a command line runs somewhere below the repository. */
async function untilRunning(repo: TestRepo, command: string): Promise<void> {
  const until = Date.now() + 20_000;
  while (!processesIn(dirname(repo.path), 0).some((line) => line.endsWith(command))) {
    if (Date.now() > until) throw new Error(`${command} never ran`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.run();
