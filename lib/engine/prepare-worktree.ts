import { randomUUID } from 'node:crypto';
import type { AgentPolicy } from '../domain/agent-policy.ts';
import { listMaskedPaths } from '../domain/config/hidden-paths.ts';
import type { Failure } from '../domain/failure.ts';
import type { ObjectId } from '../domain/ids.ts';
import { findRegistryOfCommand } from '../domain/install-commands.ts';
import type { CellWorktree } from '../domain/ports/git-cells.ts';
import type { GitDiffs, GitFiles } from '../domain/ports/git-contents.ts';
import { renderFileName } from '../util/file-names.ts';
import { globMatchesPath, hasWildcard } from '../util/path-globs.ts';
import { expandLockBraces } from '../util/path-patterns.ts';
import { type RunContext, type WithGit, warnOnce } from './run-context.ts';

const setupTimeoutMs = 600_000;
const teardownTimeoutMs = 60_000;

/** Parts of a workshop that preparing a worktree needs. */
export type PrepareWorktreePorts = Pick<
  RunContext,
  'config' | 'git' | 'agents' | 'machine' | 'events' | 'root' | 'run'
> & { readonly signal?: AbortSignal };

/**
 * Brings what a bare worktree lacks: copied and linked files, then the setup commands, each in a cell and reported as a
 * check `setup of <about>`. `basedOn`: see AgentRunner.runCommandInCell. The untracked paths this makes belong to no task's
 * work (GitCells.listPreparedPaths).
 */
export async function prepareWorktree(
  context: PrepareWorktreePorts,
  cell: CellWorktree,
  { about, basedOn }: { readonly about: string; readonly basedOn?: ObjectId },
): Promise<{ readonly failure: Failure | null }> {
  const { setup } = context.config.project;
  await warnOfSubmodules(context, cell);
  const { copy, link, files } = await filesToCopy(context);
  if (copy.length + link.length + files.length + setup.length === 0) return { failure: null };
  const missing = await copyFilesIntoWorktree(context, cell.path, listMaskedPaths(context.config.permissions));
  for (const glob of missing)
    warnOnce(context, `Nothing in ${context.root} matches ${JSON.stringify(glob)} of project.copy and project.link.`);
  for (const command of setup) {
    const named = { command, commit: cell.start, about: `setup of ${about}` };
    const run = await runReportedCheck(context.events, named, () =>
      context.agents.runCommand({
        command,
        phase: 'setup',
        basedOn,
        worktree: cell,
        timeoutMs: setupTimeoutMs,
        label: 'setup',
        about: { session: null, words: named.about },
        ...(context.signal === undefined ? {} : { signal: context.signal }),
      }),
    );
    if (run.exitCode !== 0)
      return {
        failure: setupFailure(context, {
          command,
          list: basedOn === undefined ? 'setup' : 'diagnostics',
          ...run,
        }),
      };
  }
  // Contents of submodules by now belong to no task's work.
  await context.git.recordPreparedPaths(cell, []);
  const left = await context.git.cellLeftovers(cell);
  await putBack(
    context,
    cell,
    left.flatMap(({ path, isTracked }) => (isTracked ? path : [])),
  );
  const paths = left.filter(({ isTracked }) => !isTracked).map(({ path }) => path);
  await context.git.recordPreparedPaths(cell, paths, [...copy, ...link, ...files]);
  return { failure: null };
}

/**
 * Runs the commands that undo what the setup did elsewhere, each in a cell, before a worktree goes: on what an agent
 * wrote, so that what they may reach is what diagnostics may. One that fails is said, and keeps nothing from going on.
 */
export async function runTeardownCommands(
  context: PrepareWorktreePorts,
  cell: CellWorktree,
  about: string,
): Promise<void> {
  const isOver = (): boolean => context.signal?.aborted === true;
  for (const command of context.config.project.teardown) {
    if (isOver()) return;
    const named = { command, commit: cell.start, about: `teardown of ${about}` };
    const { exitCode } = await runReportedCheck(context.events, named, () =>
      context.agents.runCommand({
        command,
        phase: 'diagnostics',
        worktree: cell,
        timeoutMs: teardownTimeoutMs,
        label: 'teardown',
        ...(context.signal === undefined ? {} : { signal: context.signal }),
      }),
    );
    if (exitCode === 0 || isOver()) continue;
    const ended = exitCode === null ? 'was killed' : `ended with ${exitCode}`;
    warnOnce(
      context,
      `The teardown command ${JSON.stringify(command)} ${ended}: what it should undo may still be there.`,
    );
  }
}

/** The untracked files of the person's work tree that each worktree gets: as configured, and by `.worktreeinclude`. */
async function filesToCopy({ config, git, root }: Pick<RunContext, 'config' | 'root'> & WithGit<GitFiles>): Promise<{
  readonly copy: readonly string[];
  readonly link: readonly string[];
  readonly files: readonly string[];
}> {
  const { copy, link } = config.project;
  return { copy, link, files: await git.listWorktreeIncludeFiles(root) };
}

/** Copies and links them into a worktree, `hidden`: but for these. Returns the globs that nothing matches. */
export async function copyFilesIntoWorktree(
  context: Pick<RunContext, 'config' | 'machine' | 'root'> & WithGit<GitFiles>,
  worktree: string,
  hidden: readonly string[] = [],
): Promise<readonly string[]> {
  return context.machine.prepareFiles({
    from: context.root,
    to: worktree,
    hidden,
    ...(await filesToCopy(context)),
  });
}

