import type { ObjectId } from '../domain/ids.ts';
import type { ChangedPaths, TrialMergeResult } from '../domain/ports/git-commits.ts';
import type { Spending } from '../domain/state/spending.ts';
import type { PredictedConflicts } from '../domain/view-models/status-view.ts';

/** Facts about a session's budget beyond what is booked. */
export interface BudgetLedger {
  /** Spending of running agents so far; booked when they end. */
  readonly live: Map<string, Spending>;
  /** Most that requests on their way may use up. */
  readonly open: Map<symbol, Spending>;
  readonly waiting: Set<() => void>;
  /** The last limit a warning was shown for. */
  warnedAt: number;
  /** The limit of which less is left than an agent's next request needs. */
  tooLittleAt: number | null;
  /** One question at a time. */
  asking: Promise<unknown>;
}

interface Outage {
  /** When the first agent didn't reach the service, in milliseconds since 1970. */
  readonly began: number;
  readonly failures: number;
}

/** Results of looks ahead so far, see createConflictDetector: the waves of a run share them. */
export interface ConflictDetectorMemory {
  /** By makeTrialPairKey: what the same two commits come to never changes. */
  readonly trials: Map<string, TrialMergeResult>;
  readonly paths: Map<string, ChangedPaths | null>;
  readonly forks: Map<string, ObjectId | null>;
  /** When a commit of a task at work was first seen. */
  readonly firstSeen: Map<ObjectId, number>;
  /** Commits that can't be read or merged, which this process doesn't try again. */
  readonly failed: Set<string>;
  /** Conflicts that were reported, by their tasks. */
  readonly reported: Set<string>;
  /** Facts that were reported last. */
  shown: string;
  isRecalled: boolean;
  last: { readonly seen: string; readonly ahead: PredictedConflicts } | null;
}

/** Ground that a task blocked by a conflict would have started from, see groundOf, and why it waits. */
export interface ConflictBlock {
  readonly ground: string;
  readonly because: string;
}

/** State of one run of the program that is stored nowhere; it outlasts a change of the configuration. */
export interface RunMemory {
  readonly ledger: BudgetLedger;
  /** Services that were not reached, by adapter. */
  readonly outages: Map<string, Outage>;
  /** When the pauses end that were reported, by adapter. */
  readonly pauses: Map<string, string>;
  /**
   * Tasks blocked by a conflict of their ground, by session and task. Found by merging, separately in every process
   * that starts tasks; it holds as long as exactly that work is below.
   */
  readonly blockedByConflict: Map<string, ConflictBlock>;
  /** Ids of tasks that the lead agent assigned; null: no agent leads, all tasks may start. */
  assigned: Set<string> | null;
  readonly ahead: ConflictDetectorMemory;
  /** Whether a model leads this run. */
  isLed: boolean;
  /** Whether what has to come before work is judged was done, so that other machines may judge too. */
  isPrepared: boolean;
  /** Whether tasks can run on this machine, by CLI and model, see findAdaptersUnusableHere. */
  readonly usable: Map<string, boolean>;
  /** Warnings that were shown, see warnOnce. */
  readonly warned: Set<string>;
}

export function createRunMemory(): RunMemory {
  return {
    ledger: {
      live: new Map(),
      open: new Map(),
      waiting: new Set(),
      warnedAt: 0,
      tooLittleAt: null,
      asking: Promise.resolve(),
    },
    outages: new Map(),
    pauses: new Map(),
    blockedByConflict: new Map(),
    assigned: null,
    isLed: false,
    isPrepared: false,
    usable: new Map(),
    ahead: createConflictDetectorMemory(),
    warned: new Set(),
  };
}

export function createConflictDetectorMemory(): ConflictDetectorMemory {
  return {
    trials: new Map(),
    paths: new Map(),
    forks: new Map(),
    firstSeen: new Map(),
    failed: new Set(),
    reported: new Set<string>(),
    shown: '[]',
    isRecalled: false,
    last: null,
  };
}
