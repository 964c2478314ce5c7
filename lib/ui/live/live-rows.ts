import type { BoardCheck, BoardState, BoardTask } from '../../domain/view-models/board-view.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { labelTaskStatus, type TaskStatusLabel } from '../text/task-status-label.ts';
import type { LiveAgentNews, LiveAgentRow, LiveState } from './live-state.ts';

/** A task of a row. */
export interface LiveTask extends Pick<BoardTask, 'title' | 'status' | 'verdict'> {
  readonly id: string;
  /** Why it waits, failed or is blocked, one line; '': of a pending task that it could start. */
  readonly why: string;
  /** The agent at work on it, or the last one; null: none yet. */
  readonly agent: string | null;
  /** For how long it was worked on last, in milliseconds; null: that isn't known. */
  readonly took_ms: number | null;
}

/** Something that has a row: a task, an agent that works on none, a check of something else. */
export interface LiveRow {
  /** The id of its task, agent or check. */
  readonly key: string;
  readonly title: string;
  readonly task: LiveTask | null;
  /** Who works on it now. */
  readonly agent: LiveAgentRow | null;
  /** Its check or setup that runs now. */
  readonly check: BoardCheck | null;
}

/** Beyond so many, tasks stand by their state: what is at work must not be looked for. */
const mostInOrder = 30;

/** The rows that have every word of the filter. */
export function listLiveRows(state: LiveState): readonly LiveRow[] {
  const words = state.screen.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = listAllRows(state);
  return words.length === 0 ? rows : rows.filter((row) => words.every((word) => searchedText(row).includes(word)));
}

function searchedText(row: LiveRow): string {
  const { title, task, agent } = row;
  return [title, task?.id, labelRow(row).word, task?.why, agent?.id].join(' ').toLowerCase();
}

/** What belongs to no task first, then every task in the order of the plan. */
function listAllRows(state: LiveState): readonly LiveRow[] {
  const { tasks, checks } = state.view;
  const agents = listAgentsAtWork(state);
  const isOfTask = ({ about }: BoardCheck): boolean => about.replace(/^setup of /, '') in tasks;
  const apart = [
    ...checks
      .filter((check) => !isOfTask(check))
      .map((check): LiveRow => ({ key: check.id, title: check.about, task: null, agent: null, check })),
    ...agents.filter(({ task }) => task === null || !(task in tasks)).map(rowOfAgent),
  ];
  const lastAgents = new Map(state.view.runs.map(({ task, id }) => [task, id]));
  const rows = Object.keys(tasks).flatMap((id) => rowsOfTask(describeTask(id, tasks, lastAgents), agents, checks));
  return [...apart, ...(rows.length > mostInOrder ? rows.sort((one, other) => urgency(one) - urgency(other)) : rows)];
}

/** Agents that run, with what they did since the session was read. */
export function listAgentsAtWork({ view, news }: Pick<LiveState, 'view' | 'news'>): readonly LiveAgentRow[] {
  return view.agents.flatMap((agent) => {
    const { hasEnded, ...since } = news.get(agent.id) ?? noNews;
    if (hasEnded) return [];
    return {
      ...agent,
      ...since,
      cost_usd: Math.max(agent.cost_usd, since.cost_usd),
      tokens: Math.max(agent.tokens, since.tokens),
      last: since.last === '' ? toAction(agent.activity) : since.last,
    };
  });
}

export const noNews: LiveAgentNews = {
  ...{ cost_usd: 0, tokens: 0, last: '', isStopping: false, isQuiet: false, hasEnded: false },
};

/** Characters of an action; a program may print megabytes without a line break. */
const longestAction = 400;

export function toAction(text: string): string {
  return toPrintableLine(text.slice(0, longestAction));
}

function describeTask(
  id: string,
  tasks: BoardState['tasks'],
  lastAgents: ReadonlyMap<string | null, string>,
): LiveTask {
  const task = tasks[id];
  if (task === undefined) throw new RangeError(`No task ${id}.`);
  const { title, status, verdict, by, times } = task;
  const worked = status === 'pending' ? undefined : times.findLast(({ kind, to }) => kind === 'works' && to !== null);
  return {
    ...{ id, title, status, verdict, why: reasonOf(task, tasks) },
    agent: by ?? lastAgents.get(id) ?? null,
    took_ms: worked == null || worked.to === null ? null : worked.to - worked.from,
  };
}

/** What is first in the way of a task that waits; of one that is over, what ended it. */
function reasonOf({ status, needs, because }: BoardTask, tasks: BoardState['tasks']): string {
  const open = status === 'pending' ? needs.filter((id) => !isSettled(tasks[id])) : [];
  if (open.length === 0) return because.join('; ');
  return `after ${open.join(', ')}`;
}

function isSettled(task: BoardTask | undefined): boolean {
  return task?.status === 'done' || task?.status === 'merged';
}

function rowOfAgent(agent: LiveAgentRow): LiveRow {
  return { key: agent.id, title: agent.task ?? roleWords[agent.role][0], task: null, agent, check: null };
}

/** What an agent without a task does, and the state of what it is at. */
const roleWords: Readonly<Record<LiveAgentRow['role'], readonly [title: string, state: string]>> = {
  planner: ['Makes the plan', 'planning'],
  worker: ['Works', 'working'],
  validator: ['Judges the work', 'judging'],
  merger: ['Solves a conflict', 'merging'],
  queen: ['Leads the run', 'leading'],
};

/** One row, and another for each further agent: several attempts at one task run at once. */
function rowsOfTask(
  task: LiveTask,
  agents: readonly LiveAgentRow[],
  checks: readonly BoardCheck[],
): readonly LiveRow[] {
  const { id, title } = task;
  const [agent = null, ...others] = agents.filter((one) => one.task === id);
  const check = checks.find(({ about }) => about === id || about === `setup of ${id}`) ?? null;
  return [
    { key: id, title, task, agent, check },
    ...others.map((other): LiveRow => ({ key: other.id, title, task, agent: other, check: null })),
  ];
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

/** A row's state as a sign and a word. */
export function labelRow({ task, agent, check }: LiveRow): TaskStatusLabel {
  if (agent?.isStopping === true) return { symbol: '◐', word: 'stopping', kind: 'works' };
  if (agent === null && check !== null)
    return { symbol: '◐', word: check.about.startsWith('setup of ') ? 'setup' : 'checks', kind: 'works' };
  if (agent !== null) return { symbol: '◐', word: roleWords[agent.role][1], kind: 'works' };
  if (task === null) return { symbol: '·', word: 'ended', kind: 'over' };
  const label = labelTaskStatus(task);
  if (task.status === 'done' && task.verdict === null) return { ...label, word: 'done', kind: 'good' };
  return task.status === 'pending' ? { ...label, word: task.why === '' ? 'ready' : 'waiting' } : label;
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
