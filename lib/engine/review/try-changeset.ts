import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import type { Failure } from '../../domain/failure.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { noChangesetError } from '../../domain/input-errors.ts';
import type { OwnWorkInTry, TryWorktree } from '../../domain/ports/git-try-worktrees.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { renderFileName } from '../../util/file-names.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { interruptedError } from '../graceful-stop.ts';
import { findFreeWorktreePath } from '../manual/worktree-of-person.ts';
import { copyFilesIntoWorktree, listSparsePatternsOfWork, prepareWorktree } from '../prepare-worktree.ts';
import { type RunContext, type WithGit, warnOnce } from '../run-context.ts';
import { requireRoomForWorktrees } from '../work/preflight.ts';
import { nothingToDecideError } from './review-wave.ts';

/** A changeset in a worktree of the person's own. */
export interface TriedChangeset {
  readonly worktree: TryWorktree;
  /** there: it was made before; moved: it was, and is of a newer version now. */
  readonly state: 'made' | 'there' | 'moved';
  /** Why its setup did not finish; null: it did, or ran before. */
  readonly failure: Failure | null;
  /** What keeps it on an earlier version of the changeset; null: it is of the newest one. */
  readonly keptBy: OwnWorkInTry | null;
}

/**
 * The newest version of a changeset by its group or id, without a name the one that waits. Throws FlameErrors
 * `no-changeset` and `several-changesets`.
 */
export function selectChangesetToTry({ changesets, ...session }: Session, name: string | null): Changeset {
  const current = listChangesetsOfCycle({ ...session, changesets });
  if (name === null) {
    const [first, ...more] = current.filter(({ state }) => state === 'waiting');
    if (first === undefined) throw nothingToDecideError(null, current);
    if (more.length > 0) throw severalError('wait', [first, ...more], '--try');
    return first;
  }
  const isNamed = ({ id, group }: Changeset): boolean => id === name || group === name;
  const found = current.findLast(isNamed) ?? changesets.findLast(isNamed);
  if (found !== undefined) return changesets.findLast(({ group }) => group === found.group) ?? found;
  throw noChangesetError(`There is no changeset ${name} in this session.`, ['git flame status']);
}

/** The worktree that is meant, by group or id of its changeset; without a name the only one. Throws as above. */
export function selectTryWorktree(known: readonly TryWorktree[], name: string | null): TryWorktree {
  const named = known.filter(({ group, changeset }) => name === null || group === name || changeset === name);
  const [first, ...more] = named;
  if (first === undefined)
    throw noChangesetError(`${name === null ? 'No changeset' : `Changeset ${name}`} is in a worktree to try it.`, [
      `git flame review --try${name === null ? '' : ` ${shellQuote(name)}`}`,
    ]);
  if (more.length > 0 && new Set(named.map(({ changeset }) => changeset)).size > 1)
    throw severalError(
      'are in worktrees to try them',
      named.map(({ group, changeset: id }) => ({ group, id })),
      '--done',
    );
  return first;
}

function severalError(
  what: string,
  found: readonly Pick<Changeset, 'id' | 'group'>[],
  option: '--try' | '--done',
): FlameError {
  const isUnique = ({ group }: Pick<Changeset, 'group'>): boolean =>
    found.filter((one) => one.group === group).length === 1;
  return refusedError(
    'several-changesets',
    `${found.length} changesets ${what}: ${found.map(({ group }) => group).join(', ')}. Name one.`,
    found.map((one) => `git flame review ${option} ${shellQuote(isUnique(one) ? one.group : one.id)}`),
  );
}

/**
 * Makes a changeset ready to be tried in a worktree of the person's own, set up as agents' are: what agents wrote runs
 * its setup in a cell. One that is there stays, and is made again of a newer version only while nothing of the person's
 * is in it. A setup that fails leaves the worktree. Throws FlameErrors `worktrees-not-writable`, `disk-full`,
 * `no-changeset`, `try-unsafe`.
 */
export async function tryChangeset(
  context: RunContext,
  session: SessionId,
  changeset: Changeset,
): Promise<TriedChangeset> {
  const { git } = context;
  const isOf = (one: TryWorktree): boolean => one.session === session && one.group === changeset.group;
  const known = (await git.tryWorktrees()).find(isOf);
  const own = known === undefined ? null : await git.findOwnWorkInTry(known);
  if (known !== undefined && own !== null) {
    const isNewest = known.commit === changeset.commit;
    const isBroken = own.isAsMade && !(await git.worktrees()).some(({ path }) => path === known.path);
    if ((isNewest && !isBroken) || !own.isAsMade)
      return { worktree: known, state: 'there', failure: null, keptBy: isNewest ? null : own };
  }
  await requireThere(context, changeset);
  await requireRoomForWorktrees(context, { count: 1, hint: 'git flame cleanup' });
  if (known !== undefined) await remove(context, known);
  const made = await makeTryWorktree(context, session, changeset);
  return { ...made, state: known === undefined ? 'made' : 'moved', keptBy: null };
}

async function requireThere({ git }: Pick<RunContext, 'git'>, { group, commit }: Changeset): Promise<void> {
  if ((await git.resolveCommit(commit)) !== null) return;
  throw noChangesetError(`The commit ${shortId(commit)} of changeset ${group} is not in this clone any more.`, [
    'git flame sync',
    'git flame status',
  ]);
}

