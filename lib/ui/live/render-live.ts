import { type Wave, wavesOfCycle } from '../../domain/state/session-facts.ts';
import { countTasks, describeTaskCounts } from '../../domain/state/task-counts.ts';
import type { BoardSession } from '../../domain/view-models/board-view.ts';
import { formatCount, formatElapsed, formatSpend, formatTokens, formatUsd } from '../../util/format-figures.ts';
import { cutText, textWidth } from '../../util/format-width.ts';
import { describePredictedConflict } from '../render/render-predicted-conflicts.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { findChosenRow, type LiveRow, listAgentsAtWork, listLiveRows } from './live-rows.ts';
import type { LiveState } from './live-state.ts';
import {
  fill,
  joinColumns,
  type PanelFrame,
  renderPanelTitle,
  renderSession,
  renderStream,
} from './render-live-panels.ts';
import { renderLiveRows, toShownLine } from './render-live-rows.ts';

interface LiveFrame extends PanelFrame {
  /** Whether keys can be pressed. */
  readonly hasKeys: boolean;
}

/** Renders the live view: as many lines as the screen is high, none wider than it. */
export function renderLive(state: LiveState, frame: LiveFrame): readonly string[] {
  if (state.screen.isHelp) return fill(renderHelp(state, frame), frame.height);
  const head = frame.height < 8 ? [] : [renderHead(state, frame)];
  const foot = renderFoot(state, frame);
  const notices = renderNotices(state, frame).slice(0, frame.height < 16 ? 1 : mostNotices);
  const height = frame.height - head.length - foot.length - notices.length;
  const body = renderBody(state, { ...frame, height: Math.max(0, height) });
  return fill([...head, ...body, ...notices, ...foot], frame.height);
}

/** What the session is about, and how far it has come. */
function renderHead({ wave, cycle, view }: LiveState, { width, style }: LiveFrame): string {
  const shown =
    width < 72
      ? style.cyan(wave ?? '')
      : `${wavesOfCycle.map((one) => paintStage(one, wave, style)).join('  ')}  ${style.dim(`cycle ${cycle}`)}`;
  const room = Math.max(8, width - textWidth(shown) - 3);
  const name = toShownLine(view.session?.title ?? 'git flame', room);
  const gap = ' '.repeat(Math.max(1, width - textWidth(name) - textWidth(shown) - 1));
  return textWidth(` ${name}${gap}${shown}`) > width
    ? cutText(` ${name}`, width)
    : ` ${style.bold(name)}${gap}${shown}`;
}

function paintStage(one: Wave, now: string | null, style: Style): string {
  const names: readonly (string | null)[] = wavesOfCycle;
  if (one === now) return style.cyan(style.bold(`● ${one}`));
  return style.dim(`${names.indexOf(one) < names.indexOf(now) ? '✓' : '○'} ${one}`);
}

/** Below so many lines one panel is all that can be read. */
const leastForTwo = 7;
const leastForThree = 24;
const leastColumns = 130;

/** The panels: one alone, or the tasks above the stream and the session. */
function renderBody(state: LiveState, frame: LiveFrame): readonly string[] {
  const { height, width } = frame;
  const { focus, isLarge } = state.screen;
  if (isLarge || height < leastForTwo) return renderOne(state, frame, focus);
  const rows = listLiveRows(state).length;
  const share = width >= leastColumns || height < leastForThree ? 0.55 : 0.45;
  const tasks = Math.min(rows + 1, Math.max(3, Math.floor(height * share)));
  return [
    ...renderTasks(state, { ...frame, height: tasks }),
    ...renderBelow(state, { ...frame, height: height - tasks }),
  ];
}

function renderOne(state: LiveState, frame: LiveFrame, focus: LiveState['screen']['focus']): readonly string[] {
  if (focus === 'session') return renderSession(state, frame);
  return focus === 'stream' ? renderStream(state, frame) : renderTasks(state, frame);
}

/** The session and the stream beside or above each other; where there is no room, one of them. */
function renderBelow(state: LiveState, frame: LiveFrame): readonly string[] {
  const { width, height, style } = frame;
  if (width >= leastColumns) {
    const left = Math.floor((width - 3) / 2);
    const stream = renderStream(state, { ...frame, width: width - 3 - left });
    return joinColumns(renderSession(state, { ...frame, width: left }), stream, { width: left, style });
  }
  if (height < 14) return state.screen.focus === 'session' ? renderSession(state, frame) : renderStream(state, frame);
  const session = Math.max(5, Math.floor(height * 0.4));
  return [
    ...renderStream(state, { ...frame, height: height - session }),
    ...renderSession(state, { ...frame, height: session }),
  ];
}

