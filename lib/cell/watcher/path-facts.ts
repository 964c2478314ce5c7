import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import type { PathFacts } from '../../domain/policy.ts';
import { isMissing } from '../../util/read-file.ts';
import { type AskedRepository, type AskingTime, findGitFolders, openGitFacts } from './git-facts.ts';

/** The facts about a worktree that is an agent's, or a person's. Throws nothing: what isn't there is not known. */
export function openPathFacts(
  { workTree, env, quarantine = null, commonDir }: FactsPlace,
  time?: AskingTime,
): PathFacts {
  const folders = findGitFolders(workTree);
  if (folders === null) return realPathFacts;
  const asked = { ...folders, workTree, env, quarantine, ...(commonDir === undefined ? {} : { commonDir }) };
  return { ...realPathFacts, git: openGitFacts(asked, time) };
}

interface FactsPlace extends Pick<AskedRepository, 'env' | 'workTree'> {
  readonly quarantine?: AskedRepository['quarantine'];
  /** The repository's, where the worktree's own git names another folder. */
  readonly commonDir?: string;
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
  git: () => null,
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
