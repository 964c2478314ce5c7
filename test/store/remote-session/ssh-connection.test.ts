import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';
import { hasSshd, type SshLine, serveSsh } from '../../support/ssh-line.ts';
import { makeClones, stateOf } from '../sync-clones.ts';
import { claim, type Machine, openMachine } from './machine.ts';

const it = testIf(test, hasSshd, 'one connection of ssh: no sshd can be started here');
const ids = ['task-001', 'task-002', 'task-003', 'task-004'];
const [first = '', ...others] = ids;

const lines: SshLine[] = [];
test.after(() => {
  for (const line of lines) line.close();
});

interface Rig {
  readonly line: SshLine;
  readonly repo: TestRepo;
  readonly remote: TestRepo;
}

async function makeRig({ options = '', maxSessions = 100 } = {}): Promise<Rig> {
  const { remote, clones } = await makeClones(ids);
  const line = await serveSsh(remote.path, { maxSessions });
  lines.push(line);
  const [clone] = clones;
  clone.git('remote', 'set-url', 'origin', line.url('127.0.0.1'));
  const env = { ...clone.env, GIT_SSH_COMMAND: `${line.env.GIT_SSH_COMMAND}${options}` };
  return { line, remote, repo: { ...clone, env } };
}

async function claimAll(machine: Machine, all: readonly string[]): Promise<void> {
  for (const id of all) assert.is(await claim(machine, id, 'worker-0000000a'), true);
}

it('DST-1 all git of a machine goes through one connection of ssh', async () => {
  const { line, repo, remote } = await makeRig();
  const machine = await openMachine(repo, 'host/0');
  await claimAll(machine, ids);
  assert.is(stateOf(repo), stateOf(remote));
  assert.is(line.accepted(), 1);
  await machine.close();
});

it('DST-1 who shares connections of ssh, or wants none shared, does so: each git connects by itself', async () => {
  const { line, repo } = await makeRig({ options: ' -o ControlPath=none' });
  const machine = await openMachine(repo, 'host/0');
  await claimAll(machine, ids);
  assert.ok(line.accepted() > ids.length, String(line.accepted()));
  await machine.close();
});

it('DST-1 where a host allows no second session on a connection, git beside git connects by itself', async () => {
  const { repo } = await makeRig({ maxSessions: 1 });
  const machine = await openMachine(repo, 'host/0');
  await machine.remoteSession.exchangeNow();
  await Promise.all(ids.map(() => machine.remoteSession.fetchBranchCommits('main')));
  await machine.close();
});

it('DST-1 after the connection was killed the next git makes another one', async () => {
  const { line, repo, remote } = await makeRig();
  const machine = await openMachine(repo, 'host/0');
  await claimAll(machine, [first]);
  for (const pid of line.open()) process.kill(pid, 'SIGKILL');
  await claimAll(machine, others);
  assert.is(line.accepted(), 2);
  await machine.close();
  assert.is(stateOf(repo), stateOf(remote));
});

it('DST-1 a connection that hangs is given up, and what was decided is made by another one', async () => {
  const { line, repo, remote } = await makeRig();
  const machine = await openMachine(repo, 'host/0', { patienceMs: 4_000 });
  await claimAll(machine, [first]);
  const stopped = line.open();
  assert.ok(stopped.length > 0);
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  await claimAll(machine, others);
  assert.is(line.accepted(), 2);
  await machine.close();
  for (const pid of stopped) process.kill(pid, 'SIGKILL');
  assert.is(stateOf(repo), stateOf(remote));
});

test.run();
