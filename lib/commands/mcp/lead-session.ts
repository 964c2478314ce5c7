import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../domain/config/config-schema.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { PlannedTask } from '../../domain/state/plan-schema.ts';
import type { RunEventSink } from '../../domain/view-models/run-event.ts';
import { leadToolError } from '../../engine/lead-agent/lead-tool-errors.ts';
import { workOnAssignedTasks } from '../../engine/lead-agent/work-on-assigned.ts';
import type { SessionView } from '../../engine/record-changes.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { resumeSession } from '../../engine/run-session.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { tryCloneLock } from '../context/session-lock.ts';
import { adviseModelOnError, type ErrorAdvice, toolErrorToFlameError } from './tool-results.ts';

/** State for read-only tools. */
export interface LeadReadContext {
  readonly reading: Pick<ReadContext, 'git'>;
  readonly config: Config;
  readonly root: string;
  /** The session that is led; null: there is none. */
  readonly view: SessionView | null;
}

/** State for tools that change something. */
export interface LeadWriteContext {
  readonly context: RunContext;
  readonly session: SessionId;
}

/** A session to begin where none is open. */
export interface NewSessionStart {
  readonly objective: string | null;
  readonly tasks: readonly PlannedTask[];
}

/** A call's outcome; `error` null: it succeeded. */
export interface CallReport {
  readonly tool: string;
  readonly about: string;
  readonly error: FlameError | null;
}

/** Host of the model that leads: a person's chat, or a run. */
export interface LeadHost {
  readonly by: AgentId;
  readonly events: RunEventSink;
  /** Instruction to the model for reporting what only the person can repair. */
  readonly personInstruction: string;
  /** The longest wait of a call, in milliseconds: the client takes longer for a failure. */
  readonly longestWaitMs: number;
  /** Has the person decide about the proposed plan within the call; null in a chat, which can't wait for them. */
  readonly askPlan: ((session: SessionId) => Promise<void>) | null;
  /** Looks, and changes nothing; opens the repository when it is called first. */
  look(): Promise<LeadReadContext>;
  /**
   * Opens the state for an acting call; `begin`: where no session is open, it begins one. `isWorking`: agents run, and
   * keep the configuration they were started with. Throws FlameErrors `no-session`, `queen-busy`.
   */
  enter(begin: NewSessionStart | null, isWorking: boolean): Promise<LeadWriteContext>;
  /** Keeps other commands from working on the session meanwhile. Throws FlameError `session-busy`. */
  locked<T>(session: SessionId, work: () => Promise<T>): Promise<T>;
  spent(): { readonly cost_usd: number; readonly tokens: number };
  /** Keeps a call beside its event. */
  audit?(report: CallReport): void;
  /** Learns why the work stopped. */
  onTrouble?(error: unknown): void;
  /** Called when the model has handed over, given up, or keeps waiting for nothing. */
  end(how: 'completed' | 'failed' | 'idle'): void;
}

/** State of each thing that a wait reports, by its name. */
export type ReportedState = ReadonlyMap<string, string>;

const momentMs = 5_000;

/** One model's lead of a session: its calls in turn, the work they started, and what it knows of that. */
export class LeadSession {
  readonly host: LeadHost;
  /** What each cursor of a wait has reported; the latest few. */
  readonly reported = new Map<string, ReportedState>();
  /** Number of waits in a row that nothing could end. */
  idleWaits = 0;
  /** Calls that are under way. */
  calls = 0;
  /** Why the work stopped before it was done, in words for the model; null: it did not. */
  trouble: (ErrorAdvice & { readonly code: string; readonly message: string }) | null = null;
  isWorking = false;
  #isWanted = false;
  #worked: Promise<void> = Promise.resolve();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: LeadHost) {
    this.host = host;
  }

  /** Does acting calls one after another. Throws what `enter` of its host throws. */
  act<T>(work: (acting: LeadWriteContext) => Promise<T>, begin: NewSessionStart | null = null): Promise<T> {
    const mine = this.#turn.then(async () => work(await this.host.enter(begin, this.isWorking)));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Does what no agent may work beside. Throws FlameErrors `still-running`, `session-busy`. */
  async actAlone<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = wait(momentMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.#worked, late]);
    timer.abort();
    if (!this.isWorking) return this.host.locked(session, work);
    const message = 'Agents are still working, or waiting for their turn.';
    throw leadToolError({ code: 'still-running', message, next: 'wait_for_workers' });
  }

  /** Starts work on what is assigned, or has the work look once more before it ends. */
  startWork({ context, session }: LeadWriteContext): void {
    this.#isWanted = true;
    this.trouble = null;
    if (this.isWorking) return;
    this.isWorking = true;
    this.#worked = this.#work(context, session);
  }

  async #work(context: RunContext, session: SessionId): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        await this.host.locked(session, async () => {
          await resumeSession(context, session);
          await workOnAssignedTasks(context, session);
        });
      }
    } catch (error) {
      if (context.signal.aborted) return;
      const known = toolErrorToFlameError(error);
      const { code, message, hints } = known;
      this.host.onTrouble?.(error);
      this.trouble = { code, message, ...adviseModelOnError(known, this.host.personInstruction) };
      // For the person too, at the terminal of the run or in the log of the chat's servers.
      const stopped = { event: 'notice', level: 'warning', message: `Work has stopped: ${message}` } as const;
      context.events.emit({ ...stopped, details: hints });
    } finally {
      this.isWorking = false;
    }
  }

  /** Reports a call that is over to the person, with what the model has cost so far. */
  report(report: CallReport): void {
    this.calls -= 1;
    const { by, events } = this.host;
    const { tool, about, error } = report;
    const spent = this.host.spent();
    events.emit({
      event: 'queen-call',
      agent: by,
      tool,
      about: about.slice(0, 300),
      code: error?.code ?? null,
      ...spent,
    });
    this.host.audit?.(report);
  }

  /** Resolves once no call and no work goes on. */
  async close(): Promise<void> {
    await this.#turn;
    await this.#worked;
  }
}

/** The lead of one session at a time. */
export interface LeadLock {
  /** Takes the lead of a session, once. Throws FlameError `queen-busy` where another model has it. */
  take(session: SessionId): Promise<void>;
  release(): Promise<void>;
}

/** One model leads a session at a time: two would send back what the other approves. A dead one holds nothing. */
export function openLeadLock(commonDir: string): LeadLock {
  let held: { readonly session: SessionId; release(): Promise<void> } | null = null;
  const release = async (): Promise<void> => {
    const before = held;
    held = null;
    await before?.release();
  };
  return {
    take: async (session) => {
      if (held?.session === session) return;
      await release();
      const free = await tryCloneLock(commonDir, `${session}.queen`);
      if (free === null) {
        const message = `Another chat, or git flame run --queen, leads session ${session}.`;
        const next =
          'You can still look with get_status. To lead here, the other one must end first: ask the project lead';
        throw leadToolError({ code: 'queen-busy', message, next });
      }
      held = { session, release: free };
    },
    release,
  };
}
