import { formatClock } from '../../util/format-figures.ts';
import { cutText, padText, textWidth, wrapText } from '../../util/format-width.ts';
import { toPrintableDiffLine, toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { streamSigns } from '../text/task-status-label.ts';
import { findChosenRow, findStreamAgent, type LiveRow, labelRow } from './live-rows.ts';
import type { LiveState } from './live-state.ts';
import { elapsedOfRow, lastAction, outputOfCheck, spendAgainst, toShownLine } from './render-live-rows.ts';

export interface PanelFrame {
  readonly width: number;
  readonly height: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly style: Style;
}

/** A rule with the name of the panel below it, and what belongs to that name. */
export function renderPanelTitle(
  name: string,
  about: string,
  { width, style, isFocused }: Pick<PanelFrame, 'width' | 'style'> & { readonly isFocused: boolean },
): string {
  const shown = toShownLine(name, Math.max(1, width - 5));
  const room = width - textWidth(shown) - 7;
  const more = room < 8 || about === '' ? '' : ` · ${toShownLine(about, room)}`;
  const rule = '─'.repeat(Math.max(0, width - textWidth(shown) - textWidth(more) - 4));
  const paint = isFocused ? (text: string): string => style.cyan(style.bold(text)) : style.bold;
  return `${style.dim(isFocused ? '▸─' : '──')} ${paint(shown)}${style.dim(`${more} ${rule}`)}`;
}

/** What happened in the session, the latest at the end. */
export function renderSession(state: LiveState, frame: PanelFrame): readonly string[] {
  const { log, screen } = state;
  const isFocused = screen.focus === 'session';
  const lines = log.map(({ at, text }): PanelLine => ({ head: formatClock(new Date(at).toISOString()), text }));
  const about = log.length === 0 ? 'nothing has happened yet' : '';
  return renderPanel({ name: 'Session', about, lines }, { ...frame, isFocused, scroll: isFocused ? screen.scroll : 0 });
}

/** What the chosen row is about: its agent's stream, the output of its check, or the diff of its task. */
export function renderStream(state: LiveState, frame: PanelFrame): readonly string[] {
  const { screen, stream } = state;
  const isFocused = screen.focus === 'stream';
  const row = findChosenRow(state);
  if (row === null) return renderPanel({ name: 'Stream', about: '', lines: [] }, { ...frame, isFocused, scroll: 0 });
  const scroll = isFocused ? screen.scroll : 0;
  if (screen.diff?.task === row.task?.id && screen.diff !== null)
    return renderDiffPanel({ name: row.title, lines: screen.diff.lines }, { ...frame, isFocused, scroll });
  const isKnown = stream !== null && stream.agent === findStreamAgent(state);
  const streamed = isKnown ? stream.lines.map(({ kind, text }): PanelLine => ({ head: streamSigns[kind], text })) : [];
  const printed = row.agent === null && row.check !== null ? outputOfCheck(row.check).map(asLine) : [];
  const lines = printed.length > 0 ? printed : streamed.length > 0 ? streamed : instead(row);
  return renderPanel({ name: row.title, about: describeSubject(row, frame), lines }, { ...frame, isFocused, scroll });
}

interface PanelLine {
  /** Stands before it, dim. */
  readonly head: string;
  /** As it came. */
  readonly text: string;
}

function asLine(text: string): PanelLine {
  return { head: '', text };
}

/** Where nothing was printed: what is known of it. */
function instead({ task, agent }: LiveRow): readonly PanelLine[] {
  if (agent !== null) return [asLine(lastAction(agent))];
  if (task === null) return [];
  if (task.why !== '') return [asLine(task.why)];
  if (task.status === 'pending') return [asLine('It can start as soon as an agent is free.')];
  return [asLine(task.status === 'claimed' ? 'no output yet' : 'It printed nothing.')];
}

function describeSubject(row: LiveRow, { now }: PanelFrame): string {
  const { task, agent, check } = row;
  return [
    task?.id,
    labelRow(row).word,
    agent?.id ?? task?.agent,
    elapsedOfRow(row, now),
    agent === null ? '' : spendAgainst(agent),
    agent === null ? check?.command : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

interface PanelContent {
  readonly name: string;
  readonly about: string;
  readonly lines: readonly PanelLine[];
}

interface ScrolledFrame extends PanelFrame {
  readonly isFocused: boolean;
  /** Lines above the end. */
  readonly scroll: number;
}

/** A title, and the lines that fit below it. */
function renderPanel({ name, about, lines }: PanelContent, frame: ScrolledFrame): readonly string[] {
  const { scroll, style, height, width } = frame;
  const room = Math.max(0, height - 1);
  const end = Math.max(Math.min(room, lines.length), lines.length - scroll);
  const hidden = end < lines.length ? `${lines.length - end} below · ${about}` : about;
  const shown: string[] = [];
  for (let index = end - 1; index >= 0 && shown.length < room; index -= 1) {
    const line = lines[index];
    if (line !== undefined) shown.unshift(...renderPanelLine(line, { style, width }));
  }
  return fill([renderPanelTitle(name, hidden, frame), ...shown.slice(Math.max(0, shown.length - room))], height);
}

/** The most lines of the screen that one line of output takes. */
const mostParts = 4;

function renderPanelLine(
  { head, text }: PanelLine,
  { style, width }: Pick<PanelFrame, 'style' | 'width'>,
): readonly string[] {
  const before = head === '' ? '  ' : `  ${head} `;
  const room = Math.max(8, width - textWidth(before));
  // Of a line of megabytes only what can be seen is worth its time.
  const clean = toPrintableLine(text.slice(0, room * mostParts).replace(/\t/g, '  '));
  const parts = wrapText(clean, room).slice(0, mostParts);
  const indent = ' '.repeat(textWidth(before));
  return parts.map((part, index) => (index === 0 ? style.dim(before) : indent) + part);
}

/** A diff from its beginning; `scroll`: lines above. */
function renderDiffPanel(
  { name, lines }: { readonly name: string; readonly lines: readonly string[] },
  frame: ScrolledFrame,
): readonly string[] {
  const { height, width, style } = frame;
  const room = Math.max(1, height - 1);
  const first = Math.max(0, Math.min(frame.scroll, lines.length - room));
  const shown = lines.slice(first, first + room).map((line) => {
    const text = toPrintableDiffLine(line).replace(/\t/g, '    ');
    return paintDiffLine(line, style)(cutText(`  ${text}`, width));
  });
  const place = lines.length > room ? `lines ${first + 1} to ${first + shown.length} of ${lines.length}` : 'its diff';
  return fill([renderPanelTitle(name, place, frame), ...shown], height);
}

function paintDiffLine(line: string, style: Style): (text: string) => string {
  if (/^(?:diff --git|index|---|\+\+\+) /.test(line)) return style.bold;
  if (line.startsWith('@@')) return style.cyan;
  if (line.startsWith('+')) return style.green;
  return line.startsWith('-') ? style.red : (text) => text;
}

/** Exactly as many lines as the panel is high: what is below it stays where it is. */
export function fill(lines: readonly string[], height: number): readonly string[] {
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, () => '')].slice(0, height);
}

/** Two panels side by side. */
export function joinColumns(
  left: readonly string[],
  right: readonly string[],
  { width, style }: { readonly width: number; readonly style: Style },
): readonly string[] {
  return left.map((line, index) => `${padText(line, width)} ${style.dim('│')} ${right[index] ?? ''}`);
}
