import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  parseControlGroupHierarchies,
  planControlGroups,
  readControlGroupHierarchies,
  removeDeadControlGroups,
} from '../../../lib/cell/limits/control-group.ts';
import { wrapCommandInLimits } from '../../../lib/cell/limits/limits.ts';
import { sumProcessTreeUsage } from '../../../lib/cell/limits/watchdog.ts';
import { buildSystemdScopeCommand, probeCellLimits } from '../../../lib/cell/probes/limits-probe.ts';
import { parseStat } from '../../../lib/cell/process-table.ts';
import type { CellControlGroup, CellLimits } from '../../../lib/cell/runner-context.ts';
import { ownIdentity, readProcessStart } from '../../../lib/util/process-identity.ts';
import { until } from '../../support/until.ts';

const limits: CellLimits = {
  cpuSeconds: 600,
  memoryMb: 2_048,
  fileSizeMb: 50,
  diskMb: 1_000,
  openFiles: 1_024,
  processes: 512,
};

test('limits of a process become units of the shell; what a group holds is left to it', () => {
  const values = (hasDataLimit: boolean, hasProcessLimit: boolean): string[] =>
    wrapCommandInLimits({ ...limits, hasDataLimit, hasProcessLimit }, ['a', 'b c']).slice(3);
  assert.equal(values(true, true), ['cell', '600', '605', '103432', '1024', '2097152', '512', 'a', 'b c']);
  assert.equal(values(false, false).slice(5, 7), ['unlimited', 'unlimited']);
});

test('control groups are found where their trees are mounted', () => {
  const mounts = [
    '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
    '35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory',
    '33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct',
    '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
  ].join('\n');
  const found = parseControlGroupHierarchies(
    '8:pids:/\n4:memory:/docker/1/a\n2:cpu,cpuacct:/x:y\n0::/u.scope\n',
    mounts,
  );
  assert.equal(
    found.map(({ controller, own }) => [controller, own]),
    [
      ['memory', '/sys/fs/cgroup/memory/a'],
      ['cpuacct', '/sys/fs/cgroup/cpu,cpuacct/x:y'],
      ['unified', '/sys/fs/cgroup/unified/u.scope'],
    ],
  );
  assert.equal(
    planControlGroups(found, 2).map(({ parents }) => parents.unified),
    ['/sys/fs/cgroup/unified/u.scope', '/sys/fs/cgroup/unified'],
  );
  assert.equal(planControlGroups(found, 1), [
    { version: 1, parents: { memory: '/sys/fs/cgroup/memory/a', cpuacct: '/sys/fs/cgroup/cpu,cpuacct/x:y' } },
  ]);
  assert.equal(planControlGroups([], 1), []);
});

test('a scope has the limits as properties, and hides the bus from the command', () => {
  const line = buildSystemdScopeCommand(limits, ['bwrap', 'x']).join(' ');
  assert.match(line, /^systemd-run (?:--user )?--scope --quiet --collect /);
  assert.match(line, /-p MemoryMax=2147483648 -p MemorySwapMax=0 -p TasksMax=512 /);
  assert.match(line, /-- env -u XDG_RUNTIME_DIR -u DBUS_SESSION_BUS_ADDRESS bwrap x$/);
});

test('a line of the process table is read whatever the program is called; zombies are nothing', () => {
  const rest = '7 1 1 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 5 0 99 1000 64 18446744073709551615 1';
  const usage = { parent: 7, threads: 5, residentPages: 64, cpuTicks: 100 };
  assert.equal(parseStat(`12 (a) R 1 (b) S ${rest}`), usage);
  assert.is(parseStat(`12 (gone) Z ${rest}`), null);
  assert.is(parseStat(''), null);
});

test('a tree is added up from its roots', () => {
  const line = (parent: number) => ({ parent, threads: 2, residentPages: 10, cpuTicks: 150 });
  const table = new Map([
    [10, line(1)],
    [11, line(10)],
    [12, line(11)],
    [13, line(1)],
    [14, line(13)],
  ]);
  assert.is(sumProcessTreeUsage(table, [10]).threads, 6);
  assert.is(sumProcessTreeUsage(table, [10]).cpuSeconds, 4.5);
  assert.is(sumProcessTreeUsage(table, [10, 11, 14, 99]).threads, 8);
  assert.is(sumProcessTreeUsage(table, []).residentBytes, 0);
});

