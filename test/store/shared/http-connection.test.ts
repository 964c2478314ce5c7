import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openConnection } from '../../../lib/git/process/open-connection.ts';
import { type Fate, type HttpLine, serveHttp } from '../../support/remote-lines.ts';
import type { TestRepo } from '../../support/repo.ts';
import { makeClones, stateOf } from '../sync-clones.ts';
import { claim, type Machine, openMachine, until } from './machine.ts';

const ids = ['task-001', 'task-002', 'task-003', 'task-004'];
const [first = '', ...others] = ids;

const lines: HttpLine[] = [];
test.after(() => {
  for (const line of lines) line.close();
});

interface Rig {
  readonly line: HttpLine;
  readonly repo: TestRepo;
  readonly other: TestRepo;
  readonly remote: TestRepo;
}

async function makeRig(fateOf: (address: string) => Fate | null = () => null): Promise<Rig> {
  const { remote, clones } = await makeClones(ids);
  const line = await serveHttp(remote.path, null, fateOf);
  lines.push(line);
  const [repo, other] = clones;
  for (const one of [repo, other]) one.git('remote', 'set-url', 'origin', line.url('127.0.0.1'));
  return { line, remote, repo, other };
}

async function claimAll(machine: Machine, all: readonly string[]): Promise<void> {
  for (const id of all) assert.is(await claim(machine, id, 'worker-0000000a'), true);
}

/** git's programs for http that talk to a server. */
function helpersOf(line: HttpLine): readonly number[] {
  const url = line.url('127.0.0.1');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return /git-remote-http$/.test(words[0] ?? '') && words.includes(url);
    } catch {
      return false;
    }
  });
}

test('DST-1 all that a machine asks a remote by http goes through two connections, which end with it', async () => {
  const { line, repo, remote } = await makeRig();
  const machine = await openMachine(repo, 'host/0');
  await claimAll(machine, ids);
  for (let look = 0; look < 5; look += 1) await machine.sharing.look();
  await machine.sharing.tipOf('main');
  assert.is(stateOf(repo), stateOf(remote));
  assert.is(line.accepted(), 2);
  assert.is(helpersOf(line).length, 2);
  await machine.close();
  assert.equal(helpersOf(line), []);
});

test('DST-1 where the programs that hold the connections are killed, git connects by itself, and the next one has others', async () => {
  const { line, repo, remote } = await makeRig();
  const machine = await openMachine(repo, 'host/0');
  await claimAll(machine, [first]);
  for (const pid of helpersOf(line)) process.kill(pid, 'SIGKILL');
  await claimAll(machine, others);
  assert.ok(line.accepted() <= 6, String(line.accepted()));
  assert.equal(machine.lines, []);
  assert.is(helpersOf(line).length, 2);
  await machine.close();
  assert.is(stateOf(repo), stateOf(remote));
});

test('DST-1 a server that ends idle connections is reached again by the same programs', async () => {
  const { line, repo, remote } = await makeRig();
  const machine = await openMachine(repo, 'host/0');
  await claimAll(machine, [first]);
  const before = helpersOf(line);
  for (const id of others) {
    line.endIdle();
    await claimAll(machine, [id]);
  }
  assert.equal(helpersOf(line), before);
  await machine.close();
  assert.is(stateOf(repo), stateOf(remote));
});

test('DST-1 after the server died and came back there are connections again', async () => {
  const { line, repo, remote } = await makeRig();
  const machine = await openMachine(repo, 'host/0');
  await claimAll(machine, [first]);
  await line.crash(async () => undefined);
  await claimAll(machine, others);
  assert.is(helpersOf(line).length, 2);
  const before = line.accepted();
  await machine.sharing.look();
  assert.is(line.accepted(), before);
  await machine.close();
  assert.is(stateOf(repo), stateOf(remote));
});

test('DST-1 DST-2 a server that dies in the middle of each push leaves one holder a task', async () => {
  let fates: Fate[] = [];
  const { line, repo, remote } = await makeRig((address) =>
    address.endsWith('/git-receive-pack') ? (fates.shift() ?? null) : null,
  );
  const machine = await openMachine(repo, 'host/0');
  await claimAll(machine, [first]);
  fates = ['unanswered', 'lost'];
  await claimAll(machine, others);
  assert.equal(fates, []);
  assert.is(
    remote.git('log', '--format=%s', '--grep=-> claimed by', 'refs/blueflame/tasks').split('\n').length,
    4,
  );
  await machine.close();
  assert.is(stateOf(repo), stateOf(remote));
  assert.ok(line.accepted() > 2);
});

test('DST-2 a ref that another clone moves after it was asked for is not moved', async () => {
  const ref = 'refs/blueflame/machines/x';
  let raced = (): void => undefined;
  const { line, repo, other, remote } = await makeRig((address) => {
    if (address.endsWith('/git-receive-pack')) raced();
    return null;
  });
  const [one, two, three] = ['one', 'two', 'three'].map((message) =>
    repo.git('commit-tree', '-p', 'HEAD', '-m', message, 'HEAD^{tree}'),
  ) as [string, string, string];
  const context = { cwd: repo.path, env: repo.env };
  const connection = await openConnection(context, 'origin');
  const push = (from: string, expected: string | null) =>
    connection?.push(context, [{ from, to: ref, expected }], true);
  const tip = (): string => remote.git('for-each-ref', '--format=%(objectname)', ref);
  for (const [from, expected, between] of [
    [one, null, two],
    [one, two, three],
    ['', three, one],
  ] as const) {
    other.git('fetch', '-q', repo.path, ...[one, two, three]);
    raced = () => void other.git('push', '-q', '-f', remote.path, `${between}:${ref}`);
    const lost = await push(from, expected);
    assert.is(tip(), between);
    assert.match(lost?.stdout ?? '', /^!\t:refs\/blueflame\/machines\/x\t\[rejected\] \(.+\)\n$/);
  }
  raced = () => undefined;
  // A value that it never had, and then the one it has: also back to an older commit, and away.
  assert.match((await push(three, two))?.stdout ?? '', /stale info/);
  assert.is(tip(), one);
  assert.is((await push(three, one))?.exitCode, 0);
  assert.is((await push(two, three))?.exitCode, 0);
  assert.is(tip(), two);
  assert.is((await push('', two))?.exitCode, 0);
  assert.is(tip(), '');
  await connection?.close();
  assert.equal(helpersOf(line), []);
});

test('DST-1 a run that is killed leaves none of them', async () => {
  const { line, repo } = await makeRig();
  const victim = join(dirname(process.argv[1] ?? ''), 'ssh-victim.js');
  const child = spawn(process.execPath, [victim, repo.path, 'ssh'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  assert.is(helpersOf(line).length, 1);
  child.kill('SIGKILL');
  await until('they have ended', () => helpersOf(line).length === 0);
});

test.run();
