import {
  type CommittedWork,
  listCommitsBuiltOn,
  listConflicts,
  makeTrialPairKey,
  planTrialMerges,
  type TrialPair,
} from '../../core/conflict-detection/trial-merges.ts';
import { readStackState } from '../../core/task/stack-state.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { missingObjectError } from '../../domain/input-errors.ts';
import type { ChangedPaths, GitCommits, GitTrials, MaybeQuarantinedCommit } from '../../domain/ports/git-commits.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { TreeChange } from '../../domain/state/patch.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { PredictedConflicts } from '../../domain/view-models/status-view.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { type ConflictDetectorMemory, createConflictDetectorMemory } from '../run-memory.ts';
import {
  findWorkTips,
  loadTrials,
  saveTrials,
  type WorkTip,
  type WorkTipFinderPorts,
  type WorkTips,
} from './tips-and-trials.ts';

export type ConflictDetectorPorts = Pick<RunContext, 'trialCache' | 'now'> &
  WorkTipFinderPorts &
  WithGit<GitCommits & GitTrials & Pick<GitDiffs, 'treeChanges'>>;

/** Limits of one look. */
interface LookBounds {
  /** Trials at most; each is a process of git. */
  readonly trials: number;
  /** Aborts when the time is up or the person stops the program. */
  readonly signal: AbortSignal;
}

/** Looks for conflicts between works of a session before they are merged, and remembers what it has tried. */
interface ConflictDetector {
  look(
    view: { readonly session: Session; readonly tasks: readonly Task[] },
    bounds: LookBounds,
  ): Promise<PredictedConflicts>;
}

/** Works that are compared, the newest; and files of one that are listed. */
const mostWorks = 100;
const mostPaths = 2_000;
/** More than the pairs of so many works; an agent may commit all day. */
const mostRemembered = 10_000;

export function createConflictDetector(
  parts: ConflictDetectorPorts,
  memory: ConflictDetectorMemory = createConflictDetectorMemory(),
): ConflictDetector {
  return { look: (view, bounds) => look(parts, memory, { ...view, bounds }) };
}

interface Look {
  readonly session: Session;
  readonly tasks: readonly Task[];
  readonly bounds: LookBounds;
}

async function look(
  parts: ConflictDetectorPorts,
  memory: ConflictDetectorMemory,
  at: Look,
): Promise<PredictedConflicts> {
  const { session, tasks, bounds } = at;
  const branch = findLandingBranch(session);
  const found = await findWorkTips(parts, tasks);
  const base = found.tips.length === 0 ? null : await parts.git.resolveCommit(`refs/heads/${branch}`);
  if (base === null) return { found: [], untried_pairs: 0, unseen_tasks: found.unreadable };
  const seen = fingerprint(found, base, session);
  if (memory.last?.seen === seen) return memory.last.ahead;
  if (!memory.isRecalled) await loadTrials(parts, session.id, memory.trials);
  memory.isRecalled = true;
  const { works, places } = await gather(parts, memory, { ...at, found, base });
  const plan = planTrialMerges({
    works,
    branch: { branch, commit: base },
    changesets: session.changesets,
    isKnown: (pair) => memory.trials.has(makeTrialPairKey(pair)) || hasFailed(memory, pair),
    most: bounds.trials,
  });
  const placeOf = (commit: ObjectId): MaybeQuarantinedCommit => places.get(commit) ?? { commit, quarantine: null };
  const left = await tryAll(parts, memory, { due: plan.due, placeOf, signal: bounds.signal });
  if (left < plan.due.length) await saveTrials(parts, session.id, memory.trials);
  const broken = plan.near.filter((pair) => hasFailed(memory, pair)).length;
  const ahead: PredictedConflicts = {
    found: listConflicts(plan.near, (pair) => memory.trials.get(makeTrialPairKey(pair))),
    untried_pairs: left + plan.leftOut + broken,
    unseen_tasks: found.tips.length - works.length + found.unreadable,
  };
  forgetOldest(memory);
  const isComplete = left + plan.leftOut === 0 && !bounds.signal.aborted;
  memory.last = isComplete ? { seen, ahead } : null;
  return ahead;
}

/** True if a trial of the pair failed; hardly any of thousands of pairs did. */
function hasFailed({ failed }: ConflictDetectorMemory, pair: TrialPair): boolean {
  return failed.size > 0 && failed.has(makeTrialPairKey(pair));
}

/** All that a look depends on: while it stays the same there is nothing to do. */
function fingerprint({ tips, unreadable }: WorkTips, base: ObjectId, { changesets }: Session): string {
  return JSON.stringify([
    base,
    unreadable,
    ...tips.map(({ task, commit, isAtWork }) => [task.id, commit, isAtWork, task.file_locks, task.built_on]),
    ...changesets.map(({ id, state, commit }) => [id, state, commit]),
  ]);
}

function forgetOldest({ trials, paths, forks, firstSeen, failed }: ConflictDetectorMemory): void {
  for (const kept of [trials, forks, failed]) keepLatest(kept, mostRemembered);
  keepLatest(firstSeen, mostRemembered);
  // Lists of paths are long.
  keepLatest(paths, mostRemembered / 10);
}

