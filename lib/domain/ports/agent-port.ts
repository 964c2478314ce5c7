import type { AgentQuestion, AgentQuestionReply, HintProgress } from '../agent-messages.ts';
import type { AgentPolicy } from '../agent-policy.ts';
import type { Failure } from '../failure.ts';
import type { AgentId, ObjectId, SessionId, TaskId } from '../ids.ts';
import type { Role } from '../role.ts';
import type { RequestDemand, Spending } from '../state/spending.ts';
import type { DiagnosticRun } from '../state/verdict.ts';
import type { CellWorktree } from './git-cells.ts';

/** One agent to run, adapter-neutral. */
export interface AgentRequest {
  readonly id: AgentId;
  readonly role: Role;
  readonly adapter: string;
  /** null: it works for none. */
  readonly session?: SessionId | null;
  readonly task: TaskId | null;
  readonly taskTitle?: string;
  /** 1 is the first attempt at the task. */
  readonly attempt?: number;
  /** Model id as the configuration writes it. */
  readonly model: string;
  /** The agent's role and duty, and the task's data; rendered from templates. exec: the script. */
  readonly systemPrompt: string;
  readonly prompt: string;
  /** JSON Schema of a structured answer; null where the commits are the answer. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
  readonly worktree: CellWorktree;
  /** Nothing in the worktree can be written. */
  readonly isReadOnly: boolean;
  readonly policy: AgentPolicy;
  /** Diagnostics that ran elsewhere: where it asks for one of these commands, it is shown the recorded output. */
  readonly recorded?: readonly DiagnosticRun[];
  /** Tools of the orchestrator that it may call; absent: none. */
  readonly tools?: AgentToolServer;
  /**
   * Called once with its last message before it ends, where its CLI can be held there; resolves to a message to it;
   * null: none. Once the signal is aborted the result is ignored, and the agent's end waits for it.
   */
  readonly finalCheck?: (words: string, signal: AbortSignal) => Promise<FinalCheckMessage | null>;
  /**
   * Called when its model asks the person, where its CLI can; absent: its model is offered no tool for that. Resolves
   * once it is answered, or no answer will come; once the signal is aborted the result is ignored.
   */
  readonly ask?: (questions: readonly AgentQuestion[], signal: AbortSignal) => Promise<AgentQuestionReply>;
  /** Called with each new state of hints to it. */
  readonly onHint?: (news: HintProgress) => void;
  /** Its run folder stays after its end, until it is released: after a kill before, what it spent is booked from there. */
  readonly isBooked?: true;
  readonly budget: {
    readonly unit: 'usd' | 'tokens';
    readonly limit: number;
    /** The configuration key of the limit, reported to the person who may raise it. */
    readonly key?: string;
  };
  /** 0: as long as it takes. */
  readonly timeoutMs: number;
  /** A person talks with it at the terminal. */
  readonly isInteractive: boolean;
  /** A UUID; names the transcript of an interactive agent, which needs one. */
  readonly conversation?: string;
  /** Author of its commits. */
  readonly author: { readonly name: string; readonly email: string };
}

/** The message to an agent that is about to end, and its subjects, a line each. */
export interface FinalCheckMessage {
  readonly message: string;
  readonly about: readonly string[];
}

/** Where an agent calls tools that run outside its cell. */
export interface AgentToolServer {
  /** Listens on a unix socket for the program that the agent's CLI starts for it, until it is closed. */
  listen(path: string): Promise<{ close(): Promise<void> }>;
  /** Whether a call is under way: who waits for its answer is not stuck. */
  isBusy(): boolean;
}

export interface AgentActivity extends Spending {
  /** Set where it's no activity but the lack of it: nothing was printed and nothing asked for so long. */
  readonly quiet_ms?: number;
  readonly text: string;
}

/** The budget that an agent shares with others. */
export interface SharedBudget {
  /** Whether it limits dollars: then nothing is asked whose price isn't known. */
  readonly isInUsd: boolean;
  /** Reports the agent's spending so far, as soon as an answer of the model has it. */
  note(spent: Spending): void;
  /**
   * Asked before each request to the model: how many output tokens it may have. null: it is refused, and the agent ends
   * with a failure `session-budget`. What it may use up is set aside until it is given back.
   */
  take(request: symbol, demand: RequestDemand, isGone: () => boolean): Promise<number | null>;
  giveBack(request: symbol): void;
}

export interface AuditSummary {
  readonly allowed: number;
  readonly blocked: number;
  /** The most frequent blocked calls, one line each, at most ten. */
  readonly top: readonly string[];
}

