import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import type { PathFacts } from '../../domain/policy.ts';
import { isMissing } from '../../util/read-file.ts';
import { type AskedRepository, findGitFolder, openGitFacts } from './git-facts.ts';

/** The facts about a worktree that is an agent's, or a person's. Throws nothing: what isn't there is not known. */
export function openPathFacts({ workTree, env, quarantine = null }: FactsPlace, ms?: number): PathFacts {
  const gitDir = findGitFolder(workTree);
  if (gitDir === null) return realPathFacts;
  return { ...realPathFacts, kindOf: openGitFacts({ gitDir, workTree, env, quarantine }, ms) };
}

interface FactsPlace extends Pick<AskedRepository, 'env' | 'workTree'> {
  readonly quarantine?: AskedRepository['quarantine'];
}

/** The file system as it is at this moment; nothing is remembered between questions, and git is not asked. */
export const realPathFacts: PathFacts = {
  lstat(path) {
    const stat = statOf(path);
    if (stat === null) return null;
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
  kindOf: () => null,
};

/** null: nothing is there. Below a file there is nothing either, nor by a name that no file can have. */
function statOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG'))
      return null;
    throw error;
  }
}
