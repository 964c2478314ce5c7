import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Where this process stands among control groups: one tree for everything (version 2), or one per controller. */
export interface Hierarchy {
  readonly controller: 'unified' | 'memory' | 'pids' | 'cpuacct';
  /** Where the tree is mounted. */
  readonly top: string;
  /** The group of this process, at or below top. */
  readonly own: string;
}

/** Reads them from the system; empty where there are none. */
export function readHierarchies(): Hierarchy[] {
  try {
    return parseHierarchies(
      readFileSync('/proc/self/cgroup', 'utf8'),
      readFileSync('/proc/self/mountinfo', 'utf8'),
    );
  } catch {
    return [];
  }
}

/** `memberships` is /proc/self/cgroup: `4:memory:/path` per line, `0::/path` for version 2. */
export function parseHierarchies(memberships: string, mountInfo: string): Hierarchy[] {
  const mounts = parseMounts(mountInfo);
  return memberships.split('\n').flatMap((line) => {
    const match = /^\d+:([^:]*):(\/.*)$/.exec(line);
    const [, names = '', path = ''] = match ?? [];
    if (match === null) return [];
    return (names === '' ? ['unified'] : names.split(',')).flatMap((name) => {
      const mount = mounts.find(({ controllers }) => controllers.includes(name));
      if (mount === undefined || !isKnown(name)) return [];
      return [
        { controller: name, top: mount.point, own: resolve(mount.point, `.${below(path, mount.root)}`) },
      ];
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

function isKnown(name: string): name is Hierarchy['controller'] {
  return ['unified', 'memory', 'pids', 'cpuacct'].includes(name);
}

function below(path: string, root: string): string {
  return root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;
}