/** Lists what a worktree was prepared with, each with its origin: the rules of an agent name it. */
export async function listPreparedPathsWithOrigin(
  { git, config, root }: Pick<RunContext, 'git' | 'config' | 'root'>,
  cell: CellWorktree,
): Promise<NonNullable<AgentPolicy['prepared']>> {
  const paths = await git.listPreparedPaths(cell);
  if (paths.length === 0) return [];
  const { copy, link, files } = await filesToCopy({ git, config, root });
  const isOf = (globs: readonly string[], path: string): boolean =>
    globs.some((glob) => globMatchesPath(glob, path) || globMatchesPath(`${glob}/**`, path));
  return paths.map((path) => {
    const name = path.replace(/\/$/, '');
    if (isOf(link, name)) return { path, by: 'project.link' };
    if (isOf(copy, name)) return { path, by: 'project.copy' };
    const isIncluded = files.some((file) => file === name || file.startsWith(`${name}/`));
    return { path, by: isIncluded ? '.worktreeinclude' : 'project.setup' };
  });
}

/** Reports that a command starts, and that it has ended, also when it fails. */
export async function runReportedCheck<Run extends { readonly exitCode: number | null }>(
  events: PrepareWorktreePorts['events'],
  check: { readonly command: string; readonly commit: ObjectId; readonly about: string | null },
  run: () => Promise<Run>,
): Promise<Run> {
  const named = { event: 'check', id: randomUUID().slice(0, 8), ...check } as const;
  let exitCode: number | null = null;
  events.emit({ ...named, exit_code: null, state: 'started' });
  try {
    const ended = await run();
    exitCode = ended.exitCode;
    return ended;
  } finally {
    events.emit({ ...named, exit_code: exitCode, state: 'ended' });
  }
}

/** Takes back changes of the setup to tracked files: they are no agent's, and not part of the task. */
async function putBack(context: PrepareWorktreePorts, cell: CellWorktree, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await context.git.restoreTracked(cell, paths);
  const names = paths.slice(0, 10).map(renderFileName).join(', ');
  const message = `project.setup changed tracked files. They were restored before the agent started: ${names}.`;
  warnOnce(context, message, {
    details: ['Use a command that does not change them (npm ci instead of npm install), or commit the changes.'],
  });
}

/** A worktree has the place of a submodule, not what is in it. */
async function warnOfSubmodules(context: PrepareWorktreePorts, { start }: CellWorktree): Promise<void> {
  const { copy, link } = context.config.project;
  const empty = (await context.git.submodules(start)).filter(
    (path) => ![...copy, ...link].some((glob) => globMatchesPath(glob, path)),
  );
  if (empty.length === 0) return;
  const names = empty.slice(0, 10).map(renderFileName).join(', ');
  const message = `Submodules are empty in agents' worktrees, and no task may change them: ${names}.`;
  const list = empty.map((path) => JSON.stringify(renderFileName(path))).join(', ');
  warnOnce(context, message, {
    details: [`To let agents read their files, in .blueflame.yml: project: { copy: [${list}] }`],
  });
}

// Messages of npm, pip, cargo, go, git and curl for a name that can't be resolved.
const noNetwork =
  /EAI_AGAIN|ENOTFOUND|could not resolve|couldn't resolve|name resolution|name or service not known|network is unreachable|dial tcp/i;

function setupFailure(
  { config }: Pick<RunContext, 'config'>,
  {
    command,
    list,
    exitCode,
    output,
  }: {
    readonly command: string;
    /** Of sandbox.egress: what it could reach. */
    readonly list: 'setup' | 'diagnostics';
    readonly exitCode: number | null;
    readonly output: string;
  },
): Failure {
  const ended = exitCode === null ? 'was killed' : `ended with ${exitCode}`;
  const isClosed = config.sandbox.egress[list].length === 0 && noNetwork.test(output);
  const whose = list === 'setup' ? 'it' : 'the diagnostics, and the setup of what agents wrote,';
  const preset = findRegistryOfCommand(command);
  const reached =
    preset === null
      ? `{ ${list}: [HOST] } }, or npm, pypi, crates, go or from-config instead of HOST`
      : `{ ${list}: [${preset}] } }, or from-config for the registry in your own settings`;
  const way = `To let ${whose} reach one, in .blueflame.yml: sandbox: { egress: ${reached}.`;
  const closed = isClosed ? ` It tried to reach a host, but cells have no network. ${way}` : '';
  const message = `The setup command ${JSON.stringify(command)} ${ended}.${closed}`;
  const details = output.trim() === '' ? [] : output.split('\n').slice(-20);
  return { kind: 'setup-failed', message, details, retryable: false };
}

type Sparse = Pick<RunContext, 'config' | 'root'> & WithGit<GitFiles>;

/**
 * Patterns of .gitignore's form for the files of a commit in a worktree: those the person's own checkout is limited to,
 * or `project.sparse`, and those these locks need. null: all files.
 */
export async function listSparsePatternsForLocks(
  { config, root, git }: Sparse,
  locks: readonly string[],
): Promise<readonly string[] | null> {
  const { sparse } = config.project;
  const own = sparse === null ? await git.sparsePatterns(root) : ['/*', '!/*/', ...sparse.map(patternOf)];
  return own === null ? null : [...own, ...locks.flatMap(expandLockBraces).map(patternOf)];
}

/** Patterns for a commit that is looked at, with its changes since `base`; null there: no agent's changes. */
export async function listSparsePatternsOfWork(
  context: Sparse & WithGit<GitDiffs>,
  base: ObjectId | null,
  commit: ObjectId,
): Promise<readonly string[] | null> {
  const patterns = await listSparsePatternsForLocks(context, []);
  if (patterns === null || base === null || base === commit) return patterns;
  const changes = await context.git.treeChanges(base, commit);
  return [...patterns, ...changes.map(({ path }) => literal(path))];
}

function patternOf(lock: string): string {
  return hasWildcard(lock) ? `/${lock}` : literal(lock);
}

function literal(path: string): string {
  return `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
}
