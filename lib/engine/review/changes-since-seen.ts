import { listVersionsSeenBefore } from '../../core/changesets/versions-seen-before.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { CommitRange, GitDiffs } from '../../domain/ports/git-contents.ts';
import type { Changeset, ChangesSinceSeen, RangeDiffPair, SeenVersion } from '../../domain/state/changeset.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { hasAcceptedWork, type Task } from '../../domain/state/task-schema.ts';
import { type RunContext, type WithGit, warn } from '../run-context.ts';
import { areCommitsHere } from '../start-point.ts';
import { followCommentedLines } from './follow-comments.ts';

/** As computeChangesSinceSeen; an error is reported instead, and the decision goes on without. */
export async function tryComputeChangesSinceSeen(
  context: Pick<RunContext, 'events'> & WithGit<Git>,
  session: Session,
  about: { readonly changeset: Changeset; readonly tasks: readonly Task[] },
): Promise<ChangesSinceSeen | null> {
  try {
    return await computeChangesSinceSeen(context, session, about);
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const message = `The changes in ${about.changeset.group} since you last saw it can't be shown: ${error.message}`;
    warn(context, message);
    return null;
  }
}

type Git = GitCommits & GitDiffs & GitMerging;

/**
 * Computes changes of a changeset since the person saw its tasks last: the version they saw is rebased onto its present
 * ground, so that landings in between are not part of it. null: they saw no earlier one, or it is not in this clone.
 */
export async function computeChangesSinceSeen(
  { git }: WithGit<Git>,
  session: Pick<Session, 'changesets'>,
  { changeset, tasks }: { readonly changeset: Changeset; readonly tasks: readonly Task[] },
): Promise<ChangesSinceSeen | null> {
  const seen = listVersionsSeenBefore(session.changesets, changeset);
  const versions = seen.map((one) => ({ ...one, became: one.state }));
  const earlier = tasks.flatMap((task) => seen.flatMap((one) => rangesOf(task, one)));
  const comments = distinct(earlier.flatMap((one) => one.comments));
  return compare(git, { versions, earlier, comments, now: changeset });
}

/** Computes the changes of one task since its latest attempt that was sent back. */
export async function computeChangesSinceSentBack({ git }: WithGit<Git>, task: Task): Promise<ChangesSinceSeen | null> {
  if (!hasAcceptedWork(task)) return null;
  const entry = task.history.findLast(({ work }) => work !== undefined && work.commit !== task.commit);
  if (entry?.work === undefined) return null;
  const { commit, start: parent } = entry.work;
  const version = { id: null, became: entry.result, reason: entry.rejection_reason, commit, parent };
  const { comments = [] } = entry;
  return compare(git, {
    versions: [version],
    earlier: [{ task, before: entry.work, comments }],
    comments,
    now: { commit: task.commit, parent: task.start_commit },
  });
}

interface Version extends SeenVersion {
  /** Commit it was built on. */
  readonly parent: ObjectId;
}

interface EarlierWork {
  readonly task: Task;
  readonly before: CommitRange;
  readonly comments: readonly LineComment[];
}

interface Comparison {
  readonly versions: readonly Version[];
  readonly earlier: readonly EarlierWork[];
  readonly comments: readonly LineComment[];
  readonly now: { readonly commit: ObjectId; readonly parent: ObjectId };
}

async function compare(git: Git, { versions, earlier, comments, now }: Comparison): Promise<ChangesSinceSeen | null> {
  const commits = [...versions, now].flatMap(({ commit, parent }) => [commit, parent]);
  if (versions.length === 0 || !(await areCommitsHere(git, commits))) return null;
  const { from, clashes, isMoved } = await onNowsBase(git, versions, now.parent);
  const { commit: to } = now;
  return {
    seen: versions.map(({ id, became, reason, commit }) => ({ id, became, reason, commit })),
    from,
    to,
    isMoved,
    clashes,
    diffstat: await git.diffStat(from, to),
    commits: await pairAll(git, earlier),
    comments: await followCommentedLines(git, { versions, comments, from, now }),
  };
}

interface Moved extends Pick<ChangesSinceSeen, 'from' | 'clashes' | 'isMoved'> {}

/** The versions as they would be on another commit, one put on the other. */
async function onNowsBase(git: Git, versions: readonly Version[], parent: ObjectId): Promise<Moved> {
  const isMoved = versions.some((version) => version.parent !== parent);
  const [only] = versions;
  if (only !== undefined && versions.length === 1 && !isMoved) return { from: only.commit, clashes: [], isMoved };
  const clashes = new Set<string>();
  let from = parent;
  for (const version of versions) {
    const moved = await git.transplantChange(from, version.parent, version.commit);
    from = moved.tree;
    for (const path of moved.clashes) clashes.add(path);
  }
  return { from, clashes: [...clashes], isMoved };
}

/** Work of a task in a changeset, if its history has it, with the comments of the rejection. */
function rangesOf(task: Task, { tasks, works }: Changeset): readonly EarlierWork[] {
  const commit = works[tasks.indexOf(task.id)];
  if (commit === undefined) return [];
  const entry = task.history.findLast(({ work }) => work?.commit === commit);
  if (entry?.work !== undefined) return [{ task, before: entry.work, comments: entry.comments ?? [] }];
  return hasAcceptedWork(task) && task.commit === commit
    ? [{ task, before: { commit, start: task.start_commit }, comments: [] }]
    : [];
}

async function pairAll(git: GitDiffs, earlier: readonly EarlierWork[]): Promise<readonly RangeDiffPair[]> {
  const pairs = earlier.map(async ({ task, before }): Promise<readonly RangeDiffPair[]> => {
    if (!hasAcceptedWork(task)) return [];
    const found = await git.pairCommits(before, { start: task.start_commit, commit: task.commit });
    return (found ?? []).map((pair) => ({ task: task.id, ...pair }));
  });
  return (await Promise.all(pairs)).flat();
}

/** A comment on a file that several tasks changed went to each of them. */
function distinct(comments: readonly LineComment[]): readonly LineComment[] {
  return [...new Map(comments.map((comment) => [JSON.stringify(comment), comment])).values()];
}
