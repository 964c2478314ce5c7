import type { HintState } from '../agent-messages.ts';
import type { AnsweredQuestion, CheckDescription, PendingQuestion } from '../questions/question-data.ts';
import type { Role } from '../role.ts';
import type { Changeset } from '../state/changeset.ts';
import type { FileStat } from '../state/patch.ts';
import type { Wave } from '../state/session-facts.ts';
import type { Session } from '../state/session-schema.ts';
import type { Spending } from '../state/spending.ts';
import type { TaskStatus } from '../state/task-schema.ts';
import type { Verdict } from '../state/verdict.ts';

/** State of a session on the board at one moment, without the details of one task. Texts are as they are stored. */
export interface BoardState {
  /** Whether a command is at work on the session at this moment. */
  readonly is_running: boolean;
  /** null: no session was ever started. */
  readonly session: BoardSession | null;
  /** The newest first. */
  readonly sessions: readonly BoardSessionLine[];
  /** By id. */
  readonly tasks: Readonly<Record<string, BoardTask>>;
  /** The waves of the current cycle, in order; none without a session. */
  readonly waves: readonly BoardWave[];
  /** Agents that have ended, the latest last. */
  readonly runs: readonly BoardAgentTime[];
  /** Agents that run on this machine. */
  readonly agents: readonly BoardAgent[];
  /** Hints to agents, in order; those of an agent that has ended stay a while. */
  readonly hints: readonly BoardHint[];
  /** Diagnostics and setup commands that run. */
  readonly checks: readonly BoardCheck[];
  /** The latest that have ended, the newest first. */
  readonly ended_checks: readonly BoardEndedCheck[];
  /** The question that can be answered here; null: none. */
  readonly gate: PendingQuestion | null;
  /** Answers given while the run goes; the newest first. */
  readonly decided: readonly AnsweredQuestion[];
  /** Changesets of this cycle. */
  readonly changesets: readonly BoardChangeset[];
  /** Notices for a person: conflicts ahead, services that asked to wait. */
  readonly notices: readonly string[];
  /** The newest first. */
  readonly log: readonly BoardLogLine[];
}

/** Before anything was read. */
export const emptyBoardState: BoardState = {
  is_running: false,
  session: null,
  sessions: [],
  tasks: {},
  waves: [],
  runs: [],
  agents: [],
  hints: [],
  checks: [],
  ended_checks: [],
  gate: null,
  decided: [],
  changesets: [],
  notices: [],
  log: [],
};

/** What may be spent; `limit` 0 is unlimited. */
export interface BoardBudget {
  readonly unit: 'usd' | 'tokens';
  readonly limit: number;
}

export interface BoardSession
  extends Pick<
    Session,
    'id' | 'objective' | 'base_branch' | 'cycle' | 'wave' | 'state' | 'created_at' | 'cost_usd' | 'tokens'
  > {
  readonly title: string;
  /** Where it lands, where that is not the base branch. */
  readonly lands_on: string | null;
  /** null: the configuration can't be read. */
  readonly budget: (BoardBudget & { readonly spent: number }) | null;
  /** Spending of each role by agents that have ended. */
  readonly spend: readonly { readonly role: string; readonly runs: number; readonly cost_usd: number }[];
  /** What the plan was estimated to cost, in USD; null: it was not. */
  readonly estimate_usd: number | null;
  /** The command that continues; null: nothing is left to do, or a command is at it. */
  readonly next: string | null;
}

export interface BoardWave {
  readonly wave: Wave;
  /** `now`: the session is in it. `next`: not reached in this cycle. */
  readonly stands: 'done' | 'now' | 'next';
  /** Milliseconds, without what has passed since `since`. */
  readonly took_ms: number;
  /** Since when the session is in it, milliseconds since 1970; null: it isn't, or is stopped. */
  readonly since: number | null;
}

/** The work of an agent that has ended; times in milliseconds since 1970. */
export interface BoardAgentTime {
  readonly id: string;
  readonly role: Role;
  readonly task: string | null;
  readonly from: number;
  readonly to: number;
  readonly outcome: string;
  readonly cost_usd: number;
}

/** A time in a task's life: `checks` until its verdict, `decides` until it landed. `to` null: it lasts. */
export interface BoardTaskTime {
  readonly kind: 'waits' | 'blocked' | 'works' | 'checks' | 'decides' | 'failed' | 'landed' | 'dropped';
  readonly from: number;
  readonly to: number | null;
}

export interface BoardSessionLine extends Pick<Session, 'id' | 'state' | 'wave' | 'created_at' | 'cost_usd'> {
  readonly title: string;
}

