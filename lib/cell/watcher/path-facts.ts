import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import type { PathFacts } from '../../domain/agent-policy.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { quarantineVariables } from '../../git/objects/git-access.ts';
import { resolveDotGitOfFolder } from '../../git/process/discover-repository.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { runGitBlocking } from '../../git/process/run-git-blocking.ts';
import { isMissingFileError } from '../../util/read-file.ts';

/** The facts about a worktree that is an agent's, or a person's. Throws nothing: what isn't there is not known. */
export function openPathFacts({ workTree, env, quarantine = null }: FactsPlace, ms?: number): PathFacts {
  const gitDir = resolveDotGitOfFolder(workTree);
  if (gitDir === null) return uncachedPathFacts;
  return { ...uncachedPathFacts, kindOf: openGitFacts({ gitDir, workTree, env, quarantine }, ms) };
}

interface FactsPlace extends Pick<AgentRepository, 'env' | 'workTree'> {
  readonly quarantine?: AgentRepository['quarantine'];
}

/** The file system as it is at this moment; nothing is remembered between questions, and git is not asked. */
export const uncachedPathFacts: PathFacts = {
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
    if (isMissingFileError(error) || (error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG'))
      return null;
    throw error;
  }
}

/** Where an agent's git works, for the questions of its judge. */
interface AgentRepository {
  readonly env: GitContext['env'];
  readonly workTree: string;
  readonly gitDir: string;
  readonly quarantine: Pick<Quarantine, 'objectDir' | 'alternates'> | null;
}

// The judge answers no other call meanwhile.
const askingMs = 700;
const guard = { limits: { wallMs: 0, cpuSeconds: 10, memoryMb: 1_024 } };
// Nothing is fetched, and nothing asks.
const still = {
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_SSH_COMMAND: 'false',
  GIT_ATTR_NOSYSTEM: '1',
};

/** Answers what an object is, in a short time, as the agent's own git would: objects it has made are included. */
function openGitFacts({ env, workTree, gitDir, quarantine }: AgentRepository, ms = askingMs): PathFacts['kindOf'] {
  const own = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    ...(quarantine === null ? {} : quarantineVariables(quarantine)),
  };
  return (name, cwd) => {
    const context = { cwd, env, variables: { ...own, ...still }, guard };
    const args = ['cat-file', '--batch-check=%(objecttype)'];
    const answer = runGitBlocking(context, args, { input: `${name}\n`, ms, bytes: 10_000 })?.toString() ?? '';
    return /(?:^| )(blob|tree|commit|tag|missing|ambiguous)\n/.exec(answer)?.[1] ?? null;
  };
}
