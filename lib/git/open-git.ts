import {
  type CheckedWorkLimits,
  checkedWorkLimits,
  type GitLimits,
  gitLimits,
} from '../domain/config/checked-work-limits.ts';
import { type ObjectId, parseObjectId, parseRefName } from '../domain/ids.ts';
import type { SymlinkAndSubmodulePaths } from '../domain/ports/git-contents.ts';
import type { GitPort, RefInfo, Repository } from '../domain/ports/git-port.ts';
import { killPoint } from '../util/kill-point.ts';
import type { KillPointObserver } from './cells/import-objects.ts';
import { readChangedPaths, tryMerge } from './cells/trial-merge.ts';
import { listSymlinksAndSubmodules } from './objects/commit-files.ts';
import { type GitAccess, gitInPersonWorkTree, gitOnObjects } from './objects/git-access.ts';
import { repackLoose } from './objects/loose-object.ts';
import { openGitCellsPort } from './open-cells.ts';
import {
  openGitCommitsPort,
  openGitDiffsPort,
  openGitFilesPort,
  openGitMergingPort,
  readerOfVerifiedObjects,
} from './open-objects.ts';
import { openGitWorktreesPort } from './open-worktrees.ts';
import { CatFile } from './process/cat-file.ts';
import { discoverRepository } from './process/discover-repository.ts';
import { type GitIdentities, openGitIdentities } from './process/git-identity.ts';
import {
  buildInertDriverVariables,
  type GitConfigReader,
  readRepositorySettings,
  renderGitConfigForCell,
} from './process/git-settings.ts';
import { type GitContext, runGitForLines } from './process/run-git.ts';
import { readRestingTipOfWorktree } from './worktrees/branch-uses.ts';

export interface OpenOptions {
  /** Where it is found already. */
  readonly repository?: Repository;
  /** Who commits, if that was asked before; else git is. */
  readonly idents?: GitIdentities;
  /** Reads the repository, where it is open already: it stays open. */
  readonly catFile?: CatFile;
  /** Limits of an agent's work; tests lower them. */
  readonly bounds?: Partial<CheckedWorkLimits>;
  readonly limits?: Partial<GitLimits>;
  /** Aborts when the person stops the program, and when they do so again. */
  readonly signal?: AbortSignal | undefined;
  readonly hurry?: AbortSignal | undefined;
}

/** Milliseconds that reading an agent's work may continue after the person stopped the program: most is done before. */
const stopMs = 3_000;

/** Opens the repository a command runs in. Throws the FlameErrors of discoverRepository. */
export async function openGit(
  context: GitContext,
  onStep: KillPointObserver = killPoint,
  options: OpenOptions = {},
): Promise<GitPort> {
  const repository = options.repository ?? (await discoverRepository(context));
  const readSettings = (): Promise<GitConfigReader> => readRepositorySettings(context.env, repository.commonDir);
  let drivers: Promise<Readonly<Record<string, string>>> | undefined;
  const detours = new Map<ObjectId, Promise<SymlinkAndSubmodulePaths>>();
  const person = gitInPersonWorkTree({ context, repository });
  const idents = options.idents ?? openGitIdentities(person);
  const objects = options.catFile ?? new CatFile(context, repository.commonDir);
  const access: GitAccess = {
    context: { cwd: context.cwd, env: context.env },
    repository,
    objects,
    idents,
    linkedPaths: (commit) => {
      const known = detours.get(commit) ?? listSymlinksAndSubmodules(gitOnObjects(access), commit);
      detours.set(commit, known);
      // An object that could not be read may come later, from another machine.
      known.catch(() => detours.delete(commit));
      return known;
    },
    quietConfig: async () => renderGitConfigForCell(await readSettings()),
    inertDrivers: () => (drivers ??= readSettings().then(buildInertDriverVariables)),
    bounds: { ...checkedWorkLimits, ...options.bounds },
    measured: new Set(),
    guard: {
      limits: { ...gitLimits, ...options.limits },
      stopped: delayAbort(options, stopMs),
    },
  };
  const reading = readerOfVerifiedObjects(access);
  return {
    ...openGitCommitsPort(access, reading),
    ...openGitMergingPort(access),
    tryMerge: (one, other, signal) => tryMerge(access, [one, other], signal),
    pathsChanged: (from, to, options) => readChangedPaths(access, { from, to }, options),
    restingTip: (workTree, branch) => readRestingTipOfWorktree(access, workTree, branch),
    ...openGitDiffsPort(access, reading),
    ...openGitFilesPort(access, reading),
    ...openGitWorktreesPort(access),
    ...openGitCellsPort(access, onStep),
    repository,
    identity: async () => (await idents.author()).name,
    listRefs: (prefix) => listRefs(gitOnObjects(access), ['--', prefix]),
    refsHolding: (commit, prefix) => listRefs(gitOnObjects(access), [`--contains=${commit}`, '--', prefix]),
    refNames: (places) =>
      runGitForLines(gitOnObjects(access), ['for-each-ref', '--format=%(refname)', '--', ...places]),
    packManyLooseObjects: () => repackLoose(gitOnObjects(access), repository.commonDir),
    close: async () => (objects === options.catFile ? undefined : objects.close()),
  };
}

/** Sorted by name; those that name no commit are left out. */
async function listRefs(context: GitContext, which: readonly string[]): Promise<readonly RefInfo[]> {
  const format = '%(objecttype) %(objectname) %(refname)';
  const lines = await runGitForLines(context, ['for-each-ref', `--format=${format}`, ...which]);
  return lines.flatMap((line) => {
    const [type, commit = '', ref = ''] = line.split(' ');
    return type === 'commit' ? [{ ref: parseRefName(ref), commit: parseObjectId(commit) }] : [];
  });
}

/**
 * Aborts `ms` milliseconds after `signal` did, at once with `hurry`: what is almost done when a person stops the program
 * comes to its end. Its timer keeps no process running.
 */
export function delayAbort(
  { signal, hurry }: { readonly signal?: AbortSignal | undefined; readonly hurry?: AbortSignal | undefined },
  ms: number,
): AbortSignal {
  const late = new AbortController();
  const abort = (): void => late.abort();
  const onStop = (): void => void setTimeout(abort, ms).unref();
  if (signal?.aborted) onStop();
  else signal?.addEventListener('abort', onStop, { once: true });
  if (hurry?.aborted) abort();
  else hurry?.addEventListener('abort', abort, { once: true });
  return late.signal;
}
