import type { EvidenceDoubt } from '../domain/gates.ts';
import type { HistoryEntry, Task } from '../domain/task.ts';
import type { Verdict } from '../domain/verdict.ts';
import { formatSpend } from '../util/format-amount.ts';
import { formatTime } from '../util/format-time.ts';
import { wrapText } from '../util/format-width.ts';
import { renderTable } from '../util/table.ts';
import { renderDoubt } from './render-doubt.ts';
import { renderHint } from './render-error.ts';
import { paintStatus } from './render-status.ts';
import { bullet, renderVerdict } from './render-verdict.ts';
import { shortId } from './short-id.ts';
import type { Style } from './style.ts';
import { visibleLine, visibleText } from './visible-text.ts';

export interface TaskStory {
  readonly task: Task;
  /** On any commit of the task, oldest first. */
  readonly verdicts: readonly Verdict[];
  /** Whether its evidence came out otherwise when somebody checked again. */
  readonly doubts?: readonly EvidenceDoubt[];
  /** The command to go on with; null: the one the task's state suggests. */
  readonly next?: string | null;
}

/** The whole story of a task: what it asks, where it stands, its attempts and verdicts, what to do next. */
export function renderTask({ task, verdicts, doubts = [], next }: TaskStory, style: Style): string {
  return [
    ...wrapText(`${task.id}: ${visibleLine(task.title)}`, style.width).map(style.bold),
    ...renderFacts(task, style),
    ...section('Description', wrapText(visibleText(task.description), style.width, '  '), style),
    ...section('Accepted when', bullets(task.acceptance_criteria, style), style),
    ...section('Constraints', bullets(task.constraints, style), style),
    ...section('Result', renderResult(task, style), style),
    ...section(
      'Attempts',
      task.history.flatMap((entry) => renderAttempt(entry, style)),
      style,
    ),
    ...section(
      'Verdicts',
      [
        ...verdicts.flatMap((verdict) => renderVerdict(verdict, style, '  ')),
        ...doubts.flatMap((doubt) => wrapText(renderDoubt(doubt), style.width, '  ')).map(style.yellow),
      ],
      style,
    ),
    '',
    renderHint(next ?? nextCommand(task, verdicts), style),
  ].join('\n');
}

function renderFacts(task: Task, style: Style): readonly string[] {
  const rows: readonly (readonly [string, string | null])[] = [
    ['status', paintStatus(task.status, style)],
    ['why', task.reason],
    ['group', task.cohesion_group],
    ['priority', String(task.priority)],
    ['after', joined(task.dependencies)],
    ['changes', joined(task.file_locks) ?? 'anything'],
    ['agent', task.agent_id],
    [
      'claimed',
      task.status === 'claimed' && task.agent_id === null
        ? `by ${task.claimed_by} on ${task.claimed_host ?? 'an unknown host'}`
        : null,
    ],
    ['branch', branchOf(task)],
    ['worktree', task.worktree],
    ['retries', task.retry_count === 0 ? null : String(task.retry_count)],
    ['not before', task.not_before === null ? null : formatTime(task.not_before)],
    ['model', task.model],
    ['adapter', task.adapter],
    ['created', `${formatTime(task.created_at)} by ${task.created_by}`],
    ['updated', formatTime(task.updated_at)],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, name === 'status' ? value : visibleLine(value)]],
  );
  return renderTable(shown, { width: style.width, indent: '  ' });
}

function branchOf(task: Task): string | null {
  if (task.branch === null) return null;
  const from = task.start_commit === null ? '' : `, from ${shortId(task.start_commit)}`;
  return task.commit === null ? task.branch : `${task.branch} at ${shortId(task.commit)}${from}`;
}

function renderResult({ result }: Task, style: Style): readonly string[] {
  if (result.status === null && result.notes === '' && result.issues.length === 0) return [];
  const status = result.status === null ? '' : `${result.status}${result.notes === '' ? '' : ': '}`;
  return [
    ...wrapText(status + visibleText(result.notes), style.width, '  '),
    ...result.issues.flatMap((issue) => bullet(issue, style, '  ')),
  ];
}

function renderAttempt(entry: HistoryEntry, style: Style): readonly string[] {
  const facts = [
    `${entry.attempt}. ${visibleLine(entry.result)}`,
    ...(entry.agent_id === null ? [] : [`by ${visibleLine(entry.agent_id)}`]),
    formatTime(entry.timestamp),
    formatSpend({ cost_usd: entry.cost_usd, tokens: entry.tokens_used }),
  ];
  const rejected = entry.rejection_reason;
  return [
    ...wrapText(facts.join(' · '), style.width, '  '),
    ...(entry.notes === '' ? [] : wrapText(visibleText(entry.notes), style.width, '     ')),
    ...(rejected === null
      ? []
      : wrapText(`rejected: ${visibleText(rejected)}`, style.width, '     ').map(style.yellow)),
  ];
}

/** What the state of a task suggests to type next. */
function nextCommand(task: Task, verdicts: readonly Verdict[]): string {
  switch (task.status) {
    case 'pending':
    case 'requeued':
      return 'git flame work';
    case 'done': {
      const verdict = verdicts.filter(({ commit }) => commit === task.commit).at(-1);
      return verdict?.status === 'pass' ? 'git flame merge' : 'git flame validate';
    }
    case 'merged':
      return `git flame log ${task.id}`;
    default:
      return 'git flame status';
  }
}

function bullets(texts: readonly string[], style: Style): readonly string[] {
  return texts.flatMap((text) => bullet(text, style, '  '));
}

function joined(words: readonly string[]): string | null {
  return words.length === 0 ? null : words.join(', ');
}

function section(title: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines];
}
