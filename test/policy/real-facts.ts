import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { PathFacts } from '../../lib/domain/agent-policy.ts';

/** The facts of the real file system. */
export const realFacts: PathFacts = {
  lstat(path) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    const kind = found.isSymbolicLink()
      ? 'symlink'
      : found.isDirectory()
        ? 'directory'
        : found.isFile()
          ? 'file'
          : 'other';
    return { kind, links: found.nlink, target: kind === 'symlink' ? readlinkSync(path) : '' };
  },
  list(path) {
    try {
      return readdirSync(path, { withFileTypes: true }).map((entry: Dirent) => entry.name);
    } catch {
      return null;
    }
  },
  kindOf: () => null,
};
