import { indexLockedError } from '../../domain/disk-errors.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { GitPort, GitWorktrees } from '../../domain/ports/git-port.ts';
import { findLandingBranch, findPendingCheckout } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { dirtyTreeError, listStashOrCommitCommands, requireMovableBranch } from '../base-in-use.ts';
import { decideAndRecord, type RecordContext, viewSession } from '../record-changes.ts';
import { inform, type RunContext, type WithGit, warn } from '../run-context.ts';

/** Work trees that have a branch checked out. */
async function worktreesOf(context: WithGit<GitWorktrees>, name: string): Promise<readonly string[]> {
  const worktrees = await context.git.worktrees();
  return worktrees.filter(({ branch }) => branch === name).map(({ path }) => path);
}

/** Words for an action that a work tree blocks, and the command that repeats it once the way is free. */
interface Doing {
  readonly done: string;
  readonly again: string;
}

interface Move {
  readonly from: ObjectId;
  readonly to: ObjectId;
}

const landing: Doing = { done: 'landed', again: 'git flame review' };

/**
 * Refuses to land while git would not move the base, or a checked-out one has local changes. Throws FlameError
 * `dirty-tree` or as requireMovableBranch; nothing has happened then.
 */
export async function requireCleanBase(
  context: WithGit<GitWorktrees>,
  session: Session,
  { done, again } = landing,
): Promise<void> {
  for (const path of await requireMovableBranch(context, findLandingBranch(session))) {
    const dirty = await context.git.changedTracked(path);
    if (dirty.length === 0) continue;
    const message = `${findLandingBranch(session)} is checked out in ${path} with local changes, so nothing was ${done}.`;
    throw dirtyTreeError(message, dirty, [...listStashOrCommitCommands(path), again]);
  }
}

/**
 * Asked right before a landing: refuses a commit that adds files where a checked-out base holds untracked ones, and
 * a base that git would not move. Throws FlameError `files-in-the-way` or as requireMovableBranch; nothing has happened
 * then.
 */
export async function requireNoFilesInTheWay(
  context: WithGit<GitWorktrees>,
  session: Session,
  { doing = landing, ...move }: Move & { readonly doing?: Doing },
): Promise<void> {
  for (const path of await requireMovableBranch(context, findLandingBranch(session))) {
    const files = await context.git.filesInTheWay(path, move.from, move.to);
    if (files.length === 0) await requireAdvance(context, path, { ...move, doing });
    else throw filesInTheWay(path, files, doing);
  }
}

function filesInTheWay(path: string, files: readonly string[], { again }: Doing): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'files-in-the-way',
    message: `git would overwrite untracked files in ${path}, so nothing was changed.`,
    details: files.slice(0, 20),
    // --all: the file may be an ignored one, which nothing less takes.
    hints: [`git -C ${shellQuote(path)} stash push --all -- ${files.slice(0, 20).map(shellQuote).join(' ')}`, again],
  });
}

/** Refuses what git would refuse to check out: it would leave the work tree behind, to be committed back by the next commit. */
async function requireAdvance(
  { git }: WithGit<GitWorktrees>,
  path: string,
  { from, to, doing: { done, again } }: Move & { readonly doing: Doing },
): Promise<void> {
  const words = await git.advanceObstacles(path, from, to);
  if (words.length === 0) return;
  const details = words.slice(0, 20);
  if (words.some((word) => word.includes('index.lock')))
    throw indexLockedError(
      `Another git is working in ${path} or was killed there: its index is locked, so nothing was ${done}.`,
      { kind: 'refused', details, hints: [again] },
    );
  const here = `git -C ${shellQuote(path)}`;
  throw new FlameError({
    kind: 'refused',
    code: 'checkout-refused',
    message: `git refuses to update the files of ${path}, so nothing was ${done}.`,
    details,
    hints: [
      `${here} ls-files -v | grep '^[a-zS]'`,
      // In one call git does only the last of the two.
      `${here} update-index --no-assume-unchanged FILE`,
      `${here} update-index --no-skip-worktree FILE`,
      again,
    ],
  });
}

