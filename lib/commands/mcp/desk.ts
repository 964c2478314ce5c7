import type { Config } from '../../domain/config/config.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import type { SessionView } from '../../engine/record.ts';
import type { Workshop } from '../../engine/workshop.ts';
import type { Reading } from '../open/read-state.ts';
import type { Advice } from './advise-model.ts';

/** What the tools look at. */
export interface DeskView {
  readonly reading: Pick<Reading, 'git'>;
  readonly config: Config;
  readonly root: string;
  /** The session that is led; null: there is none. */
  readonly view: SessionView | null;
}

/** What an acting tool works with. */
export interface Acting {
  readonly workshop: Workshop;
  /** Throws FlameError `no-session` where there is none. */
  requireSession(): SessionId;
  /** The session that is led, or a new one for an objective and its first tasks. Throws FlameErrors `no-objective`, `bad-plan`. */
  openSession(objective: string | null, tasks: readonly PlannedTask[]): Promise<SessionId>;
  /** Does what no other command may do beside it. Throws FlameError `session-busy`. */
  locked<T>(session: SessionId, work: () => Promise<T>): Promise<T>;
}

/** Where a model leads one session from: the same for a person's chat and for an agent in a cell. */
export interface Desk {
  /** Who leads, for the record. */
  readonly by: AgentId;
  /** How the model tells the person of what only they can mend, in words for it. */
  readonly tellLead: string;
  /** How long a call may wait at most, in milliseconds: the client takes longer for a failure. */
  readonly longestWaitMs: number;
  /** Looks, and changes nothing; opens the repository when it is called first. */
  look(): Promise<DeskView>;
  /** Does acting calls one after another. Throws FlameError `queen-busy` where another model leads this session. */
  act<T>(work: (acting: Acting) => Promise<T>): Promise<T>;
  /** What was reported at each cursor, by what it is about; the latest few. */
  readonly reported: Map<string, Standing>;
  /** Waits for what couldn't come, one after another; `giveUp` ends a model that is the run's own. */
  readonly idle: { waits: number; giveUp(): void };
  /** Starts work on what is assigned, unless it goes on already. */
  startWork(session: SessionId): void;
  /** What became of the work that was started. */
  readonly work: WorkState;
  /** Has the person decide about the plan that is proposed, where that can be waited for; null: it can't be. */
  readonly askPlan: ((session: SessionId) => Promise<void>) | null;
  /** Whether a person started her to lead this session. */
  readonly isAppointed: boolean;
  /** A call begins. */
  begin(): void;
  /** Tells the person of a call that is over, and keeps it in the audit. */
  note(report: CallReport): void;
  /** She has said that it is over: nothing more is done for her. */
  end(outcome: 'completed' | 'failed'): void;
}

/** Where the model talks with the person. */
export const tellInChat =
  'Only the project lead can mend this: tell them, with what for_lead has, then call it again';

/** How a call went; `error` null: it was done. */
export interface CallReport {
  readonly tool: string;
  readonly about: string;
  readonly error: FlameError | null;
}

/** How things stood, by what they are. */
export type Standing = ReadonlyMap<string, string>;

export interface WorkState {
  readonly isRunning: boolean;
  /** Why the work stopped before it was done, in words for the model; null: it did not. */
  readonly trouble: (Advice & { readonly code: string; readonly message: string }) | null;
}
