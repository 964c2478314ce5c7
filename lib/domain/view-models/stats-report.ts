import type { Role } from '../role.ts';
import type { RoleEstimate } from '../state/session-schema.ts';
import type { Spending } from '../state/spending.ts';
import type { TaskStatus } from '../state/task-schema.ts';

/** How values are spread; in the unit of what was measured. */
export interface Distribution {
  readonly count: number;
  readonly min: number;
  readonly median: number;
  /** Nine of ten values are at most this. */
  readonly p90: number;
  readonly max: number;
  readonly mean: number;
  readonly sum: number;
}

/** Where a failure was found. */
export const failureSources = [
  'watcher',
  'agent',
  'post-check',
  'diagnostic',
  'verdict',
  'evidence',
  'merge',
  'review',
] as const;
export type FailureSource = (typeof failureSources)[number];

export interface FailureCount {
  readonly source: FailureSource;
  /** The rule, the kind of failure, or the command that failed. */
  readonly rule: string;
  readonly count: number;
}

export interface TaskFigures extends Spending {
  readonly session: string;
  readonly task: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly attempts: number;
  /** From the first claim to the landing, in seconds; null: not landed. */
  readonly cycle_time_s: number | null;
  readonly cost_by_role: Readonly<Partial<Record<Role, number>>>;
}

export interface RoleFigures extends Spending {
  readonly role: Role;
  /** Agent runs, retries among them. */
  readonly runs: number;
  /** The estimate: runs if all went well and at worst, and USD for one. null: there was none. */
  readonly estimate: RoleEstimate | null;
}

export interface AgentFigures extends Spending {
  readonly session: string;
  readonly agent: string;
  readonly role: Role;
  readonly task: string | null;
  readonly model: string | null;
  readonly outcome: string;
  readonly seconds: number;
  readonly estimate_usd: number | null;
}

export interface HealthPart {
  readonly name: string;
  /** 0 (bad) to 1 (good); null: nothing to judge by yet. */
  readonly value: number | null;
  readonly weight: number;
  /** Its parts, one sentence with figures. */
  readonly says: string;
}

export interface Health {
  /** 0 to 1: the mean of the known parts by their weights; null: none is known. */
  readonly score: number | null;
  readonly parts: readonly HealthPart[];
}

export interface Anomaly {
  readonly session: string;
  /** null: of the session as a whole. */
  readonly task: string | null;
  readonly metric: string;
  readonly value: number;
  /** Of the repository's own history. */
  readonly median: number;
  /** How many robust standard deviations away; negative: below. */
  readonly score: number;
  readonly says: string;
}

export interface Anomalies {
  /** Ended sessions to compare with, and how many are needed. */
  readonly history: number;
  readonly needed: number;
  readonly found: readonly Anomaly[];
}

/** Tasks by where they are, at one moment. */
export interface FlowPoint {
  readonly at: string;
  readonly waiting: number;
  readonly working: number;
  readonly checking: number;
  readonly landed: number;
  readonly lost: number;
}

/** Results of one session; the figures that sessions are compared by. null: not known. */
export interface SessionFigures {
  readonly session: string;
  readonly objective: string;
  readonly created_at: string;
  readonly state: 'active' | 'stopped' | 'ended';
  readonly tasks: number;
  readonly cost_usd: number;
  readonly completion_rate: number | null;
  readonly first_try_rate: number | null;
  readonly cycle_time_s: number | null;
  readonly cost_per_task_usd: number | null;
  readonly retries_per_task: number | null;
  readonly failures_per_task: number | null;
  readonly utilisation: number | null;
  /** Actual cost by the estimate; 1 is as estimated. */
  readonly estimate_ratio: number | null;
  readonly health: number | null;
}

/** Output of `git flame stats --json`: stable, scripts rely on it. Times in seconds, money in US dollars. */
export interface Stats {
  readonly schema_version: 1;
  readonly at: string;
  readonly sessions: readonly SessionFigures[];
  readonly tasks: {
    readonly total: number;
    readonly by_status: Readonly<Record<TaskStatus, number>>;
    /** Landed, of those that are settled. */
    readonly completion_rate: number | null;
    /** Landed with one attempt, of those that landed. */
    readonly first_try_rate: number | null;
    readonly list: readonly TaskFigures[];
  };
  readonly times_s: {
    /** First claim to landing. */
    readonly cycle: Distribution | null;
    /** Creation to landing. */
    readonly lead: Distribution | null;
    /** Of landed tasks: waiting for an agent, with an agent, waiting for a verdict. */
    readonly waiting: Distribution | null;
    readonly working: Distribution | null;
    readonly checking: Distribution | null;
    /** Judged, and waiting for the person's decision and the landing. */
    readonly deciding: Distribution | null;
  };
  readonly queue: {
    /** Tasks that wait for an agent now, and those of them that could start. */
    readonly depth: number;
    readonly ready: number;
    readonly peak: number;
    /** Over the time in which agents worked. */
    readonly mean: number | null;
  };
  readonly utilisation: {
    /** Of the worker slots that could have been used while agents worked. */
    readonly value: number | null;
    readonly slots: number;
    readonly busy_s: number;
    readonly usable_s: number;
  };
  readonly retries: {
    readonly attempts: number;
    readonly retried_tasks: number;
    readonly per_task: number | null;
  };
  readonly failures: readonly FailureCount[];
  readonly cost: {
    readonly usd: number;
    readonly tokens: number;
    /** null: nothing was estimated. */
    readonly estimate: { readonly base_usd: number; readonly with_retries_usd: number } | null;
    readonly per_task: Distribution | null;
    readonly roles: readonly RoleFigures[];
    readonly agents: readonly AgentFigures[];
  };
  readonly health: Health;
  readonly anomalies: Anomalies;
  readonly flow: readonly FlowPoint[];
}
