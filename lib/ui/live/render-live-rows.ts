import { formatElapsed, formatUsd } from '../../util/format-figures.ts';
import { cutText, padText, textWidth } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import type { TaskStatusLabel } from '../text/task-status-label.ts';
import { type LiveRow, labelRow } from './live-rows.ts';
import type { LiveAgentRow } from './live-state.ts';

/** The most characters that stand in one column, so that of megabytes only what can be seen is looked at. */
const mostPerColumn = 4;

/** Text from outside as one line that is printable and no wider than this. */
export function toShownLine(text: string, width: number): string {
  const most = width * mostPerColumn;
  return cutText(toPrintableLine(text.length > most ? text.slice(0, most) : text), width);
}

export interface RowsOptions {
  readonly width: number;
  readonly height: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly style: Style;
  readonly chosen: LiveRow | null;
  /** Whether the keys are about these rows. */
  readonly isFocused: boolean;
}

/** As many rows as there is room for, the chosen one among them. */
export function renderLiveRows(rows: readonly LiveRow[], options: RowsOptions): readonly string[] {
  const { height, width, style, chosen, isFocused } = options;
  const isCut = rows.length > height;
  const count = isCut ? Math.max(1, height - 1) : rows.length;
  const place = Math.max(
    0,
    rows.findIndex((row) => row.key === chosen?.key),
  );
  // The chosen row stands a third from the top, but for both ends.
  const first = Math.max(0, Math.min(place - Math.floor(count / 3), rows.length - count));
  const shown = rows.slice(first, first + count);
  const columns = measureColumns(shown, options);
  const hidden = hiddenRows(first, rows.length - first - count) + (isFocused ? ' · / filters' : '');
  const more = isCut && height > 1 ? [style.dim(cutText(hidden, width))] : [];
  return [...shown.map((row) => renderRow(row, columns, options)), ...more];
}

function hiddenRows(above: number, below: number): string {
  return `  … ${[above > 0 ? `${above} above` : '', below > 0 ? `${below} below` : ''].filter(Boolean).join(', ')}`;
}

interface Columns {
  readonly title: number;
  readonly id: number;
  readonly word: number;
  readonly time: number;
  readonly worker: number;
}

/** Columns of the rows that are shown; those there is no room for have none. */
function measureColumns(rows: readonly LiveRow[], { width }: RowsOptions): Columns {
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(textWidth));
  const word = widest(rows.map((row) => labelRow(row).word));
  const id = width < 72 ? 0 : widest(rows.map(({ task }) => task?.id ?? ''));
  const worker = width < 130 ? 0 : widest(rows.map(({ agent }) => agent?.id ?? ''));
  const titles = widest(rows.map(({ title }) => toShownLine(title, width)));
  const fixed = 4 + word + 2 + timeWidth + (id > 0 ? id + 2 : 0) + (worker > 0 ? worker + 2 : 0);
  // What is done, or why it waits, has a third of the line where there is room for it.
  const room = width - fixed - (width < 72 ? 2 : Math.max(20, Math.floor(width * 0.3)));
  return { title: Math.max(8, Math.min(titles, room)), id, word, time: timeWidth, worker };
}

const timeWidth = 7;

function renderRow(row: LiveRow, columns: Columns, { width, now, style, chosen, isFocused }: RowsOptions): string {
  const isChosen = row.key === chosen?.key;
  const { symbol, word, kind } = labelRow(row);
  const paint = paintKind(kind, style);
  const title = padText(toShownLine(row.title, columns.title), columns.title);
  const cells = [
    ...(columns.id > 0 ? [style.dim(padText(row.task?.id ?? '', columns.id))] : []),
    paint(padText(word, columns.word)),
    padText(elapsedOfRow(row, now), columns.time),
    ...(columns.worker > 0 ? [style.dim(padText(row.agent?.id ?? '', columns.worker))] : []),
  ];
  const mark = isChosen && isFocused ? style.cyan('▸') : ' ';
  const isOver = kind === 'good' || kind === 'landed' || kind === 'over';
  const name = isChosen && isFocused ? style.bold(title) : isOver ? style.dim(title) : title;
  const left = `${mark}${paint(symbol)} ${name}  ${cells.join('  ')}`;
  const room = width - textWidth(left) - 2;
  const said = room < 8 ? '' : toShownLine(describeRow(row), room);
  if (said === '') return fitPainted(left, width, `${mark}${symbol} ${title}`);
  return `${left}  ${kind === 'bad' ? style.red(said) : style.dim(said)}`;
}

/** A painted line can't be cut: where it is too wide, its title stands alone. */
function fitPainted(painted: string, width: number, bare: string): string {
  return textWidth(painted) <= width ? painted.trimEnd() : cutText(bare, width);
}

function paintKind(kind: TaskStatusLabel['kind'], style: Style): (text: string) => string {
  const paints: Readonly<Record<TaskStatusLabel['kind'], (text: string) => string>> = {
    planned: style.dim,
    waits: style.dim,
    works: style.cyan,
    checks: style.cyan,
    good: style.green,
    landed: style.green,
    bad: style.red,
    over: style.dim,
  };
  return paints[kind];
}

/** What is done at this moment, or why nothing is. */
function describeRow({ task, agent, check }: LiveRow): string {
  if (agent !== null) return [spendAgainst(agent), lastAction(agent)].filter(Boolean).join('  ');
  if (check !== null) {
    const last = outputOfCheck(check).at(-1) ?? '';
    return last === '' ? check.command : `${last}  (${check.command})`;
  }
  return task?.why ?? '';
}

/** The end of what a check has printed, as lines. */
export function outputOfCheck({ output }: NonNullable<LiveRow['check']>): readonly string[] {
  return output.split('\n').filter((line) => line.trim() !== '');
}

export function lastAction({ last, isQuiet }: LiveAgentRow): string {
  if (last === '') return isQuiet ? 'no activity' : 'no output yet';
  return isQuiet ? `no activity since: ${last}` : last;
}

/** For how long it has been worked on, or how long that took. */
export function elapsedOfRow({ agent, check, task }: LiveRow, now: number): string {
  const since = agent?.started_at ?? check?.started_at ?? null;
  const ms = since === null ? (task?.took_ms ?? null) : now - Date.parse(since);
  return ms === null ? '' : formatElapsed(ms);
}

/** `$0.12 of $1.00`, `12k of 50k tok`; a CLI reports its cost only at its end, its tokens while it runs. */
export function spendAgainst({ cost_usd, tokens, budget }: LiveAgentRow): string {
  const limit = budget?.limit ?? 0;
  if (cost_usd === 0 && tokens === 0) return '';
  if (budget?.unit === 'tokens' && limit > 0) return `${shortTokens(tokens)} of ${shortTokens(limit)} tok`;
  if (cost_usd > 0) return limit > 0 ? `${formatUsd(cost_usd)} of ${formatUsd(limit)}` : formatUsd(cost_usd);
  return `${shortTokens(tokens)} tok`;
}

function shortTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 1_000_000) return `${Number((tokens / 1_000).toPrecision(3))}k`;
  return `${Number((tokens / 1_000_000).toPrecision(3))}M`;
}
