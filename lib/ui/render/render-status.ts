import { cycleNumber } from '../../domain/state/session-facts.ts';
import { countTasks, describeTaskCounts } from '../../domain/state/task-counts.ts';
import type { Task, TaskStatus } from '../../domain/state/task-schema.ts';
import type { SessionStatusView } from '../../domain/view-models/status-view.ts';
import { formatCount, formatSpend } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { formatTimeBetween, renderIndentedTable, renderSection } from '../text/sections.ts';
import type { Style } from '../text/style.ts';
import { renderNextCommand } from './render-error.ts';
import { renderPredictedConflicts } from './render-predicted-conflicts.ts';

interface StatusOptions {
  /** For how long agents have run. */
  readonly now: Date;
  /** Each agent's last action, by its id. */
  readonly activity?: ReadonlyMap<string, string>;
  /** The command to continue with; null: nothing is left to do. */
  readonly next: string | null;
  /** A command works on the session at this moment. */
  readonly isGoing?: boolean;
  /** Each role's cost, as lines; see renderRoleSpending. */
  readonly spend?: readonly string[];
  /** Shown before the next command. */
  readonly more?: readonly string[];
}

/** Where a session stands: every task, running agents, changesets, cost and the next command. */
export function renderStatus(status: SessionStatusView, style: Style, options: StatusOptions): string {
  const { session } = status;
  const going = options.isGoing === true ? ['A run is in progress.'] : [];
  const next = options.next === null ? going : ['', ...going, renderNextCommand(options.next, style)];
  if (session === null) return ['No session yet.', ...next].join('\n');
  const facts = [
    `cycle ${cycleNumber(session)}`,
    `wave ${session.wave}`,
    session.state,
    `on ${toPrintableLine(session.base_branch)}`,
    ...(session.landing === undefined ? [] : [`landing on ${toPrintableLine(session.landing.branch)}`]),
  ];
  return [
    style.bold(session.title === undefined ? session.id : `${session.id}  ${toPrintableLine(session.title)}`),
    ...wrapText(toPrintableLine(session.objective), style.width, '  '),
    ...wrapText([...facts, formatSpend(session)].join(' · '), style.width, '  '),
    ...(options.spend ?? []),
    ...renderWaiting(status, style),
    ...section(renderTasks(status, style)),
    ...countLines(status).flatMap((line) => wrapText(line, style.width, '  ')),
    ...renderAgents(status, style, options),
    ...renderChangesets(status, style),
    ...section(renderPredictedConflicts(status.conflicts_ahead, style)),
    ...(options.more ?? []),
    ...next,
  ].join('\n');
}

/** Lists what waits for a person. */
function renderWaiting(status: SessionStatusView, style: Style): readonly string[] {
  const wrapped = describeWaiting(status).flatMap((line) => wrapText(toPrintableLine(line), style.width, '  '));
  return renderSection('Waits for you', wrapped, style);
}

/** What waits for a person in a session, one line each, not yet escaped. */
export function describeWaiting({ session, tasks, changesets, asks = [] }: SessionStatusView): readonly string[] {
  if (session === null || session.state === 'ended') return [];
  const { proposed_tasks: proposed } = session;
  const failed = tasks.filter(({ status, result }) => status === 'done' && result.status === 'fail');
  const waiting = changesets.filter(({ state }) => state === 'waiting');
  const named = waiting.map(({ id, red }) => `${id}${red ? ' (its checks fail)' : ''}`);
  const isAsked = asks.some(({ gate }) => gate === 'plan');
  return [
    ...asks.map((asking) => `asked now: ${asking.asks}`),
    ...(proposed === undefined || isAsked ? [] : [`the plan: ${formatCount(proposed, 'task')} to approve`]),
    ...(failed.length === 0 ? [] : [`failed validation: ${failed.map(({ id }) => id).join(', ')}`]),
    ...(named.length === 0 ? [] : [`to review: ${named.join(', ')}`]),
  ];
}

