import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { PathFacts } from '../../domain/policy.ts';

/** The file system as it is at this moment; nothing is remembered between questions. */
export const realPathFacts: PathFacts = {
  lstat(path) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    const target = stat.isSymbolicLink() ? readlinkSync(path) : '';
    const kind = stat.isFile()
      ? 'file'
      : stat.isDirectory()
        ? 'directory'
        : stat.isSymbolicLink()
          ? 'symlink'
          : 'other';
    return { kind, links: stat.nlink, target };
  },
  list(path) {
    try {
      return readdirSync(path);
    } catch {
      return null;
    }
  },
};
