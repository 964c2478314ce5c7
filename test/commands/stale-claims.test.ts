import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeRegistration } from '../../lib/cell/run/agent-registry.ts';
import { makeRunFolder } from '../../lib/cell/run-folder.ts';
import { toTaskStateDecision } from '../../lib/core/admission/make-decisions.ts';
import { claimTask } from '../../lib/core/task/task-attempt.ts';
import { parseAgentId } from '../../lib/domain/ids.ts';
import { addToRecord } from '../../lib/git/cells/cell-record.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { openDecisionLog } from '../../lib/trust/decisions/open-decision-log.ts';
import { ownIdentity, readProcessStart } from '../../lib/util/process-identity.ts';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { runProgram } from '../support/program.ts';
import type { TestRepo } from '../support/repo.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const agent = parseAgentId('worker-1a2b3c4d');
const worktree = (repo: TestRepo): string => join(`${repo.path}.trees`, agent);

/** A planned session whose only task somebody else claimed. */
async function makeClaimed(
  options: { readonly byPerson?: boolean; readonly config?: Readonly<Record<string, unknown>> } = {},
): Promise<TestRepo> {
  const repo = makeExecProject(options.config === undefined ? {} : { config: options.config });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'], group: 'one' },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const planned = await flame(repo, ['plan', 'One', '--from', plan, '--decisions-file', decisions]);
  assert.is(planned.code, 0, planned.stderr);
  const context = { cwd: repo.path, env: repo.env };
  const store = await openStore({ context, commonDir: join(repo.path, '.git'), objectFormat: 'sha1' });
  await store.transact((snapshot) => {
    const tasks = snapshot.current === null ? [] : snapshot.tasksOf(snapshot.current.id);
    const isPersons = options.byPerson === true;
    const claims = tasks.map((task) =>
      claimTask(task, {
        agentId: isPersons ? null : agent,
        worktree: isPersons ? null : worktree(repo),
        at: '2026-02-06T14:30:22.000Z',
        claimedBy: 'Otto Other <otto@example.com>',
      }),
    );
    return { changes: claims.map(({ task, subject }) => ({ tasks: [task], subject })), actor: 'test' };
  });
  // Claims that this clone made: what others write into a note is a proposal.
  const after = await store.snapshot();
  const made = after.current === null ? [] : after.tasksOf(after.current.id);
  openDecisionLog({ env: repo.env, commonDir: join(repo.path, '.git') }).record(made.map(toTaskStateDecision));
  await store.close();
  return repo;
}

async function firstTask(repo: TestRepo): Promise<Readonly<Record<string, unknown>>> {
  const [status] = (await flameJson(repo, ['status'])).lines;
  const [task] = (status?.tasks ?? []) as readonly Record<string, unknown>[];
  assert.ok(task);
  return task;
}

/** Registers a process as the agent, as its tool would. */
function register(repo: TestRepo, child: { readonly pid?: number | undefined }, start: string | null): void {
  const folder = makeRunFolder(join(repo.path, '.git'), agent);
  writeRegistration(folder.root, {
    ...{ id: agent, role: 'worker', task_id: 'task-001', pid: child.pid ?? 0, pid_start: start },
    ...{ started_at: '2026-02-06T14:30:22.000Z', worktree: worktree(repo), cost_usd: 0, tokens: 0 },
  });
}

function startSleeper(): ChildProcess {
  return spawn('sleep', ['60'], { stdio: 'ignore' });
}

async function run(repo: TestRepo): Promise<{ readonly code: number; readonly stderr: string }> {
  return flame(repo, ['run', '--decisions-file', '.git/decisions.yml']);
}

test('CLN-2 a claim whose agent is gone is free at the next start, and its task is done', async () => {
  const repo = await makeClaimed();
  const { stdout } = await flame(repo, ['status']);
  assert.match(stdout, /task-001 is claimed by worker-1a2b3c4d, which has ended: git flame work/);
  const { code, stderr } = await run(repo);
  assert.is(code, 0, stderr);
  assert.match(stderr, /Claims of ended agents were released: task-001/);
  const task = await firstTask(repo);
  assert.is(task.status, 'merged');
  assert.is(task.retry_count, 0);
  assert.match(
    repo.git('log', '--format=%s', 'refs/blueflame/tasks'),
    /claimed -> pending, released: its agent has ended/,
  );
});

test('CLN-2 the claim of a living agent of another process stays, and the run says who is at work', async () => {
  const repo = await makeClaimed();
  const sleeper = startSleeper();
  try {
    register(repo, sleeper, readProcessStart(sleeper.pid ?? 0));
    assert.not.match((await flame(repo, ['status'])).stdout, /which has ended: .* frees it/);
    const { code, stderr } = await run(repo);
    assert.is(code, 2, stderr);
    assert.match(stderr, /waits for other work to finish: task-001 by worker-1a2b3c4d/);
    assert.is((await firstTask(repo)).agent_id, agent);
    assert.is((await flame(repo, ['work'])).code, 0);
    assert.is((await firstTask(repo)).status, 'claimed');
  } finally {
    sleeper.kill('SIGKILL');
    await once(sleeper, 'close');
  }
  assert.is((await run(repo)).code, 0);
  assert.is((await firstTask(repo)).status, 'merged');
});

