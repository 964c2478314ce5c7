import { join } from 'node:path';
import type { CheckedWorkLimits } from '../../domain/config/checked-work-limits.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import type { SymlinkAndSubmodulePaths } from '../../domain/ports/git-contents.ts';
import type { Repository } from '../../domain/ports/git-port.ts';
import type { CatFile } from '../process/cat-file.ts';
import type { GitIdentities } from '../process/git-identity.ts';
import type { GitRunLimits } from '../process/limit-git-runs.ts';
import type { GitContext } from '../process/run-git.ts';

/** The context of every git operation: where the person stands, and the repository found there. */
export interface GitAccess {
  readonly context: GitContext;
  readonly repository: Repository;
  /** The repository's objects and refs. */
  readonly objects: CatFile;
  /** The person who commits, as git knows them. */
  readonly idents: GitIdentities;
  /** See listSymlinksAndSubmodules; asked once of each commit. */
  readonly linkedPaths: (commit: ObjectId) => Promise<SymlinkAndSubmodulePaths>;
  /** Variables that keep configured filters and merge drivers from running; see inert-drivers.ts. */
  readonly inertDrivers: () => Promise<Readonly<Record<string, string>>>;
  /** See renderGitConfigForCell. */
  readonly quietConfig: () => Promise<string>;
  /** How much of an agent's work is looked at, and what holds a git that does. */
  readonly bounds: CheckedWorkLimits;
  readonly guard: GitRunLimits;
  /** Commits of cells that were found to be no more than that. */
  readonly measured: Set<string>;
}

type Place = Pick<GitAccess, 'context' | 'repository'>;

/** git in a work tree; the person's current one may be known through --git-dir alone. */
export function gitInWorkTree({ context, repository }: Place, workTree: string): GitContext {
  if (workTree !== repository.workTree) return { cwd: workTree, env: context.env };
  return {
    cwd: workTree,
    env: context.env,
    variables: { GIT_DIR: repository.gitDir, GIT_WORK_TREE: workTree },
  };
}

/**
 * git on objects alone: no index, no work tree, no replaced objects and no attributes of any checked-out
 * file. It runs in refs/, where no file can be called .gitattributes.
 */
export function gitOnObjects({ context, repository }: Place): GitContext {
  return {
    cwd: join(repository.commonDir, 'refs'),
    env: context.env,
    variables: {
      GIT_DIR: repository.commonDir,
      // Attributes would be read from the main work tree's index too.
      GIT_INDEX_FILE: join(repository.commonDir, 'refs', '.no-index'),
      GIT_ATTR_NOSYSTEM: '1',
      GIT_ATTR_SOURCE: emptyTrees[repository.objectFormat],
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_LITERAL_PATHSPECS: '1',
    },
  };
}

/** git in the work tree the command was started in, or on objects alone where there is none. */
export function gitInPersonWorkTree(access: Place): GitContext {
  const { workTree } = access.repository;
  return workTree === null ? gitOnObjects(access) : gitInWorkTree(access, workTree);
}

/** Returns a context with more variables. */
export function withVariables(context: GitContext, variables: Readonly<Record<string, string>>): GitContext {
  return { ...context, variables: { ...context.variables, ...variables } };
}

/** Variables of a git that writes into a quarantine and reads the repository behind it. */
export function quarantineVariables(
  quarantine: Pick<Quarantine, 'objectDir' | 'alternates'>,
): Readonly<Record<string, string>> {
  return {
    GIT_OBJECT_DIRECTORY: quarantine.objectDir,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: joinAlternates(quarantine.alternates),
  };
}

/** A value for GIT_ALTERNATE_OBJECT_DIRECTORIES: git would split a path at a colon, so odd ones are C-quoted. */
function joinAlternates(paths: readonly string[]): string {
  return paths.map((path) => (/^"|[:\n]/.test(path) ? quotePath(path) : path)).join(':');
}

function quotePath(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

export const emptyTrees = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
} as const;
