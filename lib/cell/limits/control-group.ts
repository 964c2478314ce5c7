import { existsSync, mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ownIdentity, readProcessStart } from '../../util/process-identity.ts';
import { listNamesIn, readTextOrEmpty } from '../../util/read-file.ts';
import { tryQuietly } from '../../util/remove-tree.ts';
import { sendSignalIfAlive } from '../process-table.ts';
import type { CellControlGroup, CellLimits, ControlGroupUsage } from '../runner-context.ts';

/** Where groups are made: below these groups, one for each thing that is limited. */
export interface ControlGroupPlan {
  readonly version: 1 | 2;
  readonly parents: Readonly<Partial<Record<'unified' | 'memory' | 'pids' | 'cpuacct', string>>>;
}

const megabyte = 1024 * 1024;
// Of a maker in another container nothing is known; a group is entered within moments of its making.
const strangerMs = 3_600_000;
let made = 0;

/** Groups this process may make, by where it stands; nothing is tried yet. */
export function planControlGroups(hierarchies: readonly ControlGroupHierarchy[], version: 1 | 2): ControlGroupPlan[] {
  const find = (name: ControlGroupHierarchy['controller']): ControlGroupHierarchy | undefined =>
    hierarchies.find(({ controller }) => controller === name);
  if (version === 2) {
    const unified = find('unified');
    if (unified === undefined) return [];
    // A group that holds processes has no limited ones below it, but it may have some beside it.
    const places = unified.own === unified.top ? [unified.own] : [unified.own, dirname(unified.own)];
    return places.map((place) => ({ version, parents: { unified: place } }));
  }
  const names = ['memory', 'pids', 'cpuacct'] as const;
  const parents = names.flatMap((name) => {
    const own = find(name)?.own;
    return own === undefined ? [] : [[name, own] as const];
  });
  return parents.length === 0 ? [] : [{ version, parents: Object.fromEntries(parents) }];
}

/** Makes a cell's group and sets its limits. Throws where that isn't possible; nothing is left then. */
export function makeCellControlGroup(plan: ControlGroupPlan, limits: CellLimits): CellControlGroup {
  made += 1;
  const name = `flame-${ownNamespace()}-${process.pid}-${readProcessStart(process.pid)}-${made}`;
  const folders = new Map(Object.entries(plan.parents).map(([controller, parent]) => [controller, join(parent, name)]));
  const folderOf = (controller: string): string =>
    folders.get(plan.version === 2 ? 'unified' : controller) ?? '/nonexistent';
  try {
    for (const folder of folders.values()) {
      mkdirSync(folder);
      if (!existsSync(join(folder, 'cgroup.procs'))) throw new Error(`${folder} is no control group`);
    }
    if (plan.version === 2 || folders.has('memory')) limitMemory(plan.version, folderOf('memory'), limits.memoryMb);
    if (existsSync(join(folderOf('pids'), 'pids.max')))
      writeFileSync(join(folderOf('pids'), 'pids.max'), String(limits.processes));
  } catch (error) {
    for (const folder of folders.values()) tryQuietly(() => rmdirSync(folder));
    throw error;
  }
  return {
    name,
    enter: (argv) => ['/bin/sh', '-c', enterScript, 'enter', ...folders.values(), '--', ...argv],
    env: {},
    entered: () => undefined,
    usage: () => readControlGroupUsage(plan.version, folderOf),
    close: async () => {
      await Promise.all([...folders.values()].map(removeGroup));
    },
  };
}

/**
 * Removes groups of processes whose tool was killed before it could; those of other pid namespaces, where a
 * pid means another process, only when they have been empty for long. The kernel keeps any that holds a
 * process.
 */
export function removeDeadControlGroups(plan: ControlGroupPlan): void {
  for (const parent of Object.values(plan.parents)) {
    for (const name of listNamesIn(parent).filter((name) => /^flame-\d+-/.test(name))) {
      const folder = join(parent, name);
      if (isAbandoned(name, folder)) tryQuietly(() => rmdirSync(folder));
    }
  }
}

function isAbandoned(name: string, folder: string): boolean {
  const [, namespace, pid, start] = /^flame-(\d+)-(\d+)-(\d+)-\d+$/.exec(name) ?? [];
  if (namespace === ownNamespace()) return readProcessStart(Number(pid)) !== start;
  return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > strangerMs;
}

/** The number of the namespace that pids count in; 0 where there are none. */
function ownNamespace(): string {
  return /\d+/.exec(ownIdentity().namespace)?.[0] ?? '0';
}

// A process that can't enter must not run.
const enterScript = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs" || exit 126; shift; done; shift; exec "$@"';

