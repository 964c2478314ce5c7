import type { ObjectId, TaskId } from '../../domain/ids.ts';
import type { ChangedPaths, TrialMergeResult } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { PredictedConflict, PredictedConflictTask } from '../../domain/view-models/status-view.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { findSharedLock } from '../schedule/shared-locks.ts';

/** Committed work of a task, with what is needed to compare it with others. */
export interface CommittedWork {
  readonly task: TaskId;
  readonly commit: ObjectId;
  readonly isAtWork: boolean;
  readonly file_locks: readonly string[];
  /** Commits it was built on, directly or through others. */
  readonly builtOn: ReadonlySet<ObjectId>;
  /** Paths it changes; null: more than are listed. */
  readonly changes: ChangedPaths | null;
  /** Paths the branch changed that it was not built on; null: more than are listed. */
  readonly missed: ChangedPaths | null;
  /** When it last changed, in milliseconds. */
  readonly changedAt: number;
}

/** The branch that work lands on. */
interface Branch {
  readonly branch: string;
  readonly commit: ObjectId;
}

export interface TrialPair {
  readonly one: CommittedWork;
  readonly other: CommittedWork | Branch;
}

interface TrialPlan {
  /** Every pair that may conflict, newest changed first, those that were tried before among them. */
  readonly near: readonly TrialPair[];
  /** Trials to make now, of a limited number. */
  readonly due: readonly TrialPair[];
  readonly leftOut: number;
}

/**
 * Chooses the works to try to merge: those that change the same path and, where one of them deletes or renames files
 * (git follows renames of folders), those that change files of one folder or whose locks overlap. Newest changed first,
 * and of equal age the nearest. Works built on each other, and those merged in one changeset, are left out.
 */
export function planTrialMerges({
  works,
  branch,
  changesets,
  isKnown,
  most,
}: {
  readonly works: readonly CommittedWork[];
  readonly branch: Branch;
  readonly changesets: readonly Changeset[];
  readonly isKnown: (pair: TrialPair) => boolean;
  readonly most: number;
}): TrialPlan {
  // Works that began at one commit missed the same.
  const reaches = new Map(works.map(({ missed }) => [missed, reachOf(missed)]));
  const looked = works.map((work) => ({ work, reach: reachOf(work.changes) }));
  const merged = changesets.filter(isStanding);
  const found: { readonly pair: TrialPair; readonly at: number; readonly distance: number }[] = [];
  looked.forEach(({ work: one, reach }, index) => {
    for (const { work: other, reach: others } of looked.slice(index + 1)) {
      if (one.builtOn.has(other.commit) || other.builtOn.has(one.commit) || isMerged(merged, one, other)) continue;
      const distance = distanceOf(reach, others, () => findSharedLock(one, other) !== null);
      const at = Math.max(one.changedAt, other.changedAt);
      if (distance !== null) found.push({ pair: { one, other }, at, distance });
    }
    const isBuilt = merged.some((set) => set.base === branch.commit && holds(set, one));
    const distance = isBuilt ? null : distanceOf(reach, reaches.get(one.missed) ?? null);
    if (distance !== null) found.push({ pair: { one, other: branch }, at: one.changedAt, distance });
  });
  const near = found.sort((a, b) => b.at - a.at || a.distance - b.distance).map(({ pair }) => pair);
  const open = near.filter((pair) => !isKnown(pair));
  return { near, due: open.slice(0, most), leftOut: Math.max(0, open.length - most) };
}

/** Key of a pair, equal for both orders. */
export function makeTrialPairKey({ one, other }: TrialPair): string {
  return one.commit < other.commit ? `${one.commit} ${other.commit}` : `${other.commit} ${one.commit}`;
}

/** Files, the folders they lie in, and the folders above; null: more than are listed. */
type Reach = {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  readonly above: ReadonlySet<string>;
  readonly removes: boolean;
} | null;

