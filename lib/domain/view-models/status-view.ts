import { canonicalDigest } from '../../util/canonical-digest.ts';
import { compareText } from '../../util/sort-and-group.ts';
import type { ObjectId, TaskId } from '../ids.ts';
import type { LiveAgent } from '../ports/agent-port.ts';
import type { QuestionData } from '../questions/question-data.ts';
import type { Changeset } from '../state/changeset.ts';
import { hasFailedDiagnostic } from '../state/changeset-facts.ts';
import type { Session } from '../state/session-schema.ts';
import type { Spending } from '../state/spending.ts';
import type { Task, UnverifiedCompletion } from '../state/task-schema.ts';

/** Decisions of another clone that this clone's person has not decided on: they are ignored until then. */
export interface Proposals {
  /** The session itself: what it is for and where it lands. */
  readonly session: boolean;
  /** Ids of tasks to run. */
  readonly tasks: readonly string[];
  /** Ids of changesets approved elsewhere. */
  readonly approvals: readonly string[];
  readonly raised_limit: number | null;
  /** Ids of tasks judged elsewhere. */
  readonly verdicts: readonly string[];
}

/** Spending of a session apart from its sum; each is absent where there is none. */
export interface SpendingBreakdown {
  /** Spending of agents on each machine, where several spent. */
  readonly spent_by_machine?: Readonly<Record<string, Spending>>;
  /** Reservations of machines that were given up: they count as spent until their clones report the real sum. */
  readonly presumed_spent?: Spending & { readonly machines: readonly string[] };
}

/** Output of `git flame status --json`: stable, scripts rely on it. */
export interface SessionStatusView {
  readonly schema_version: 1;
  readonly session:
    | null
    | (Pick<
        Session,
        'id' | 'title' | 'objective' | 'base_branch' | 'landing' | 'cycle' | 'wave' | 'state' | 'cost_usd' | 'tokens'
      > &
        SpendingBreakdown & {
          /** A hash of what was approved, the same in every clone; absent before a plan was. */
          readonly plan_digest?: string;
          /** How many tasks the plan has that waits to be approved; absent where none does. */
          readonly proposed_tasks?: number;
        });
  readonly tasks: readonly Task[];
  readonly agents: readonly LiveAgent[];
  readonly changesets: readonly (Pick<Changeset, 'id' | 'group' | 'tasks' | 'state' | 'commit' | 'landed_commit'> & {
    /** Whether a diagnostic failed on the merged tree. */
    readonly red: boolean;
  })[];
  /** Absent where nothing is known of it. */
  readonly proposals?: Proposals;
  /** Open questions of this machine's runs; absent: none. */
  readonly asks?: readonly AskedQuestion[];
  /** Unverified completions; absent where there are none. */
  readonly doubts?: readonly UnverifiedCompletion[];
  /** Predicted conflicts of works as they are now; absent where there are none. */
  readonly conflicts_ahead?: PredictedConflicts;
  /** Notes for later tasks; `elsewhere`: those that wait for a person's acceptance. Absent where there are none. */
  readonly notes?: { readonly active: number; readonly elsewhere: number };
  /** Pending tasks that nothing they depend on holds back, and that wait all the same; absent where there is none. */
  readonly waits?: readonly TaskWait[];
}

/** A question that waits for an answer. */
export interface AskedQuestion {
  readonly id: string;
  readonly gate: QuestionData['gate'];
  /** The question in one line, as it is stored. */
  readonly asks: string;
  readonly asked_at: string;
  /** The command that shows how it is answered. */
  readonly next: string;
}

/** Why a task is not worked on, where it is not what it depends on. */
export interface TaskWait {
  readonly task: string;
  /** One line each. */
  readonly because: readonly string[];
}

