import type { LiveAgentRow, LiveState, LiveTask, RunningDiagnostic } from './live-state.ts';

/** Something that has a row: a task, an agent that works on none, a check of something else. */
export interface LiveRow {
  /** The id of its task, agent or check. */
  readonly key: string;
  readonly title: string;
  readonly task: LiveTask | null;
  /** Who works on it now. */
  readonly agent: LiveAgentRow | null;
  /** Its check or setup that runs now. */
  readonly check: RunningDiagnostic | null;
}

/** Beyond so many, tasks stand by their state: what is at work must not be looked for. */
const mostInOrder = 30;

/** All rows: what belongs to no task first, then every task in the order of the plan. */
export function listLiveRows({ agents, checks, facts }: LiveState): readonly LiveRow[] {
  const tasks = facts?.tasks ?? [];
  const known = new Set(tasks.map(({ id }) => id));
  const isOfTask = ({ about }: RunningDiagnostic): boolean => known.has(about.replace(/^setup of /, ''));
  const apart = [
    ...checks.filter((check) => !isOfTask(check)).map(rowOfCheck),
    ...agents.filter(({ task }) => task === null || !known.has(task)).map(rowOfAgent),
  ];
  const rows = tasks.flatMap((task) => rowsOfTask(task, agents, checks));
  return [...apart, ...(rows.length > mostInOrder ? sortByState(rows) : rows)];
}

function rowOfCheck(check: RunningDiagnostic): LiveRow {
  return { key: check.id, title: check.about, task: null, agent: null, check };
}

function rowOfAgent(agent: LiveAgentRow): LiveRow {
  return { key: agent.id, title: agent.task ?? roleTitles[agent.role], task: null, agent, check: null };
}

const roleTitles: Readonly<Record<LiveAgentRow['role'], string>> = {
  planner: 'Makes the plan',
  worker: 'Works',
  validator: 'Judges the work',
  merger: 'Solves a conflict',
  queen: 'Leads the run',
};

/** One row, and another for each further agent: several attempts at one task run at once. */
function rowsOfTask(
  task: LiveTask,
  agents: readonly LiveAgentRow[],
  checks: readonly RunningDiagnostic[],
): readonly LiveRow[] {
  const { id, title } = task;
  const [agent = null, ...others] = agents.filter((one) => one.task === id);
  const check = checks.find(({ about }) => about === id || about === `setup of ${id}`) ?? null;
  return [
    { key: id, title, task, agent, check },
    ...others.map((other): LiveRow => ({ key: other.id, title, task, agent: other, check: null })),
  ];
}

function sortByState(rows: readonly LiveRow[]): readonly LiveRow[] {
  return [...rows].sort((one, other) => urgency(one) - urgency(other));
}

function urgency({ task, agent, check }: LiveRow): number {
  if (agent !== null || check !== null) return 0;
  switch (task?.status) {
    case 'claimed':
      return 1;
    case 'failed':
    case 'blocked':
      return 2;
    case 'requeued':
      return 3;
    case 'pending':
      return task.why === '' ? 4 : 5;
    default:
      return task?.verdict === 'fail' ? 2 : 6;
  }
}

/** The row that the keys are about; null: there is none. */
export function findChosenRow(state: LiveState, rows: readonly LiveRow[] = listLiveRows(state)): LiveRow | null {
  const { chosen, ended } = state.screen;
  const found = rows.find(({ key }) => key === chosen);
  if (found !== undefined) return found;
  if (chosen !== null && chosen === ended) return { key: chosen, title: chosen, task: null, agent: null, check: null };
  const working = rows.find(({ agent, check }) => agent !== null || check !== null);
  return working ?? rows.find(({ task }) => task?.status === 'claimed') ?? rows[0] ?? null;
}

/** The agent whose stream is looked at: the one at work on the chosen row, else the last; null: there is none. */
export function findStreamAgent(state: LiveState): string | null {
  const row = findChosenRow(state);
  if (row?.agent != null) return row.agent.id;
  const { ended } = state.screen;
  if (ended !== null) return ended;
  return row?.task == null || row.task.status === 'pending' ? null : row.task.agent;
}