function limitMemory(version: 1 | 2, folder: string, megabytes: number): void {
  const bytes = String(megabytes * megabyte);
  if (!existsSync(join(folder, version === 1 ? 'memory.limit_in_bytes' : 'memory.max')))
    throw new Error(`${folder} does not limit memory`);
  if (version === 1) {
    writeFileSync(join(folder, 'memory.limit_in_bytes'), bytes);
    tryQuietly(() => writeFileSync(join(folder, 'memory.memsw.limit_in_bytes'), bytes));
    return;
  }
  writeFileSync(join(folder, 'memory.max'), bytes);
  tryQuietly(() => writeFileSync(join(folder, 'memory.swap.max'), '0'));
  tryQuietly(() => writeFileSync(join(folder, 'memory.oom.group'), '1'));
}

/** `folderOf` says where a controller's files are. */
export function readControlGroupUsage(version: 1 | 2, folderOf: (controller: string) => string): ControlGroupUsage {
  const cpu =
    version === 2
      ? numberIn(join(folderOf('cpu'), 'cpu.stat'), /^usage_usec (\d+)$/m, 1e6)
      : numberIn(join(folderOf('cpuacct'), 'cpuacct.usage'), /^(\d+)/, 1e9);
  const kills = join(folderOf('memory'), version === 2 ? 'memory.events' : 'memory.oom_control');
  return {
    cpuSeconds: cpu,
    memoryKills: numberIn(kills, /^oom_kill (\d+)$/m, 1) ?? 0,
    refusedForks: numberIn(join(folderOf('pids'), 'pids.events'), /^max (\d+)$/m, 1) ?? 0,
  };
}

function numberIn(file: string, pattern: RegExp, unit: number): number | null {
  const match = pattern.exec(readTextOrEmpty(file));
  return match === null ? null : Number(match[1]) / unit;
}

const removalAttempts = 200;

async function removeGroup(folder: string): Promise<void> {
  for (let left = removalAttempts; left > 0 && existsSync(folder); left -= 1) {
    const pids = readTextOrEmpty(join(folder, 'cgroup.procs')).split('\n').filter(Boolean);
    for (const pid of pids) sendSignalIfAlive(Number(pid), 'SIGKILL');
    // The kernel takes its time.
    await rmdir(folder).catch(() => undefined);
    if (existsSync(folder)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Where this process stands among control groups: one tree for everything (version 2), or one per controller. */
export interface ControlGroupHierarchy {
  readonly controller: 'unified' | 'memory' | 'pids' | 'cpuacct';
  /** Where the tree is mounted. */
  readonly top: string;
  /** The group of this process, at or below top. */
  readonly own: string;
}

/** Reads them from the system; empty where there are none. */
export function readControlGroupHierarchies(): ControlGroupHierarchy[] {
  return parseControlGroupHierarchies(readTextOrEmpty('/proc/self/cgroup'), readTextOrEmpty('/proc/self/mountinfo'));
}

/** `memberships` is /proc/self/cgroup: `4:memory:/path` per line, `0::/path` for version 2. */
export function parseControlGroupHierarchies(memberships: string, mountInfo: string): ControlGroupHierarchy[] {
  const mounts = parseMounts(mountInfo);
  return memberships.split('\n').flatMap((line) => {
    const match = /^\d+:([^:]*):(\/.*)$/.exec(line);
    const [, names = '', path = ''] = match ?? [];
    if (match === null) return [];
    return (names === '' ? ['unified'] : names.split(',')).flatMap((name) => {
      const mount = mounts.find(({ controllers }) => controllers.includes(name));
      if (mount === undefined || !isKnown(name)) return [];
      return [{ controller: name, top: mount.point, own: resolve(mount.point, `.${below(path, mount.root)}`) }];
    });
  });
}

interface Mount {
  /** The part of the tree that is mounted: a container may see only its own. */
  readonly root: string;
  readonly point: string;
  readonly controllers: readonly string[];
}

// `36 25 0:31 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory`
function parseMounts(mountInfo: string): Mount[] {
  return mountInfo.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = left.split(' ');
    const [type = '', , options = ''] = right.split(' ');
    if (type === 'cgroup2') return [{ root, point, controllers: ['unified'] }];
    return type === 'cgroup' ? [{ root, point, controllers: options.split(',') }] : [];
  });
}

function isKnown(name: string): name is ControlGroupHierarchy['controller'] {
  return ['unified', 'memory', 'pids', 'cpuacct'].includes(name);
}

function below(path: string, root: string): string {
  return root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;
}