/** The status of a session; without one everything is empty. */
export function buildStatusView(
  session: Session | null,
  tasks: readonly Task[],
  agents: readonly LiveAgent[],
  {
    asks = [],
    proposals,
    doubts = [],
    ahead,
    waits = [],
    notes,
    spending = {},
    isText = false,
  }: {
    readonly asks?: readonly AskedQuestion[];
    readonly proposals?: Proposals | undefined;
    readonly doubts?: readonly UnverifiedCompletion[];
    readonly ahead?: PredictedConflicts | undefined;
    readonly waits?: readonly TaskWait[];
    readonly notes?: SessionStatusView['notes'];
    readonly spending?: SpendingBreakdown;
    /** Text for a person has no digest of the plan. */
    readonly isText?: boolean;
  } = {},
): SessionStatusView {
  if (session === null) {
    return { schema_version: 1, session: null, tasks: [], agents: [], changesets: [] };
  }
  const plan = session.cycle === 0 || isText ? {} : { plan_digest: digestPlanTasks(tasks) };
  return {
    schema_version: 1,
    session: outlineOf(session, spending, plan),
    tasks,
    agents,
    changesets: session.changesets.map((set) => ({
      id: set.id,
      group: set.group,
      tasks: set.tasks,
      state: set.state,
      commit: set.commit,
      landed_commit: set.landed_commit,
      red: hasFailedDiagnostic(set),
    })),
    ...(asks.length === 0 ? {} : { asks }),
    ...(proposals === undefined ? {} : { proposals }),
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(ahead === undefined ? {} : { conflicts_ahead: ahead }),
    ...(waits.length === 0 ? {} : { waits }),
    ...(notes === undefined ? {} : { notes }),
  };
}

function outlineOf(
  { id, title, objective, base_branch, landing, cycle, wave, state, cost_usd, tokens, proposal }: Session,
  spending: SpendingBreakdown,
  plan: { readonly plan_digest?: string },
): NonNullable<SessionStatusView['session']> {
  return {
    id,
    ...(title === undefined ? {} : { title }),
    objective,
    base_branch,
    ...(landing === undefined ? {} : { landing }),
    cycle,
    wave,
    state,
    cost_usd,
    tokens,
    ...spending,
    ...plan,
    ...(proposal === null ? {} : { proposed_tasks: proposal.length }),
  };
}

/** A hash of what was asked of the tasks, in any order and with any progress. */
export function digestPlanTasks(tasks: readonly Task[]): string {
  const planned = tasks.map((task) => {
    const { id, title, description, file_locks, dependencies, adapter, model, role } = task;
    const { priority, cohesion_group, acceptance_criteria, constraints, attempts } = task;
    const asked = { id, title, description, file_locks, dependencies, adapter, model, role };
    return { ...asked, priority, cohesion_group, acceptance_criteria, constraints, attempts };
  });
  return `sha256:${canonicalDigest(planned.sort((a, b) => compareText(a.id, b.id)))}`;
}

/** The work of a task, as it is committed: accepted, or what an agent or a person has so far. */
export interface PredictedConflictTask {
  readonly task: TaskId;
  readonly commit: ObjectId;
  readonly at_work: boolean;
}

/** Conflict of two works, or of a work and the branch it will land on, if git merged them now. */
export interface PredictedConflict {
  readonly one: PredictedConflictTask;
  /** Another task, or the branch with what has landed on it meanwhile. */
  readonly other: PredictedConflictTask | { readonly branch: string; readonly commit: ObjectId };
  /** In git's order. None where git names no file, as for a folder that both rename. */
  readonly paths: readonly string[];
  /** The two share no history, so that git doesn't merge them at all. */
  readonly unrelated: boolean;
}

/** Conflicts seen before a merge meets them, as `git flame status --json` prints them. Nothing is decided by them. */
export interface PredictedConflicts {
  readonly found: readonly PredictedConflict[];
  /** Pairs that may conflict and were not tried, or could not be. */
  readonly untried_pairs: number;
  /** Tasks whose work was not looked at: more than are looked at, or their commits can't be read. */
  readonly unseen_tasks: number;
}
