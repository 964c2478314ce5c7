import { formatDuration, formatUsd } from '../../util/format-figures.ts';
import { cutText, padText, textWidth } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import type { LiveAgentRow, LiveBudget, LiveState } from './live-state.ts';

export interface AgentRowOptions {
  readonly width: number;
  readonly now: number;
  readonly style: Style;
  readonly facts: LiveState['facts'];
  /** 2: what it does stands on a line of its own. */
  readonly lines: number;
  /** Columns of the role and the task among the rows that are shown. */
  readonly role: number;
  readonly task: number;
  readonly isChosen?: boolean;
}

const titleRoom = 28;
const spendRoom = 16;

/** An agent in the overview: role, task, for how long, for how much, and what it did last. */
export function renderAgentRow(row: LiveAgentRow, options: AgentRowOptions): readonly string[] {
  const { width, style, facts, lines, isChosen = false } = options;
  const mark = isChosen ? '> ' : '  ';
  const time = elapsed(row, options.now);
  const spend = spendAgainst(row, facts?.agentBudgets[row.role] ?? null);
  const action = lastAction(row);
  const paint = isChosen ? style.bold : (text: string): string => text;
  if (lines === 2) {
    const first = [toPrintableLine(row.task ?? row.role), time, spend].filter(Boolean).join('  ');
    return [paint(cutText(mark + first, width)), style.dim(cutText(`    ${action}`, width))];
  }
  const cells = [
    padText(row.role, options.role),
    ...(options.task > 0 ? [padText(toPrintableLine(row.task ?? ''), options.task)] : []),
    ...(width >= 110 && row.task !== null ? [padText(titleOf(row, facts), titleRoom)] : []),
    padText(time, 7),
    ...(spend === '' ? [] : [padText(spend, spendRoom)]),
  ];
  const left = cutText(mark + cells.join('  '), width);
  const room = width - textWidth(left) - 2;
  return [paint(left) + (room < 8 ? '' : style.dim(`  ${cutText(action, room)}`))];
}

/** An agent above its own stream. */
export function renderAgentTitle(
  row: LiveAgentRow,
  { width, now, style, facts }: Pick<AgentRowOptions, 'width' | 'now' | 'style' | 'facts'>,
): readonly string[] {
  const task = row.task === null ? [] : [`${toPrintableLine(row.task)} ${titleOf(row, facts, width)}`.trim()];
  const spend = spendAgainst(row, facts?.agentBudgets[row.role] ?? null);
  const state = row.outcome ?? (row.isStopping ? 'stopping' : elapsed(row, now));
  return [
    style.bold(cutText([row.id, toPrintableLine(state), ...(spend === '' ? [] : [spend])].join(' · '), width)),
    ...task.map((text) => cutText(text, width)),
  ];
}

function lastAction(row: LiveAgentRow): string {
  if (row.isStopping) return 'stopping';
  const last = row.lines.at(-1)?.text ?? 'starting';
  return row.isQuiet ? `no activity since: ${last}` : last;
}

function titleOf(row: LiveAgentRow, facts: LiveState['facts'], room = titleRoom): string {
  return cutText(toPrintableLine(facts?.titles.get(row.task ?? '') ?? ''), room);
}

/** Whole seconds: tenths would only flicker. */
function elapsed({ startedAt }: Pick<LiveAgentRow, 'startedAt'>, now: number): string {
  const ms = Math.max(0, now - startedAt);
  return ms < 59_950 ? `${Math.floor(ms / 1_000)} s` : formatDuration(ms);
}

/** `$0.12 of $1.00`, `12k of 50k tok`; a CLI reports its cost only at its end, its tokens while it runs. */
function spendAgainst({ cost_usd, tokens }: LiveAgentRow, budget: LiveBudget | null): string {
  const limit = budget?.limit ?? 0;
  if (budget?.unit === 'tokens' && limit > 0) return `${shortTokens(tokens)} of ${shortTokens(limit)} tok`;
  if (cost_usd > 0) return limit > 0 ? `${formatUsd(cost_usd)} of ${formatUsd(limit)}` : formatUsd(cost_usd);
  return tokens > 0 ? `${shortTokens(tokens)} tok` : '';
}

function shortTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 1_000_000) return `${Number((tokens / 1_000).toPrecision(3))}k`;
  return `${Number((tokens / 1_000_000).toPrecision(3))}M`;
}

const mostChecks = 4;

/** The diagnostics that run now: on whose work, for how long, and the command. */
export function renderRunningDiagnostics(
  { checks }: LiveState,
  { width, now }: { readonly width: number; readonly now: number },
): readonly string[] {
  const rest = checks.length - mostChecks;
  return [
    ...checks
      .slice(0, mostChecks)
      .map((check) =>
        cutText(
          `  check  ${toPrintableLine(check.about)}  ${padText(elapsed(check, now), 7)}  ${toPrintableLine(check.command)}`,
          width,
        ),
      ),
    ...(rest > 0 ? [cutText(`  … ${rest} more checks`, width)] : []),
  ];
}