test('SBX-1: what is said to hold was tried, and leaves nothing behind', async () => {
  const before = groupsOfTools();
  const state = await probeCellLimits({ PATH: process.env.PATH });
  assert.equal(groupsOfTools(), before);
  const group = state.openGroup({ ...limits, processes: 20 });
  if (group === null) {
    assert.match(state.missing.join('\n'), /once a second/);
    return;
  }
  const [, own] = [before, groupsOfTools().filter((name) => !before.includes(name))];
  assert.ok(own.length > 0 || state.memory === 'systemd scope');
  for (const folder of own.filter((path) => path.includes('/memory/')))
    assert.is(readFileSync(`${folder}/memory.limit_in_bytes`, 'utf8').trim(), String(2_048 * 1024 * 1024));
  assert.equal(group.usage().memoryKills, 0);
  await group.close();
  assert.equal(groupsOfTools(), before);
});

test('SBX-1: each cell has a group of its own, counted from nothing and gone with it', async () => {
  const state = await probeCellLimits({ PATH: process.env.PATH });
  const first = state.openGroup(limits);
  if (first?.name == null) return;
  assert.ok(secondsOf(first, 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done') > 0.01);
  await first.close();
  assert.equal(groupsOfTools(), []);
  const [next, other] = [state.openGroup(limits), state.openGroup(limits)];
  assert.ok((next?.usage().cpuSeconds ?? 1) < 0.01);
  assert.is(new Set([first.name, next?.name, other?.name]).size, 3);
  for (const group of [next, other]) await group?.close();
  assert.equal(groupsOfTools(), []);
});

test('SBX-1: what is still in a group ends with its cell, and the group goes', async () => {
  const state = await probeCellLimits({ PATH: process.env.PATH });
  const group = state.openGroup(limits);
  if (group?.name == null) return;
  const [program = '', ...args] = group.enter(['sleep', '300']);
  const child = spawn(program, args, { stdio: 'ignore' });
  await until('it is in the group', () => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').startsWith('sleep'));
  await Promise.all([group.close(), once(child, 'exit')]);
  assert.is(child.signalCode, 'SIGKILL');
  assert.equal(groupsOfTools(), []);
});

test('groups of processes that are gone are removed, those of another container only after long', () => {
  const parent = mkdtempSync(join(tmpdir(), 'groups-'));
  const here = /\d+/.exec(ownIdentity().namespace)?.[0] ?? '0';
  const mine = `flame-${here}-${process.pid}-${readProcessStart(process.pid)}-1`;
  const dead = `flame-${here}-${process.pid}-1-1`;
  const [neighbour, forgotten, older] = ['flame-7-1-5-1', 'flame-7-2-5-1', `flame-${process.pid}-5-1`];
  for (const name of [mine, dead, neighbour, forgotten, older, 'other']) mkdirSync(join(parent, name));
  utimesSync(join(parent, forgotten), 1, 1);
  removeDeadControlGroups({ version: 2, parents: { unified: parent } });
  assert.equal(readdirSync(parent).sort(), [mine, neighbour, older, 'other'].sort());
  rmSync(parent, { recursive: true });
});

/** What a shell line in it takes of the processor. */
function secondsOf(group: CellControlGroup, line: string): number {
  const [program = '', ...args] = group.enter(['/bin/sh', '-c', line]);
  assert.is(spawnSync(program, args).status, 0);
  return group.usage().cpuSeconds ?? 1;
}

function groupsOfTools(): string[] {
  return readControlGroupHierarchies()
    .map(({ own }) => own)
    .filter((own) => existsSync(own))
    .flatMap((own) => readdirSync(own).map((name) => `${own}/${name}`))
    .filter((path) => new RegExp(`/flame-\\d+-${process.pid}-`).test(path));
}

test.run();