export interface BoardTask extends Spending {
  readonly title: string;
  /** proposed: its plan waits for a person. */
  readonly status: TaskStatus | 'proposed';
  /** The verdict of its checks; null: none yet. */
  readonly verdict: 'pass' | 'fail' | null;
  /** One after another, from its creation on; none of one that is planned. */
  readonly times: readonly BoardTaskTime[];
  readonly group: string;
  /** 1 is the highest. */
  readonly priority: number;
  /** Ids of tasks that have to be done before it. */
  readonly needs: readonly string[];
  /** Others that it shares files with; null: none come before it. */
  readonly overlap: BoardOverlap | null;
  readonly locks: readonly string[];
  /** The worker, or the last one: an agent's id, or a person. */
  readonly by: string | null;
  readonly attempts: number;
  /** Why it failed, is blocked or was dropped; or why it waits, beside what it needs. One line each. */
  readonly because: readonly string[];
}

/** Tasks before one that share files with it, and what that comes to: their work below its own, or two from the base. */
export interface BoardOverlap {
  readonly kind: 'build-on' | 'separate';
  /** `lock`: what both may change; null: it is not known any more. */
  readonly below: readonly { readonly task: string; readonly lock: string | null }[];
}

export interface BoardAgent extends Spending {
  readonly id: string;
  readonly role: Role;
  readonly task: string | null;
  readonly adapter: string;
  readonly started_at: string;
  readonly last_activity_at: string;
  readonly activity: string;
  /** The latest lines of its output, the oldest first; few, and short. */
  readonly recent: readonly BoardStreamLine[];
  /** What it may spend; null: that isn't known. */
  readonly budget: BoardBudget | null;
  /** How many of its calls the watcher refused. */
  readonly blocked: number;
}

/** A hint of the person to an agent at work. */
export interface BoardHint {
  readonly id: string;
  readonly agent: string;
  readonly text: string;
  /** `left`: its model has not got it yet. */
  readonly state: 'left' | HintState;
  /** `followed`: the tools it called next. */
  readonly next: string;
}

export interface BoardCheck {
  readonly id: string;
  readonly command: string;
  /** Its subject: a task, a changeset, the base. */
  readonly about: string;
  readonly started_at: string;
  /** The end of what it has printed. */
  readonly output: string;
  /** Results of earlier runs on the same. */
  readonly before: readonly (Omit<CheckDescription, 'output'> & { readonly took_ms: number })[];
}

/** The result of a check or setup command. */
export interface BoardEndedCheck extends Pick<BoardCheck, 'id' | 'about'>, Omit<CheckDescription, 'output'> {
  readonly ended_at: string;
  readonly took_ms: number;
}

export interface BoardChangeset
  extends Pick<Changeset, 'id' | 'group' | 'tasks' | 'state' | 'commit' | 'diffstat' | 'reason'> {
  readonly red: boolean;
  readonly by: string | null;
  /** What to type to try it: `cd` where that is prepared. null: it was decided. */
  readonly try_command: string | null;
}

export interface BoardLogLine {
  readonly at: string;
  /** '' where the text names who it was. */
  readonly who: string;
  /** What it is about; null: the session. */
  readonly task: string | null;
  readonly text: string;
}

/** All that is known of one task. */
export interface BoardTaskDetails {
  readonly description: string;
  readonly acceptance: readonly string[];
  readonly constraints: readonly string[];
  readonly adapter: string | null;
  readonly model: string | null;
  /** Its worker's prompt, as far as that is known before it starts; null: `prompt_missing` has the reason. */
  readonly prompt: { readonly system: string; readonly prompt: string } | null;
  readonly prompt_missing: string;
  readonly attempts: readonly BoardAttempt[];
  readonly verdicts: readonly BoardVerdict[];
  /** Notes of others that it gets, or that it left. */
  readonly notes: readonly { readonly from: string; readonly text: string }[];
  readonly agents: readonly BoardAgentRun[];
  readonly files: readonly FileStat[];
  /** Commands to type. */
  readonly next: readonly string[];
}

export interface BoardAttempt {
  readonly number: number;
  readonly agent: string | null;
  readonly at: string;
  readonly result: string;
  readonly notes: string;
  readonly rejection: string | null;
}

export interface BoardVerdict extends Pick<Verdict, 'status' | 'by' | 'at' | 'notes' | 'issues'> {
  readonly override: string | null;
  readonly checks: readonly CheckDescription[];
}

/** An agent that worked on, or judged, a task. */
export interface BoardAgentRun extends Spending {
  readonly id: string;
  readonly role: Role | null;
  readonly outcome: string;
  readonly took_ms: number | null;
  /** Calls that its watcher refused, the most frequent first. */
  readonly blocked: readonly string[];
}

/** A piece of an agent's stream. */
export interface BoardStreamLine {
  readonly kind: 'said' | 'call' | 'blocked' | 'gap';
  readonly text: string;
}