function renderTasks(state: LiveState, frame: LiveFrame): readonly string[] {
  const { view, screen } = state;
  const rows = listLiveRows(state);
  const isFocused = screen.focus === 'tasks' && frame.hasKeys;
  const about =
    screen.filter === '' ? describeCounts(rows, frame.width) : `${rows.length} with "${screen.filter}", Esc shows all`;
  const title = renderPanelTitle('Tasks', view.session === null ? '' : about, {
    ...frame,
    isFocused,
  });
  const chosen = findChosenRow(state, rows);
  const lines = renderLiveRows(rows, { ...frame, height: frame.height - 1, chosen, isFocused: frame.hasKeys });
  return fill([title, ...lines], frame.height);
}

/** The counts, in fewer words where they don't fit. */
function describeCounts(rows: readonly LiveRow[], width: number): string {
  const all = new Map(rows.flatMap(({ task }) => (task === null ? [] : [[task.id, task] as const])));
  const tasks = [...all.values()];
  const counts = countTasks(tasks);
  const ready = tasks.filter(({ status, why }) => status === 'pending' && why === '').length;
  const whole = describeTaskCounts(counts, counts.waiting === 0 ? null : ready).join(' · ');
  if (textWidth(whole) <= width - 14) return whole;
  const { total, done, running, waiting, back, lost } = counts;
  const rest = [...(back > 0 ? [`${back} back`] : []), ...(lost > 0 ? [`${lost} failed`] : [])];
  return [`${done}/${total} done`, `${running} on`, ...rest, ...(waiting > 0 ? [`${waiting} wait`] : [])].join(', ');
}

const mostNotices = 4;

/** What holds the work up, or will. */
function renderNotices(
  { pauses, conflicts, isWindingDown }: LiveState,
  { width, style }: LiveFrame,
): readonly string[] {
  const rest = conflicts.length - 2;
  return [
    ...pauses.map(
      ({ adapter, until }) => `${toPrintableLine(adapter)} waits until ${toPrintableLine(until.slice(11, 16))} UTC`,
    ),
    ...conflicts.slice(0, 2).map(describePredictedConflict),
    ...(rest > 0 ? [`… ${formatCount(rest, 'more conflict')} ahead: git flame status`] : []),
    ...(isWindingDown ? ['No more agents start in this cycle.'] : []),
  ].map((line) => style.yellow(cutText(` ${line}`, width)));
}

/** The status bar, and below it the keys; of a low screen one line, for what is asked, else for both. */
function renderFoot(state: LiveState, frame: LiveFrame): readonly string[] {
  const { width, style, height } = frame;
  const asked = renderAsked(state, frame);
  const status = describeStatus(state, frame);
  if (height < 16) return [asked ?? joinHelp(status, frame)];
  const keys = frame.hasKeys ? [style.dim(fitKeys(listKeys(state), width))] : [];
  return [cutText(status, width), ...(asked === null ? keys : [asked])];
}

/** The status bar of a low screen has the way to the keys at its end. */
function joinHelp(status: string, { width, style, hasKeys }: LiveFrame): string {
  if (!hasKeys) return cutText(status, width);
  const left = cutText(status, Math.max(1, width - helpKey.length - 1));
  return left + ' '.repeat(Math.max(1, width - textWidth(left) - helpKey.length)) + style.dim(helpKey);
}

const helpKey = '? help ';

function describeStatus({ wave, cycle, startedAt, view, news }: LiveState, { now, width }: LiveFrame): string {
  const elapsed = startedAt === null ? '' : formatElapsed(Math.max(0, now - startedAt));
  const parts = [
    ...(wave === null || width < 60 ? [] : [`Wave ${toPrintableLine(wave)}, cycle ${cycle}`]),
    elapsed,
    formatCount(listAgentsAtWork({ view, news }).length, 'agent'),
    view.session === null ? '' : describeSessionSpend(view.session),
  ];
  return ` ${parts.filter(Boolean).join(' · ')}`;
}

