import type { SessionQuestion } from '../../domain/ports/gates.ts';
import type { Task, TaskStatus } from '../../domain/state/task-schema.ts';
import { formatCount, formatSpend, formatTokens, formatUsd } from '../../util/format-figures.ts';
import { renderTable } from '../../util/table.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { renderRoleSpending } from './render-session.ts';
import { paintStatus } from './render-status.ts';

/**
 * How a cycle ended: what was approved, which tasks went back or are stuck and why, what it cost of the budget, by
 * role, and what each answer to the question leads to.
 */
export function renderCycleEnd(question: Question, style: Style): string {
  const { session } = question;
  return [
    style.bold(`Cycle ${session.cycle} is over.`),
    ...renderTable(listCycleResults(question), { width: style.width, indent: '  ' }),
    ...renderRoleSpending(session, style, '    '),
    ...renderTable(
      listTroubledTasks(question).map(({ id, status, why }) => [id, paintStatus(status, style), toPrintableLine(why)]),
      { width: style.width, indent: '  ' },
    ),
  ].join('\n');
}

/** A cycle's results: names and figures. */
export function listCycleResults({ session, summary, budget }: Question): readonly (readonly [string, string])[] {
  return [
    ['approved', formatCount(summary.approved, 'changeset')],
    ['sent back', formatCount(summary.requeued, 'task')],
    ['blocked', formatCount(summary.blocked, 'task')],
    ['open', formatCount(summary.open, 'task')],
    ...(summary.failed === 0 ? [] : [['failed', formatCount(summary.failed, 'task')] as const]),
    ['cost', spendAgainst(session, budget)],
    ...(session.estimate === null ? [] : [['estimated', formatUsd(session.estimate.base_usd)] as const]),
  ];
}

type Question = Pick<SessionQuestion, 'session' | 'summary' | 'budget'> & Partial<Pick<SessionQuestion, 'tasks'>>;

/** `$2.14 of $10.00, 12,450 tokens`: the limit is next to the unit it is in. */
function spendAgainst({ cost_usd, tokens }: SessionQuestion['session'], budget: SessionQuestion['budget']): string {
  if (budget === undefined || budget.limit === 0) return formatSpend({ cost_usd, tokens });
  if (budget.unit === 'tokens')
    return `${formatUsd(cost_usd)}, ${formatTokens(tokens)} of ${formatTokens(budget.limit)}`;
  const rest = tokens > 0 ? `, ${formatTokens(tokens)}` : '';
  return `${formatUsd(cost_usd)} of ${formatUsd(budget.limit)}${rest}`;
}

/** The tasks that need a person's thought, each with why. */
export function listTroubledTasks({
  tasks = [],
}: Question): readonly (Pick<Task, 'id' | 'title' | 'status'> & { readonly why: string })[] {
  const statuses: readonly TaskStatus[] = ['requeued', 'blocked', 'failed'];
  return tasks
    .filter(({ status }) => statuses.includes(status))
    .map((task) => ({ id: task.id, title: task.title, status: task.status, why: reasonOf(task) ?? task.title }));
}

function reasonOf({ reason, history }: Task): string | null {
  if (reason !== null && reason !== '') return reason;
  const last = history.at(-1);
  return last?.rejection_reason ?? (last?.notes === '' ? null : (last?.notes.split('\n')[0] ?? null));
}

/** Describes the effect of each answer at the end of a cycle. */
export function describeSessionAnswers(question: SessionQuestion): readonly string[] {
  const { cyclesLeft, summary } = question;
  const later = 'stop: everything is kept; git flame run continues later';
  if (cyclesLeft <= 0) return ['No cycles are left (limits.max_wave_cycles).', later];
  const again = summary.requeued + summary.open;
  return [
    `${formatCount(cyclesLeft, 'cycle')} left.`,
    `continue: ${formatCount(again, 'task')} to continue with in the next cycle`,
    ...retryLine(question),
    later,
  ];
}

/** As above, where nothing is open any more. */
export function describeLeftOverAnswers(question: SessionQuestion): readonly string[] {
  return [
    'Nothing is left to continue with.',
    ...retryLine(question),
    'stop: the session ends; git flame task release TASK reopens it',
  ];
}

function retryLine({ summary }: SessionQuestion): readonly string[] {
  const what = `${formatCount(summary.failed, 'task')} that failed`;
  return [
    ...(summary.failed > 0 ? [`retry: the next cycle, with another attempt at ${what}`] : []),
    're-plan: a planner makes a new plan from your notes',
  ];
}