export interface AgentOutcome extends Spending {
  /** null: it did what agents do; its commits or answer decide the rest. */
  readonly failure: Failure | null;
  readonly exitCode: number | null;
  /** The structured answer, not yet validated; null if none. */
  readonly answer: unknown;
  /** Its last words. */
  readonly text: string;
  /** Its file for notes, as far as that is read; absent where there is none. */
  readonly notes?: string;
  readonly duration_ms: number;
  readonly audit: AuditSummary;
  /** Where its event stream and audit are kept. */
  readonly logFile: string;
  /** Warnings for a person, without a failure. */
  readonly warnings?: readonly string[];
}

export interface RunningAgent {
  readonly id: AgentId;
  readonly pid: number;
  /** Resolves when the agent and all its descendants are gone. */
  readonly outcome: Promise<AgentOutcome>;
  /** SIGTERM, then SIGKILL after the grace time, to the whole tree. */
  stop(graceMs: number): Promise<void>;
  /** Called once its spending is booked: its run folder may go; for one whose request has `isBooked`. */
  readonly release?: () => Promise<void>;
}

/** A person's order to end one agent. */
export interface StopAgentOrder {
  /** The person who gave the order. */
  readonly by: string;
  /** Whether its task may be tried again; no retry is used up by it. */
  readonly retry: boolean;
}

export interface CommandRun {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly duration_ms: number;
  /** stdout and stderr together, the last 4,000 characters. */
  readonly output: string;
  /** `sha256:<hex>` of all of it. */
  readonly output_hash?: string;
}

/** Runs agents and agent-written code in cells. */
export interface AgentRunner {
  /** Throws a FlameError `agent-missing`, `agent-too-old`, `unknown-model` or `no-credential` naming the way out. Returns its version. */
  checkAdapter(adapter: string): Promise<string>;
  /** Phase 2 on this machine: `bubblewrap`, or why it's missing. */
  sandbox(): Promise<{
    readonly kind: 'bubblewrap' | 'seatbelt' | 'none';
    readonly missing: readonly string[];
    /** Commands that install bubblewrap. */
    readonly cure: readonly string[];
  }>;
  /** Proves that a call which must be denied is denied, through the real chain of a model's API; spends no tokens. */
  canary(adapter: string, model: string): Promise<{ readonly denied: boolean; readonly details: string }>;
  start(
    request: AgentRequest,
    onActivity: (activity: AgentActivity) => void,
    shared?: SharedBudget,
  ): Promise<RunningAgent>;
  /** A diagnostic, a setup command: a shell line in a cell that reaches what `sandbox.egress` names for that. */
  runCommand(request: {
    readonly command: string;
    readonly phase: 'setup' | 'diagnostics';
    /**
     * Of a setup where agents wrote what is in the worktree: the person's own commit it came from. It reaches what
     * `sandbox.egress.diagnostics` names, but for an install whose outcome is known by files that are as in this commit.
     */
    readonly basedOn?: ObjectId | undefined;
    readonly worktree: CellWorktree;
    readonly timeoutMs: number;
    readonly label: string;
    /** Shown while it runs. */
    readonly about?: CommandPurpose;
    /** Ends it once its result isn't needed any more. */
    readonly signal?: AbortSignal;
  }): Promise<CommandRun>;
  /** Counts calls that the watcher allowed and blocked in an agent's run; zeros where there is no audit. */
  auditOf(agent: string): Promise<AuditSummary>;
  /** Memory each agent of this process uses now, in MB; 0 where the system doesn't report it. */
  usedMemoryMb(): readonly number[];
  /** Registered agents whose process still lives, from any process of this machine. */
  listLiveAgents(): Promise<readonly LiveAgent[]>;
  /**
   * Ends one agent of any process of this machine: SIGTERM, SIGKILL after 5 s, to all in its cell. Its outcome is a
   * failure `agent-stopped`. Resolves when it is gone, to false where no such agent lives.
   */
  stop(agent: string, order: StopAgentOrder): Promise<boolean>;
  close(): Promise<void>;
}

/** The purpose of a command in a cell. */
export interface CommandPurpose {
  readonly session: SessionId | null;
  /** `task-001`, `changeset auth`, `the base`. */
  readonly words: string;
  /** Runs of the same row that have ended. */
  readonly before?: readonly DiagnosticRun[];
}

/** As `git flame status --json` lists it. */
export interface LiveAgent extends Spending {
  readonly id: string;
  readonly role: Role;
  readonly task_id: string | null;
  readonly pid: number;
  readonly started_at: string;
}

/** Facts of a living agent beside those in the status. */
export interface RegisteredAgent extends LiveAgent {
  /** null of one that works for no session. */
  readonly session: string | null;
  readonly adapter: string;
  readonly worktree: string;
  /** Its last message or action, '' at first. */
  readonly activity: string;
  /** When its stream or its audit last grew. */
  readonly last_activity_at: string;
}