/**
 * Brings checked-out base branches to where landings moved them. Also finishes what a kill between a landing and
 * this left undone. A tree that got local changes meanwhile is left alone and named; nothing is touched where the
 * branch isn't where the landing moved it. Returns whether there was anything to bring along.
 */
export async function syncWorktreesToLanding(
  context: RecordContext & Pick<RunContext, 'git' | 'place'>,
  id: SessionId,
): Promise<boolean> {
  const { session } = await viewSession(context, id);
  const checkout = findPendingCheckout(context, session);
  if (checkout === null) return false;
  const { from, to } = checkout;
  const branch = findLandingBranch(session);
  const tip = await context.git.resolveCommit(`refs/heads/${branch}`);
  const isThere = tip === to;
  if (!isThere) await warnOfRevertedLanding(context, branch, { from, to, tip });
  for (const path of isThere ? await worktreesOf(context, branch) : []) {
    if ((await context.git.advanceWorktree(path, from, to)) !== 'refused') continue;
    const message = `${path} has local changes, so its files still show ${shortId(from)} while ${findLandingBranch(session)} is at ${shortId(to)}.`;
    warn(context, message, [`To see what landed: git -C ${shellQuote(path)} status`]);
  }
  await decideAndRecord(context, id, ({ session: now }) => ({
    session: {
      next: { ...now, checkout: null },
      subject: `session: work trees of ${findLandingBranch(now)} updated`,
    },
  }));
  return isThere;
}

/**
 * Reports that what landed is in no work tree, as where HEAD is detached or on another branch: the person's files don't
 * show it. Of a landing branch, which is there for a pull request, none is expected to.
 */
export async function reportLandingInNoWorktree(
  { git, events }: Pick<RunContext, 'events'> & WithGit<GitWorktrees> & { readonly git: Pick<GitPort, 'repository'> },
  session: Session,
): Promise<void> {
  const { mainWorkTree } = git.repository;
  const branch = findLandingBranch(session);
  if (session.landing !== undefined || mainWorkTree === null) return;
  if ((await worktreesOf({ git }, branch)).length > 0) return;
  const message = `No work tree has ${branch} checked out, so your files don't show what landed.`;
  inform({ events }, message, [`To see it: git -C ${shellQuote(mainWorkTree)} switch ${shellQuote(branch)}`]);
}

/** Warns that a commit of a work tree that was not updated yet takes the landing back: its author may not know. */
async function warnOfRevertedLanding(
  { git, events }: Pick<RunContext, 'events'> & WithGit<GitCommits & GitDiffs>,
  branch: string,
  { from, to, tip }: Move & { readonly tip: ObjectId | null },
): Promise<void> {
  const isTakenBack = tip !== null && (await git.isAncestor(to, tip)) && (await isAsBefore(git, { from, to, tip }));
  const message = `${branch} has moved since ${shortId(to)} landed, so its work trees were not updated.`;
  warn(
    { events },
    message,
    isTakenBack
      ? [
          `${shortId(tip)} has the files as they were before the landing: it undoes the landing.`,
          `To restore it: git diff ${shortId(from)} ${shortId(to)} | git apply --index && git commit`,
        ]
      : [],
  );
}

/** Whether all that a landing changed is at the tip as it was before. */
async function isAsBefore(
  git: Pick<GitDiffs, 'treeChanges'>,
  { from, to, tip }: Move & { readonly tip: ObjectId },
): Promise<boolean> {
  const later = new Set((await git.treeChanges(from, tip)).map(({ path }) => path));
  return (await git.treeChanges(from, to)).every(({ path }) => !later.has(path));
}

/** Finishes what a kill of another session's landing on this base left undone; only while no other process lands. */
export async function syncWorktreesOfOtherSessions(
  context: RecordContext & Pick<RunContext, 'git' | 'place'>,
  session: Session,
): Promise<void> {
  const { sessions } = await context.store.snapshot();
  const left = sessions.filter(
    (other) =>
      other.id !== session.id && other.checkout !== null && findLandingBranch(other) === findLandingBranch(session),
  );
  for (const other of left) await syncWorktreesToLanding(context, other.id);
}