function reachOf(changes: ChangedPaths | null): Reach {
  if (changes === null) return null;
  const { paths, removes } = changes;
  const folders = new Set(paths.map(folderOf));
  const above = new Set(folders);
  for (const folder of above) if (folder !== '') above.add(folderOf(folder));
  return { files: new Set(paths), folders, above, removes };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** 0: a file in common, or one where the other has a folder; 1: a folder in common; 2: a lock; null: no conflict. */
function distanceOf(one: Reach, other: Reach, sharesLock = (): boolean => false): 0 | 1 | 2 | null {
  if (one === null || other === null) return one?.files.size === 0 || other?.files.size === 0 ? null : 1;
  if (meet(one.files, other.files) || meet(one.files, other.above) || meet(other.files, one.above)) return 0;
  if (!one.removes && !other.removes) return null;
  if (meet(one.folders, other.folders)) return 1;
  return sharesLock() ? 2 : null;
}

function meet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size <= other.size ? [one, other] : [other, one];
  for (const entry of few) if (many.has(entry)) return true;
  return false;
}

function isStanding({ state }: Changeset): boolean {
  return state === 'waiting' || state === 'approved' || state === 'skipped' || state === 'deferred';
}

function isMerged(merged: readonly Changeset[], one: CommittedWork, other: CommittedWork): boolean {
  return merged.some((set) => holds(set, one) && holds(set, other));
}

function holds({ tasks, works }: Changeset, { task, commit }: CommittedWork): boolean {
  return tasks.includes(task) && works.includes(commit);
}

/**
 * The conflicts among pairs that were tried, by task. Work that was built on other work holds that too: where the one
 * below conflicts in a file already, it is said of that one alone.
 */
export function listConflicts(
  pairs: readonly TrialPair[],
  trialOf: (pair: TrialPair) => TrialMergeResult | undefined,
): readonly PredictedConflict[] {
  const met = pairs.flatMap((pair) => {
    const trial = trialOf(pair);
    return trial === undefined || trial.kind === 'clean' ? [] : [{ pair, trial }];
  });
  return met
    .flatMap(({ pair, trial }): PredictedConflict[] => {
      if (trial.kind === 'unrelated') return [toConflict(pair, { paths: [], unrelated: true })];
      const below = met.filter((other) => other.pair !== pair && isBelow(other.pair, pair));
      const known = new Set(below.flatMap((other) => (other.trial.kind === 'conflict' ? other.trial.paths : [])));
      const own = trial.paths.filter((path) => !known.has(path));
      return own.length === 0 && trial.paths.length > 0 ? [] : [toConflict(pair, { paths: own, unrelated: false })];
    })
    .sort((a, b) => compareText(makeConflictKey(a), makeConflictKey(b)));
}

/** Whether the works of a pair are those of another one, or what these were built on. */
function isBelow(pair: TrialPair, above: TrialPair): boolean {
  const [a, b] = [pair.one, pair.other];
  const [c, d] = [above.one, above.other];
  return (isUnder(a, c) && isUnder(b, d)) || (isUnder(a, d) && isUnder(b, c));
}

function isUnder(below: CommittedWork | Branch, above: CommittedWork | Branch): boolean {
  return below.commit === above.commit || ('task' in above && above.builtOn.has(below.commit));
}

function toConflict(
  { one, other }: TrialPair,
  what: Pick<PredictedConflict, 'paths' | 'unrelated'>,
): PredictedConflict {
  if (!('task' in other)) return { one: toSide(one), other, ...what };
  const [first, second] = compareText(one.task, other.task) <= 0 ? [one, other] : [other, one];
  return { one: toSide(first), other: toSide(second), ...what };
}

function toSide({ task, commit, isAtWork }: CommittedWork): PredictedConflictTask {
  return { task, commit, at_work: isAtWork };
}

/** A conflict by the two that are in it. */
export function makeConflictKey({ one, other }: PredictedConflict): string {
  return `${one.task} ${'task' in other ? other.task : ''}`;
}

/** The commits a task's work was built on, directly and through those. */
export function listCommitsBuiltOn(task: Task, tasks: readonly Task[]): ReadonlySet<ObjectId> {
  const below = new Set((task.built_on ?? []).map(({ commit }) => commit));
  // The set grows while it is gone through.
  for (const commit of below)
    for (const other of tasks)
      if (other.commit === commit) for (const { commit: more } of other.built_on ?? []) below.add(more);
  return below;
}