async function makeTryWorktree(
  context: RunContext,
  session: SessionId,
  { id, group, base, commit }: Changeset,
): Promise<Pick<TriedChangeset, 'worktree' | 'failure'>> {
  const { git, signal } = context;
  // Groups that land together are joined by a plus.
  const name = `try-${group.replaceAll('+', '.')}-${session.slice(-4)}`;
  await discardUnfinished(context, name);
  const path = await findFreeWorktreePath(context, name);
  const cell = await git.addScratchWorktree(path, commit, await listSparsePatternsOfWork(context, base, commit));
  try {
    const { failure } = await prepareWorktree(context, cell, { about: `changeset ${group}`, basedOn: base });
    if (signal.aborted) throw interruptedError();
    if (failure !== null) {
      const left = await git.cellLeftovers(cell);
      await git.restoreTracked(
        cell,
        left.flatMap((one) => (one.isTracked ? one.path : [])),
      );
    }
    // Those too that agents don't see: what runs from here on is started by the person.
    await copyFilesIntoWorktree(context, path);
    const { runsHooks, ...worktree } = await git.turnIntoTryWorktree(cell, {
      session,
      group,
      changeset: id,
      commit,
      base,
    });
    if (runsHooks) warnOnce(context, `git takes its hooks from the files there (core.hooksPath): ${path}`);
    return { worktree, failure };
  } catch (error) {
    await git.discardCell(cell);
    throw error instanceof FlameError && /^cell-(?:not-left|submodule)$/.test(error.code)
      ? unsafeError(group, error)
      : error;
  }
}

function unsafeError(group: string, cause: FlameError): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'try-unsafe',
    message: `Changeset ${group} can't be put into a worktree of yours. ${cause.message}`,
    hints: [`git flame show ${shellQuote(group)} --diff`],
    cause,
  });
}

/** What a killed command left half made: the person was not shown it. */
async function discardUnfinished({ git }: Pick<RunContext, 'git'>, name: string): Promise<void> {
  for (const cell of await git.cells())
    if (cell.subject === null && cell.owner === 'gone' && cell.path.endsWith(`/${name}`)) await git.discardCell(cell);
}

/** Removes the worktree of a tried changeset. Throws FlameErrors `try-has-work` and `try-not-removed`. */
export async function removeTriedChangeset(
  { git }: WithGit<Pick<RunContext['git'], 'findOwnWorkInTry' | 'removeTryWorktree'>>,
  worktree: TryWorktree,
): Promise<void> {
  const own = await git.findOwnWorkInTry(worktree);
  if (own.changes.length + own.commits.length > 0) throw holdsWorkError(worktree, own);
  await remove({ git }, worktree);
}

async function remove(
  { git }: WithGit<Pick<RunContext['git'], 'removeTryWorktree'>>,
  tried: TryWorktree,
): Promise<void> {
  const [path, removal] = [shellQuote(tried.path), await git.removeTryWorktree(tried)];
  if (removal === 'removed') return;
  const [why, ...hints] = {
    locked: ['git was asked to lock it', `git worktree unlock ${path}`, 'git flame review --done'],
    submodules: [
      'submodules are checked out in it, and what was made in them may be nowhere else',
      `git -C ${path} submodule foreach 'git status --short && git log --oneline HEAD --not --remotes'`,
      `git worktree remove --force ${path}`,
    ],
    'not moved': ['its folder cannot be moved away to remove it', `git worktree remove ${path}`],
  }[removal];
  throw refusedError('try-not-removed', `The worktree of changeset ${tried.group} stays: ${why}.`, hints);
}

function holdsWorkError({ group, path }: TryWorktree, own: OwnWorkInTry): FlameError {
  const [commit] = own.commits;
  const names = own.ignored.length <= 10 ? own.ignored : own.ignored.map((name) => name.replace(/\/.*/s, ''));
  const ignored = [...new Set(names)].slice(0, 10).map(shellQuote).join(' ');
  const [there, done] = [`git -C ${shellQuote(path)}`, `git flame review --done ${shellQuote(group)}`];
  return new FlameError({
    kind: 'refused',
    code: 'try-has-work',
    message: `The worktree of changeset ${group} stays: it holds ${describeOwnWork(own)}.`,
    details: [...own.changes.slice(0, 10).map(renderFileName), ...own.commits.slice(0, 10)],
    hints: [
      ...(own.changes.length > own.ignored.length ? [`${there} stash push --include-untracked`] : []),
      ...(ignored === '' ? [] : [`${there} stash push --all -- ${ignored}`]),
      ...(commit === undefined ? [] : [`git branch ${shellQuote(`try-${group}`)} ${shortId(commit)}`]),
      done,
    ],
    data: { worktree: path, changes: own.changes, commits: own.commits },
  });
}

/** `2 changed files and 1 commit of yours that no branch has`. */
export function describeOwnWork({ changes, commits }: OwnWorkInTry): string {
  const parts = [
    ...(changes.length > 0 ? [formatCount(changes.length, 'changed file')] : []),
    ...(commits.length > 0 ? [`${formatCount(commits.length, 'commit')} that no branch has`] : []),
  ];
  return parts.length === 0 ? 'a branch or commit you checked out' : `${parts.join(' and ')}, made by you`;
}
