import type { Role } from '../../domain/role.ts';
import type { TaskCounts } from '../../domain/state/task-counts.ts';
import type { PredictedConflict } from '../../domain/view-models/status-view.ts';

/** A budget; `limit` 0 is unlimited. */
export interface LiveBudget {
  readonly unit: 'usd' | 'tokens';
  readonly limit: number;
}

/** Facts of the session beyond its events. */
export interface LiveSessionFacts {
  readonly counts: TaskCounts;
  /** How many of those that wait could start now: no dependency, lock or backoff holds them. */
  readonly ready: number;
  /** Booked so far, by agents that have ended. */
  readonly spent: { readonly cost_usd: number; readonly tokens: number };
  readonly budget: LiveBudget;
  readonly agentBudgets: Readonly<Record<Role, LiveBudget>>;
  readonly titles: ReadonlyMap<string, string>;
}

interface LiveLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

export interface LiveAgentRow {
  readonly id: string;
  readonly role: Role;
  readonly task: string | null;
  readonly startedAt: number;
  readonly cost_usd: number;
  readonly tokens: number;
  /** Lines of its activity, oldest first, the latest few hundred. */
  readonly lines: readonly LiveLine[];
  readonly isStopping: boolean;
  /** Nothing has been heard of it for long. */
  readonly isQuiet: boolean;
  /** How it ended; null while it runs. */
  readonly outcome: string | null;
}

/** A diagnostic that runs now. */
export interface RunningDiagnostic {
  readonly id: string;
  readonly about: string;
  readonly command: string;
  readonly startedAt: number;
}

type LiveScreen =
  | { readonly kind: 'overview' }
  /** One agent's stream; `scroll` lines above its end. */
  | { readonly kind: 'agent'; readonly id: string; readonly scroll: number }
  | { readonly kind: 'help' };

/** A question on the last line: to confirm what can't be undone, or for the text of a hint. */
export type LivePrompt =
  | { readonly kind: 'stop'; readonly agent: string }
  | { readonly kind: 'wind-down' }
  | { readonly kind: 'hint'; readonly agent: string; readonly text: string };

export interface LiveState {
  readonly wave: string | null;
  readonly cycle: number;
  readonly agents: readonly LiveAgentRow[];
  /** The agent whose stream is looked at although it has ended. */
  readonly ended: LiveAgentRow | null;
  readonly checks: readonly RunningDiagnostic[];
  readonly facts: LiveSessionFacts | null;
  readonly screen: LiveScreen;
  readonly prompt: LivePrompt | null;
  /** Id of the agent the keys are about; null: the first. */
  readonly chosen: string | null;
  readonly isWindingDown: boolean;
  /** Adapters whose service said to wait, and until when (ISO 8601). */
  readonly pauses: readonly { readonly adapter: string; readonly until: string }[];
  /** Predicted conflicts of works as they are now. */
  readonly conflicts: readonly PredictedConflict[];
  /** The person stops the whole program. */
  readonly isStopping: boolean;
}

export const emptyLiveState: LiveState = {
  wave: null,
  cycle: 0,
  agents: [],
  ended: null,
  checks: [],
  facts: null,
  screen: { kind: 'overview' },
  prompt: null,
  chosen: null,
  isWindingDown: false,
  pauses: [],
  conflicts: [],
  isStopping: false,
};

/** The agent the keys are about; null when none runs. */
export function findChosenAgentRow({ agents, chosen }: LiveState): LiveAgentRow | null {
  return agents.find(({ id }) => id === chosen) ?? agents[0] ?? null;
}

/** An agent that runs, or the ended one that is still looked at. */
export function findLiveAgentRow({ agents, ended }: LiveState, id: string): LiveAgentRow | null {
  return agents.find((row) => row.id === id) ?? (ended?.id === id ? ended : null);
}
