import { listChangesetsToShow } from '../../core/changesets/changesets-to-show.ts';
import { chooseTryCommand } from '../../core/changesets/choose-try-command.ts';
import { computeBudgetState } from '../../core/schedule/budget-state.ts';
import { listPlannedOverlaps, predictTaskBatches } from '../../core/schedule/predict-batches.ts';
import { findSharedLock } from '../../core/schedule/shared-locks.ts';
import { nextAttemptNumber } from '../../core/task/task-history.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { readRoleBudget } from '../../domain/config/role-adapter-and-model.ts';
import type { PlannedOverlap } from '../../domain/ports/gates.ts';
import type { TryWorktree } from '../../domain/ports/git-try-worktrees.ts';
import type { AdmittedSession, OneSessionSnapshot } from '../../domain/ports/store-port.ts';
import type { Role } from '../../domain/role.ts';
import { hasFailedDiagnostic } from '../../domain/state/changeset-facts.ts';
import type { PlannedTask } from '../../domain/state/plan-schema.ts';
import { deriveSessionTitle, findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type {
  BoardBudget,
  BoardOverlap,
  BoardSession,
  BoardState,
  BoardTask,
} from '../../domain/view-models/board-view.ts';
import { nameDecider } from '../../ui/text/printable-text.ts';
import { readSelectedSession, type SelectedSession } from '../context/open-notes-context.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { isSessionBusy } from '../context/session-lock.ts';
import { readTaskWaitReasons } from '../context/waits-and-conflicts.ts';
import { type openSessionLog, tellSessionStory } from './session-story.ts';

/** A session as read from the refs: everything but what runs at this moment. */
export interface SessionFromRefs
  extends Pick<BoardState, 'session' | 'sessions' | 'tasks' | 'changesets' | 'waves' | 'runs' | 'log' | 'notices'> {
  /** Agents that were booked, the latest last. */
  readonly ran: readonly string[];
  /** What one agent of a role may spend. */
  readonly budgetOf: (role: Role) => BoardBudget | null;
}

/** Chooses the command that continues a session on which none is at work; null: nothing is left to do. */
export type NextCommand = (standing: AdmittedSession) => Promise<string | null>;

const mostSessions = 30;

/** Reads the session from the refs again. Throws FlameError `no-session` where the one named isn't there. */
export async function readSessionFromRefs(
  reading: ReadContext,
  selected: SelectedSession,
  {
    config,
    log,
    nextOf,
  }: {
    readonly config: Config | null;
    readonly log: ReturnType<typeof openSessionLog>;
    readonly nextOf: NextCommand | null;
  },
): Promise<SessionFromRefs> {
  const { store } = reading;
  const look = await readSelectedSession(store, selected);
  const session = selected.pick(look);
  const sessions = listSessions(look);
  const notices = look.problems.map(({ ref, object, message }) => `${ref} ${object}: ${message}`);
  if (session === null) return { ...empty, sessions, notices };
  const standing = look.admitted(session.id);
  const waits = await readTaskWaitReasons(reading, session, standing.tasks);
  const { times, ...story } = tellSessionStory(standing.session, standing.tasks, await log(session.id));
  return {
    session: {
      ...describeSession(standing.session, config),
      next:
        nextOf === null || isSessionBusy(reading.git.repository.commonDir, session.id) ? null : await nextOf(standing),
    },
    sessions,
    tasks: listBoardTasks(standing.session, standing.tasks, { waits, times, config }),
    changesets: describeChangesets(standing.session, standing.tasks, await reading.git.tryWorktrees()),
    ...story,
    notices,
    ran: session.agents.map(({ id }) => id),
    budgetOf: (role) => (config === null ? null : readRoleBudget(config, role)),
  };
}

const empty: Omit<SessionFromRefs, 'sessions' | 'notices'> = {
  ...{ session: null, tasks: {}, changesets: [], waves: [], runs: [], log: [], ran: [], budgetOf: () => null },
};

function listSessions({ sessions }: Pick<OneSessionSnapshot, 'sessions'>): BoardState['sessions'] {
  return sessions
    .slice(-mostSessions)
    .reverse()
    .map((session) => {
      const { id, state, wave, created_at, cost_usd } = session;
      return { id, state, wave, created_at, cost_usd, title: deriveSessionTitle(session) };
    });
}

function describeSession(session: Session, config: Config | null): Omit<BoardSession, 'next'> {
  const { id, objective, base_branch, cycle, wave, state, created_at, cost_usd, tokens, spend, estimate } = session;
  const target = findLandingBranch(session);
  return {
    id,
    objective,
    base_branch,
    cycle,
    wave,
    state,
    created_at,
    cost_usd,
    tokens,
    title: deriveSessionTitle(session),
    lands_on: target === base_branch ? null : target,
    budget: config === null ? null : budgetOf(config, session),
    spend: Object.entries(spend).map(([role, { runs, cost_usd: cost }]) => ({ role, runs, cost_usd: cost })),
    estimate_usd: estimate?.base_usd ?? null,
  };
}

function budgetOf(config: Config, session: Session): BoardSession['budget'] {
  const { unit, spent, limit } = computeBudgetState(config, session);
  return { unit, spent, limit };
}

function describeChangesets(
  session: Session,
  tasks: readonly Task[],
  tried: readonly TryWorktree[],
): BoardState['changesets'] {
  return listChangesetsToShow(session, tasks).map((changeset) => {
    const { id, group, tasks, state, commit, diffstat, reason } = changeset;
    return {
      id,
      group,
      tasks,
      state,
      commit,
      diffstat,
      reason,
      red: hasFailedDiagnostic(changeset),
      by: nameDecider(changeset),
      try_command: chooseTryCommand(changeset, session, tried),
    };
  });
}

/** The tasks of a session, and of the plan that waits for its gate. */
export function listBoardTasks(
  { proposal, agents }: Pick<Session, 'proposal' | 'agents'>,
  tasks: readonly Task[],
  {
    waits,
    times,
    config,
  }: {
    readonly waits: ReadonlyMap<string, readonly string[]>;
    readonly times: ReadonlyMap<string, BoardTask['times']>;
    readonly config: Config | null;
  },
): BoardState['tasks'] {
  const overlaps = taskOverlaps({ tasks, proposal: proposal ?? [] }, config);
  const spent = new Map<string, { cost_usd: number; tokens: number }>();
  for (const { task_id: id, cost_usd, tokens } of agents) {
    if (id === null) continue;
    const before = spent.get(id) ?? { cost_usd: 0, tokens: 0 };
    spent.set(id, { cost_usd: before.cost_usd + cost_usd, tokens: before.tokens + tokens });
  }
  const nothing = { cost_usd: 0, tokens: 0 };
  const settled = new Set<string>(
    tasks.filter(({ status }) => status === 'done' || status === 'merged').map(({ id }) => id),
  );
  const known = tasks.map((task): readonly [string, BoardTask] => {
    // Unmet dependencies are shown anyway: reasons are added only where all of them are met.
    const isNext = task.dependencies.every((id) => settled.has(id));
    const why = isNext ? (waits.get(task.id) ?? []) : [];
    const overlap = overlaps.get(task.id) ?? null;
    return [
      task.id,
      { ...describeTask(task, why), times: times.get(task.id) ?? [], overlap, ...(spent.get(task.id) ?? nothing) },
    ];
  });
  const proposed = (proposal ?? []).map((task): readonly [string, BoardTask] => [
    task.id,
    describePlanned(task, overlaps.get(task.id) ?? null),
  ]);
  return Object.fromEntries([...known, ...proposed]);
}

function describeTask(
  task: Task,
  waits: readonly string[],
): Omit<BoardTask, 'cost_usd' | 'tokens' | 'overlap' | 'times'> {
  const { title, status, cohesion_group: group, priority, file_locks: locks, history, reason } = task;
  return {
    title,
    status,
    group,
    priority,
    locks,
    verdict: status === 'done' || status === 'merged' ? task.result.status : null,
    needs: task.dependencies,
    by: task.agent_id ?? task.claimed_by,
    attempts: nextAttemptNumber(history) - 1 + (status === 'claimed' ? 1 : 0),
    because: reason === null || reason === '' ? waits : [reason],
  };
}

function describePlanned(task: PlannedTask, overlap: BoardOverlap | null): BoardTask {
  const { title, cohesion_group: group, priority, dependencies: needs, file_locks: locks } = task;
  return {
    title,
    group,
    priority,
    needs,
    locks,
    overlap,
    status: 'proposed',
    verdict: null,
    times: [],
    by: null,
    attempts: 0,
    cost_usd: 0,
    tokens: 0,
    because: [],
  };
}

/** The most tasks compared, in their order: each is compared with each at every change of a board. */
const mostForeseen = 150;

interface Planned {
  readonly tasks: readonly Task[];
  readonly proposal: readonly PlannedTask[];
}

/**
 * Finds the tasks that each task shares files with, by its id: for started work, what it was built on beside its
 * dependencies; for the rest, the prediction shown at the plan's gate. `config` null: nothing is predicted.
 */
function taskOverlaps({ tasks, proposal }: Planned, config: Config | null): ReadonlyMap<string, BoardOverlap> {
  const found = new Map<string, BoardOverlap>();
  for (const task of tasks) {
    const below = builtOn(task, tasks);
    if (below.length > 0) found.set(task.id, { kind: 'build-on', below });
  }
  if (config === null) return found;
  const { development, overlap: kind } = config.concurrency;
  const foresee = (all: Parameters<typeof listPlannedOverlaps>[0]): readonly PlannedOverlap[] =>
    listPlannedOverlaps(all, predictTaskBatches(all, development));
  const began = tasks.filter(({ status }) => status === 'claimed');
  const open = [...began, ...tasks.filter(isWaiting)].slice(0, mostForeseen);
  const waiting = new Set<string>(open.filter(isWaiting).map(({ id }) => id));
  const foreseen = [
    ...foresee(open).filter(({ task }) => waiting.has(task)),
    ...foresee(proposal.slice(0, mostForeseen)),
  ];
  for (const { task, below } of foreseen) found.set(task, { kind, below });
  return found;
}

function isWaiting({ status }: Task): boolean {
  return status === 'pending' || status === 'requeued' || status === 'blocked';
}

function builtOn(task: Task, tasks: readonly Task[]): BoardOverlap['below'] {
  if (isWaiting(task) || task.status === 'dropped') return [];
  return (task.built_on ?? [])
    .filter(({ task: id }) => !task.dependencies.includes(id))
    .map(({ task: id }) => {
      const other = tasks.find((one) => one.id === id);
      return { task: id, lock: other === undefined ? null : findSharedLock(task, other) };
    });
}