test('LIF-1 a process that got the pid of an agent is not the agent: the claim is free, the process lives', async () => {
  const repo = await makeClaimed();
  const sleeper = startSleeper();
  register(repo, sleeper, '1');
  assert.is((await run(repo)).code, 0);
  assert.is(sleeper.exitCode, null);
  assert.is(sleeper.signalCode, null);
  sleeper.kill('SIGKILL');
  await once(sleeper, 'close');
});

test('CLN-2 the claim of a process that is about to start its agent stays', async () => {
  const repo = await makeClaimed();
  const git = await openGit({ cwd: repo.path, env: repo.env });
  const head = await git.resolveCommit('HEAD');
  assert.ok(head);
  // Made by this process, as the command's own in-process twin would see it: told apart by the owner alone.
  await git.addCellWorktree(worktree(repo), head);
  const maker = startSleeper();
  try {
    plantOwner(repo, maker.pid ?? 0);
    const { code, stderr } = await run(repo);
    assert.is(code, 2, stderr);
    assert.is((await firstTask(repo)).status, 'claimed');
  } finally {
    maker.kill('SIGKILL');
    await once(maker, 'close');
  }
  const { code, stderr } = await run(repo);
  assert.is(code, 0, stderr);
  assert.is((await git.cells()).length, 0);
  await git.close();
});

test('a claim of a person has no agent and stays', async () => {
  const repo = await makeClaimed({ byPerson: true });
  const { code, stderr } = await run(repo);
  assert.is(code, 2, stderr);
  assert.match(stderr, /task-001 by Otto Other/);
  assert.is((await firstTask(repo)).status, 'claimed');
});

/** Says in a cell's record that another process made it. */
function plantOwner(repo: TestRepo, pid: number): void {
  const owner = { ...ownIdentity(), pid, start: readProcessStart(pid) };
  addToRecord(join(repo.path, '.git/blueflame/cells', agent), { owner });
}

test('CLN-2 a claim by hand is free again after limits.claim_timeout, never without', async () => {
  const kept = await makeClaimed({ byPerson: true });
  assert.is((await flame(kept, ['work'])).code, 0);
  assert.is((await firstTask(kept)).status, 'claimed');
  const repo = await makeClaimed({ byPerson: true, config: { limits: { claim_timeout: '2h' } } });
  const status = await flame(repo, ['status']);
  assert.match(status.stdout, /task-001, claimed by Otto Other <otto@example\.com>, was held too long/);
  const work = await flame(repo, ['work']);
  assert.is(work.code, 0, work.stderr);
  assert.match(work.stderr, /older than limits\.claim_timeout were released\. Their worktrees stay: task-001/);
  assert.is((await firstTask(repo)).status, 'done');
});

test('CLN-2 what a person had committed and written is kept when their claim runs out', async () => {
  const repo = await makeClaimed();
  await flame(repo, ['task', 'release', 'task-001', '--force']);
  const { lines } = await flameJson(repo, ['task', 'claim', 'task-001']);
  const path = `${lines[0]?.worktree}`;
  repo.git('-C', path, 'commit', '--allow-empty', '-q', '-m', 'feat: mine');
  writeFileSync(join(path, 'unsaved.txt'), 'unsaved');
  repo.write(
    '.blueflame.yml',
    `${readFileSync(join(repo.path, '.blueflame.yml'), 'utf8')}limits: { claim_timeout: 30m }\n`,
  );
  repo.commit('claims run out');
  const work = await runProgram(repo, ['work'], { env: shiftedClock(60) });
  assert.is(work.code, 0, work.stderr);
  assert.match(work.stderr, /were released\. Their worktrees stay: task-001/);
  assert.is(readFileSync(join(path, 'unsaved.txt'), 'utf8'), 'unsaved');
  assert.match((await flame(repo, ['rescue', 'list'])).stdout, /task-001/);
});

test('STA-3 of several claims of one person at once one wins, the others learn that it is theirs', async () => {
  const repo = await makeClaimed();
  await flame(repo, ['task', 'release', 'task-001', '--force']);
  const claims = ['a', 'b', 'c', 'd'].map(
    () =>
      new Promise<{ code: number; output: string }>((resolve) => {
        const argv = [join(packageRoot(), 'bin', 'git-flame'), 'task', 'claim', 'task-001'];
        const options = { cwd: repo.path, env: repo.env };
        execFile(process.execPath, argv, options, (error, out, err) =>
          resolve({ code: Number(error?.code ?? 0), output: out + err }),
        );
      }),
  );
  const ended = await Promise.all(claims);
  assert.equal(ended.map(({ code }) => code).sort(), [0, 1, 1, 1], JSON.stringify(ended));
  for (const { output } of ended.filter(({ code }) => code === 1))
    assert.match(output, /You already have task-001: its worktree is \S+\.trees\/task-001-/);
});

test.run();