/** A done task shows its verdict. */
function paintState({ status, result }: Pick<Task, 'status' | 'result'>, style: Style): string {
  const word = paintStatus(status, style);
  if (status !== 'done') return word;
  if (result.status === 'pass') return `${word}, ${style.green('passed')}`;
  return result.status === 'fail' ? `${word}, ${style.red('failed validation')}` : `${word}, not validated`;
}

/** The colour a task's state is shown in. */
export function paintStatus(status: TaskStatus, style: Style): string {
  if (status === 'merged' || status === 'done') return style.green(status);
  if (status === 'failed' || status === 'blocked') return style.red(status);
  if (status === 'claimed' || status === 'requeued') return style.yellow(status);
  return status === 'dropped' ? style.dim(status) : status;
}

function renderTasks({ tasks, waits = [] }: SessionStatusView, style: Style): readonly string[] {
  const others = new Map(waits.map(({ task, because }) => [task, `waits: ${because.join('; ')}`]));
  const settled = new Set<string>(
    tasks.filter(({ status }) => status === 'done' || status === 'merged').map(({ id }) => id),
  );
  const rows = tasks.map((task) => {
    const why =
      task.reason === null || task.reason === '' ? waitsFor(task, settled) || others.get(task.id) : task.reason;
    const reason = why === undefined || why === '' ? '' : ` (${toPrintableLine(why)})`;
    return [
      task.id,
      paintState(task, style),
      toPrintableLine(task.cohesion_group),
      toPrintableLine(task.title) + reason,
    ];
  });
  return renderIndentedTable(rows, style);
}

function waitsFor(
  { status, dependencies, built_on: builtOn = [], tries = [] }: SessionStatusView['tasks'][number],
  settled: ReadonlySet<string>,
): string {
  const over = tries.filter(({ ended }) => ended !== null).length;
  if (status === 'claimed' && tries.length > 0) return `${over} of ${tries.length} attempts ended`;
  const open = [...new Set(dependencies)].filter((id) => !settled.has(id));
  if (status === 'done' && open.length > 0) return `kept until ${open.join(', ')} has new work`;
  if ((status === 'claimed' || status === 'done') && builtOn.length > 0)
    return `stacked on ${builtOn.map(({ task }) => task).join(', ')}`;
  if (status !== 'pending') return '';
  return open.length === 0 ? '' : `waits for ${open.join(', ')}`;
}

function countLines({ session, tasks }: SessionStatusView): readonly string[] {
  // Tasks of a waiting plan are named with it.
  if (tasks.length === 0) return session?.proposed_tasks === undefined ? ['no tasks'] : [];
  const counts = countTasks(tasks.map(({ status, result }) => ({ status, verdict: result.status })));
  return [describeTaskCounts(counts).join(' · ')];
}

function renderAgents(
  { agents }: SessionStatusView,
  style: Style,
  { now, activity }: StatusOptions,
): readonly string[] {
  const rows = agents.map((agent) => [
    agent.id,
    agent.task_id ?? agent.role,
    formatTimeBetween(agent.started_at, now),
    formatSpend(agent),
    `pid ${agent.pid}`,
    ...(activity === undefined ? [] : [toPrintableLine(activity.get(agent.id) ?? '')]),
  ]);
  return renderSection('Agents', renderIndentedTable(rows, style), style);
}

function renderChangesets({ changesets }: SessionStatusView, style: Style): readonly string[] {
  const rows = changesets.map((set) => [
    toPrintableLine(set.id),
    set.red && set.state === 'waiting' ? `${set.state}, ${style.red('checks fail')}` : set.state,
    // Where another one landed in between it was merged once more: that commit is the one on the branch.
    shortId(set.landed_commit ?? set.commit),
    set.tasks.join(', '),
  ]);
  return renderSection('Changesets', renderIndentedTable(rows, style), style);
}

function section(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}
