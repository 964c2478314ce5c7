import { type Config, landingBranchName } from '../../domain/config/config-schema.ts';
import { chooseAdapterAndModel, findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import { noDiskSpaceError, refInTheWayError } from '../../domain/disk-errors.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { noBaseBranchError } from '../../domain/input-errors.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { FilteredPath, GitFiles } from '../../domain/ports/git-contents.ts';
import type { BranchUse, GitRefs, GitWorktrees, HeadState } from '../../domain/ports/git-port.ts';
import type { Role } from '../../domain/role.ts';
import { renderFileName } from '../../util/file-names.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { requirePrices, requireSandbox } from '../agents/require-usable-adapters.ts';
import {
  dirtyTreeError,
  listStashOrCommitCommands,
  unfinishedOperationError,
  warnIfBranchInOperation,
} from '../base-in-use.ts';
import { agentWorktreePath, type RunContext, type WithGit, warn } from '../run-context.ts';

/** Free disk wanted per agent, on top of the size of a checkout, which is not known in advance. */
const diskPerAgentMb = 200;

export interface BaseBranch {
  readonly branch: string;
  readonly commit: ObjectId;
}

/** Everything that would make a run fail later, checked before anything is started. Throws a FlameError naming the way out. */
export async function requireRunCanStart(context: RunContext, roles: readonly Role[]): Promise<BaseBranch> {
  const head = await context.git.head(context.root);
  const base = await baseOf(context, head);
  const uses = await context.git.branchUses(base.branch);
  await requireCleanTree(context, base, uses);
  await warnOfDetached(context, base, head);
  const [blocking] = await listRefsInTheWayErrors(context, context.config);
  if (blocking !== undefined) throw blocking;
  if (context.config.project.landing === 'base') warnIfBranchInOperation(context, base.branch, uses);
  await warnOfFilters(context, base.commit);
  await requireOwnSubmodules(context, base.commit);
  await requireAdapters(context, roles);
  for (const role of roles) requirePrices(context, role, [chooseAdapterAndModel(context.config, role, null)]);
  const { concurrency } = context.config;
  await requireRoomForWorktrees(context, {
    count: Math.max(concurrency.development, concurrency.validation),
    hint: 'Free some disk, or lower concurrency.development in .blueflame.yml',
  });
  return base;
}

/** The branch a session is built on: the configured one, else the one that is checked out. */
export async function findBaseBranch(
  context: Pick<RunContext, 'config' | 'root'> & WithGit<GitCommits & GitWorktrees>,
): Promise<BaseBranch> {
  return baseOf(context, await context.git.head(context.root));
}

async function baseOf(context: Pick<RunContext, 'config'> & WithGit<GitCommits>, head: HeadState): Promise<BaseBranch> {
  const branch = context.config.project.base_branch ?? head.branch;
  if (branch === null) {
    throw new FlameError({
      kind: 'environment',
      code: 'detached-head',
      message: 'HEAD is detached and the configuration names no base branch, so agents have no branch to start from.',
      hints: ['git switch <branch>', 'Or set it in .blueflame.yml: project: { base_branch: <branch> }'],
    });
  }
  const commit = await context.git.resolveCommit(`refs/heads/${branch}`);
  if (commit !== null) return { branch, commit };
  if (head.commit === null) {
    throw new FlameError({
      kind: 'environment',
      code: 'unborn-head',
      message: `Branch ${branch} has no commit yet, and agents need one to start from.`,
      hints: ['git commit --allow-empty -m "initial commit"'],
    });
  }
  throw noBaseBranchError(branch, [
    `git branch ${shellQuote(branch)}`,
    `Or name another in .blueflame.yml: project: { base_branch: ${head.branch ?? 'BRANCH'} }`,
  ]);
}

/** Only where the base branch is checked out: elsewhere neither agents nor a landing come upon the changes. */
async function requireCleanTree(
  context: WithGit<GitWorktrees>,
  { branch }: BaseBranch,
  uses: readonly BranchUse[],
): Promise<void> {
  for (const { path, isThere, operation } of uses) {
    const dirty = isThere ? await context.git.changedTracked(path) : [];
    if (dirty.length === 0) continue;
    if (operation !== null)
      throw unfinishedOperationError({ path, operation }, branch, {
        so: 'and agents would not see what it changed',
        again: 'git flame run',
      });
    const isOnlyConfig = dirty.every((name) => name === '.blueflame.yml');
    throw dirtyTreeError(
      isOnlyConfig
        ? `.blueflame.yml in ${path} has uncommitted changes, and nothing can land until you commit or stash them.`
        : `The work tree ${path} has local changes. Agents would not see them, and a landing could overwrite them.`,
      dirty,
      isOnlyConfig
        ? [`git -C ${shellQuote(path)} commit -m 'configure git flame' .blueflame.yml`]
        : listStashOrCommitCommands(path),
    );
  }
}

/** Warns of commits on a detached HEAD, which agents don't start from. */
async function warnOfDetached(
  { events, git, root }: Pick<RunContext, 'events' | 'root'> & WithGit<GitCommits>,
  base: BaseBranch,
  { branch, commit }: HeadState,
): Promise<void> {
  if (branch !== null || commit === null || (await git.isAncestor(commit, base.commit))) return;
  const message = `HEAD of ${root} is detached at ${shortId(commit)}, which is not in ${base.branch}. Agents start from ${base.branch}, without that commit, and land there.`;
  warn({ events }, message);
}

/** Tasks about such files are refused one by one; the author of the plan should know. */
async function warnOfFilters(
  { git, events }: Pick<RunContext, 'events'> & WithGit<GitFiles>,
  commit: ObjectId,
): Promise<void> {
  const filtered = await git.filteredPaths(commit);
  if (filtered.length === 0) return;
  warn({ events }, describeFilteredPaths(filtered));
}

/** The warning for a repository with git-lfs or git-crypt. */
export function describeFilteredPaths(filtered: readonly FilteredPath[]): string {
  const names = [...new Set(filtered.map(({ filter }) => filter))].join(', ');
  const count = `${filtered.length} ${filtered.length === 1 ? 'file goes' : 'files go'}`;
  return `${count} through a filter (${names}), such as ${renderFileName(filtered[0]?.path ?? '')}. No filter runs on what agents write, so tasks about such files are refused.`;
}

/** A setup that has git fetch submodules would fail in each worktree: a cell can't write the repository's own files. */
async function requireOwnSubmodules(
  { git, config }: Pick<RunContext, 'config'> & WithGit<GitFiles>,
  commit: ObjectId,
): Promise<void> {
  const command = config.project.setup.find((line) => /\bgit\b.*\bsubmodule\b.*\b(?:update|init|sync)\b/.test(line));
  if (command === undefined) return;
  const paths = await git.submodules(commit);
  if (paths.length === 0) return;
  const list = paths.map((path) => JSON.stringify(renderFileName(path))).join(', ');
  throw refusedError(
    'setup-submodules',
    `The setup command ${JSON.stringify(command)} can't run in a cell: it would write git's files of the repository.`,
    ['git submodule update --init', `And instead of that command, in .blueflame.yml: project: { copy: [${list}] }`],
  );
}

async function requireAdapters(context: RunContext, roles: readonly Role[]): Promise<void> {
  const names = new Set(roles.map((role) => findRoleAdapter(context.config, role)).filter((name) => name !== 'none'));
  for (const name of names) {
    await context.agents.checkAdapter(name);
    await requireSandbox(context, name);
  }
}

/** Throws FlameErrors `worktrees-not-writable` and `disk-full` where so many worktrees at once can't be made. */
export async function requireRoomForWorktrees(
  context: Pick<RunContext, 'config' | 'machine' | 'root'>,
  { count, hint }: { readonly count: number; readonly hint: string },
): Promise<void> {
  const folder = agentWorktreePath(context);
  if (!(await context.machine.canWrite(folder))) {
    throw new FlameError({
      kind: 'environment',
      code: 'worktrees-not-writable',
      message: `The worktree folder ${folder} can't be written.`,
      hints: ['Set another in .blueflame.yml: project: { worktree_dir: <folder> }'],
    });
  }
  const wanted = count * diskPerAgentMb;
  const free = await context.machine.freeDiskMb(folder);
  if (free >= wanted) return;
  const what = count === 1 ? 'a worktree needs' : `${count} agents need`;
  throw noDiskSpaceError(`${Math.round(free)} MB of disk are free, but ${what} ${wanted} MB.`, hint);
}

/** Roots to search: the places of this program, and all refs of such a name. */
const roots = ['refs/blueflame', 'refs/heads/blueflame', 'refs/blueflame-remotes', 'refs/blueflame-backup'];
// The refs of REFS.md: folders where nothing may have the name alone, and refs that nothing may lie below.
const folders = new RegExp(
  `^(?:${roots.join('|')}|refs/blueflame/(?:archive|archive/(?:kept|commits)|kept|commits|machines)|refs/blueflame/(?:rescue|changesets)(?:/ses-[^/]+)?|refs/heads/blueflame/ses-[^/]+)$`,
);
const leaves =
  /^(refs\/blueflame\/(?:archive\/)?(?:sessions|tasks|validations|reviews|blackboard|memory|signatures|shown)|refs\/heads\/blueflame\/ses-[^/]+\/[^/]+)\/./;

/** The refs of the person beside which git can't make those of a session, each as the refusal that names the way out. */
export async function listRefsInTheWayErrors(
  { git }: WithGit<Pick<GitRefs, 'refNames'>>,
  config: Config,
): Promise<readonly FlameError[]> {
  const landing = landingPlaces(config);
  const names = await git.refNames([...roots, ...landing.folders, ...(landing.leaf === null ? [] : [landing.leaf])]);
  const all = new Set(names);
  return names.flatMap((ref) => {
    const below = leaves.exec(ref)?.[1] ?? null;
    const isLanding = landing.folders.includes(ref) || (landing.leaf !== null && ref.startsWith(`${landing.leaf}/`));
    if (!folders.test(ref) && below === null && !isLanding) return [];
    const wanted = below ?? (landing.folders.includes(ref) || folders.test(ref) ? `${ref}/…` : `${landing.leaf}`);
    return refInTheWayError(ref, wanted, {
      free: freeName(ref, all),
      further: isLanding ? ['Or set project.landing_branch in .blueflame.yml'] : [],
    });
  });
}

/** Places of the branch for a pull request: the folders above it and, where it is known before the session, itself. */
function landingPlaces(config: Config): {
  readonly folders: readonly string[];
  readonly leaf: string | null;
} {
  if (config.project.landing !== 'branch') return { folders: [], leaf: null };
  const parts = landingBranchName(config, '{session}').split('/');
  const open = parts.findIndex((part) => part.includes('{session}'));
  const plain = parts.slice(0, open === -1 ? parts.length : open);
  const places = plain.map((_, at) => `refs/heads/${plain.slice(0, at + 1).join('/')}`);
  return open === -1 ? { folders: places.slice(0, -1), leaf: places.at(-1) ?? null } : { folders: places, leaf: null };
}

function freeName(ref: string, taken: ReadonlySet<string>): string {
  const name = `${ref.replace(/^refs\/heads\//, '').replaceAll('/', '-')}-old`;
  for (let count = 1; ; count += 1) {
    const tried = count === 1 ? name : `${name}-${count}`;
    if (!taken.has(`refs/heads/${tried}`) && !taken.has(`refs/tags/${tried}`)) return tried;
  }
}