function keepLatest<Key>(kept: Map<Key, unknown> | Set<Key>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}

interface Gathered {
  readonly works: readonly CommittedWork[];
  readonly places: ReadonlyMap<ObjectId, MaybeQuarantinedCommit>;
}

/** The newest works with what they change. Where the time is up, or commits can't be read, one is left out. */
async function gather(
  parts: ConflictDetectorPorts,
  memory: ConflictDetectorMemory,
  { tasks, found, base, bounds: { signal } }: Look & { readonly found: WorkTips; readonly base: ObjectId },
): Promise<Gathered> {
  const now = parts.now().getTime();
  const aged = found.tips.map((tip) => ({ tip, changedAt: changeTime(memory, tip, now) }));
  aged.sort((a, b) => b.changedAt - a.changedAt);
  const stackState = readStackState(tasks);
  const works: CommittedWork[] = [];
  const places = new Map<ObjectId, MaybeQuarantinedCommit>();
  for (const { tip, changedAt } of aged.slice(0, mostWorks)) {
    if (signal.aborted) break;
    const { task, commit, isAtWork, start } = tip;
    try {
      const changes = await pathsOf(parts, memory, { from: start, to: tip, isJudged: !isAtWork, signal });
      // Work that lost its ground is first rebased onto the branch without it, and compared with the branch then.
      const needsRebase = stackState.lost(task).length > 0;
      const missed = needsRebase ? nothing : await missedOf(parts, memory, { start, base, signal });
      const { id, file_locks } = task;
      const below = listCommitsBuiltOn(task, tasks);
      works.push({ task: id, commit, isAtWork, file_locks, builtOn: below, changes, missed, changedAt });
      places.set(commit, tip);
    } catch (error) {
      if (!(error instanceof FlameError)) throw error;
    }
  }
  return { works, places };
}

function changeTime(memory: ConflictDetectorMemory, { task, commit, isAtWork }: WorkTip, now: number): number {
  if (!isAtWork) return Date.parse(task.updated_at);
  const seen = memory.firstSeen.get(commit) ?? now;
  memory.firstSeen.set(commit, seen);
  return seen;
}

interface Between {
  readonly from: ObjectId;
  readonly to: MaybeQuarantinedCommit;
  /** Its size is known to be in bounds. */
  readonly isJudged: boolean;
  readonly signal: AbortSignal;
}

async function pathsOf(
  { git }: ConflictDetectorPorts,
  { paths, failed }: ConflictDetectorMemory,
  { from, to, isJudged, signal }: Between,
): Promise<ChangedPaths | null> {
  const key = `${from} ${to.commit}`;
  const known = paths.get(key);
  if (known !== undefined) return known;
  if (failed.has(key)) throw missingObjectError(`The commit ${to.commit} can't be read.`);
  try {
    const found = isJudged
      ? shortList(await git.treeChanges(from, to.commit))
      : await git.pathsChanged(from, to, { most: mostPaths, signal });
    paths.set(key, found);
    return found;
  } catch (error) {
    if (!signal.aborted) failed.add(key);
    throw error;
  }
}

function shortList(changes: readonly TreeChange[]): ChangedPaths | null {
  if (changes.length > mostPaths) return null;
  return { paths: changes.map(({ path }) => path), removes: changes.some(({ blob }) => blob === null) };
}

/** Changes of the branch that a work did not start from. */
async function missedOf(
  parts: ConflictDetectorPorts,
  memory: ConflictDetectorMemory,
  { start, base, signal }: { readonly start: ObjectId; readonly base: ObjectId; readonly signal: AbortSignal },
): Promise<ChangedPaths | null> {
  if (start === base) return nothing;
  const key = `${start} ${base}`;
  const fork = memory.forks.get(key);
  const found = fork === undefined ? await parts.git.mergeBase(start, base) : fork;
  memory.forks.set(key, found);
  if (found === null) return null;
  return pathsOf(parts, memory, {
    from: found,
    to: { commit: base, quarantine: null },
    isJudged: false,
    signal,
  });
}

const nothing: ChangedPaths = { paths: [], removes: false };

/** One after the other, so that agents keep the machine. Returns how many were not reached. */
async function tryAll(
  { git }: ConflictDetectorPorts,
  { trials, failed }: ConflictDetectorMemory,
  {
    due,
    placeOf,
    signal,
  }: {
    readonly due: readonly TrialPair[];
    readonly placeOf: (commit: ObjectId) => MaybeQuarantinedCommit;
    readonly signal: AbortSignal;
  },
): Promise<number> {
  for (const [index, pair] of due.entries()) {
    if (signal.aborted) return due.length - index;
    try {
      const { one, other } = pair;
      trials.set(makeTrialPairKey(pair), await git.tryMerge(placeOf(one.commit), placeOf(other.commit), signal));
    } catch (error) {
      if (!(error instanceof FlameError)) throw error;
      if (signal.aborted) return due.length - index;
      failed.add(makeTrialPairKey(pair));
    }
  }
  return 0;
}