/** What the session has spent, against its budget; '' for nothing without one. */
function describeSessionSpend({ cost_usd, tokens, budget }: BoardSession): string {
  const { unit, limit } = budget ?? { unit: 'usd', limit: 0 };
  if (limit === 0) return cost_usd === 0 && tokens === 0 ? '' : formatSpend({ cost_usd, tokens });
  return unit === 'usd'
    ? `${formatUsd(cost_usd)} of ${formatUsd(limit)}`
    : `${formatTokens(tokens)} of ${formatTokens(limit)}`;
}

/** What is asked of the person or said to them; null: nothing is. */
function renderAsked(
  { prompt, note, waiting, isStopping, view }: LiveState,
  { width, style }: LiveFrame,
): string | null {
  const print = (text: string): string => style.yellow(cutText(` ${text}`, width));
  switch (prompt?.kind) {
    case 'stop': {
      const task = view.agents.find(({ id }) => id === prompt.agent)?.task;
      return print(`Stop ${task ?? prompt.agent}? (y)es, it fails / yes, and (r)etry / (n)o`);
    }
    case 'hint':
      return renderTyping(`Message ${prompt.agent} (Enter, Esc): `, prompt.text, { width, style });
    case 'filter':
      return renderTyping('/', prompt.text, { width, style });
    case 'wind-down':
      return print('Start no more agents and continue with what is done? (y/n)');
    case 'leave':
      return print('Stop the run? All of it is kept, and git flame run continues. (y/n)');
  }
  if (isStopping) return print('Stopping; press Ctrl-C again to stop at once.');
  if (waiting !== null) return print(waits[waiting]);
  return note === null ? null : print(toPrintableLine(note));
}

const waits = {
  question: 'A question waits for you: a answers it',
  end: 'The run has ended: a leaves the view',
} as const;

/** Renders the text being typed; where it is too long, its end is shown. */
function renderTyping(asked: string, text: string, { width, style }: Pick<LiveFrame, 'width' | 'style'>): string {
  const all = [...toPrintableLine(text)];
  while (all.length > 0 && textWidth(` ${asked}${all.join('')}`) >= width) all.shift();
  return style.yellow(`${cutText(` ${asked}${all.join('')}`, width - 1)}_`);
}

function listKeys(state: LiveState): readonly string[] {
  const { screen, wave, isWindingDown } = state;
  const row = findChosenRow(state);
  return [
    ...(screen.isLarge ? ['Esc back'] : []),
    'Tab panels',
    screen.focus === 'tasks' ? '↑↓ choose' : '↑↓ scroll',
    ...(screen.isLarge ? [] : ['Enter open']),
    ...(row?.agent == null ? [] : ['t message', 's stop']),
    ...(row?.task == null || row.task.status === 'pending' ? [] : ['d diff']),
    '/ filter',
    'q stop',
    ...(wave === 'work' && !isWindingDown ? ['g no more agents'] : []),
    '? help',
  ];
}

/** As many keys as fit; help is always among them. */
function fitKeys(keys: readonly string[], width: number): string {
  for (let count = keys.length; count > 1; count -= 1) {
    const line = ` ${[...keys.slice(0, count - 1), keys.at(-1) ?? ''].join(' · ')}`;
    if (line.length <= width) return line;
  }
  return cutText(` ${keys.at(-1) ?? ''}`, width);
}

function renderHelp({ waiting }: LiveState, { width, height, style }: LiveFrame): readonly string[] {
  const keys = [
    ['Tab, ←→', 'tasks, each agent, session'],
    ['↑↓, j, k', 'choose, scroll; PgUp, PgDn'],
    ['Enter', 'open it; Esc or 0: back'],
    ['/', 'tasks with words; Esc: all'],
    ['d', 'what the task has changed'],
    ['t, s', 'message its agent, stop it'],
    ['g', 'start no more agents'],
    ['a', 'answer what waits for you'],
    ['Ctrl-L, -Z', 'draw again, suspend'],
    ['q, Ctrl-C', 'stop; all of it is kept'],
  ].map(([key = '', what = '']) => cutText(`  ${key.padEnd(10)} ${what}`, width));
  const back =
    waiting === null
      ? style.dim(cutText('  any key    back', width))
      : style.yellow(cutText(` Any key: back. ${waits[waiting]}`, width));
  return [style.bold(cutText(' Keys', width)), ...keys].slice(0, Math.max(0, height - 1)).concat(back);
}
