import { describeTaskCounts } from '../../domain/state/task-counts.ts';
import { formatCount, formatSpend, formatTokens, formatUsd } from '../../util/format-figures.ts';
import { cutText, textWidth } from '../../util/format-width.ts';
import { describePredictedConflict } from '../render/render-predicted-conflicts.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import {
  findChosenAgentRow,
  findLiveAgentRow,
  type LiveAgentRow,
  type LiveSessionFacts,
  type LiveState,
} from './live-state.ts';
import {
  type AgentRowOptions,
  renderAgentRow,
  renderAgentTitle,
  renderRunningDiagnostics,
} from './render-live-agent.ts';

interface LiveFrame {
  /** Columns and lines there are; no line is wider, and there are no more lines. */
  readonly width: number;
  readonly height: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly style: Style;
  /** Whether keys can be pressed. */
  readonly hasKeys: boolean;
}

/** Renders the live view as lines. */
export function renderLive(state: LiveState, frame: LiveFrame): readonly string[] {
  const lines = renderScreen(state, frame);
  return lines.slice(0, Math.max(1, frame.height));
}

function renderScreen(state: LiveState, frame: LiveFrame): readonly string[] {
  const { screen } = state;
  if (screen.kind === 'help') return renderHelp(frame);
  const agent = screen.kind === 'agent' ? findLiveAgentRow(state, screen.id) : null;
  if (screen.kind === 'agent' && agent !== null) return renderStream(state, agent, screen.scroll, frame);
  return renderOverview(state, frame);
}

function renderOverview(state: LiveState, frame: LiveFrame): readonly string[] {
  const head = [...renderHead(state, frame), ...renderPauses(state, frame), ...renderConflicts(state, frame)];
  const foot = [...renderRunningDiagnostics(state, frame), ...renderFoot(state, frame, overviewKeys(state))];
  const room = frame.height - head.length - foot.length;
  return [...head, ...renderAgents(state, frame, room), ...foot];
}

/** Wave, tasks ahead and what is spent: one line where it fits, else two. */
function renderHead(state: LiveState, { width, style }: LiveFrame): readonly string[] {
  const { wave, cycle, facts, agents } = state;
  const title = wave === null ? 'Running' : `Wave ${toPrintableLine(wave)}, cycle ${cycle}`;
  const tasks = facts === null ? [] : describeTaskCounts(facts.counts, facts.ready);
  const money = facts === null ? '' : sessionSpend(facts, agents);
  const wide = [title, ...tasks, ...(money === '' ? [] : [money])].join(' · ');
  if (textWidth(wide) <= width) return [style.bold(title) + wide.slice(title.length)];
  return [
    style.bold(cutText([title, money].filter(Boolean).join(' · '), width)),
    ...(facts === null ? [] : [cutText(narrowCounts(facts, tasks, width), width)]),
  ];
}

/** Services that asked for a pause: none of their agents starts before it is over. */
function renderPauses({ pauses }: LiveState, { width, style }: LiveFrame): readonly string[] {
  return pauses.map(({ adapter, until }) =>
    style.yellow(cutText(`${toPrintableLine(adapter)} waits until ${toPrintableLine(until.slice(11, 16))} UTC`, width)),
  );
}

const mostConflicts = 3;

/** Works that will not merge as they are. */
function renderConflicts({ conflicts }: LiveState, { width, style }: LiveFrame): readonly string[] {
  const rest = conflicts.length - mostConflicts;
  return [
    ...conflicts.slice(0, mostConflicts).map(describePredictedConflict),
    ...(rest > 0 ? [`… ${formatCount(rest, 'more conflict')} ahead: git flame status`] : []),
  ].map((line) => style.yellow(cutText(line, width)));
}

/** Counts in fewer words where they don't fit. */
function narrowCounts({ counts, ready }: LiveSessionFacts, tasks: readonly string[], width: number): string {
  const whole = tasks.join(' · ');
  if (textWidth(whole) <= width) return whole;
  const { total, done, running, waiting, back, lost } = counts;
  const rest = [...(back > 0 ? [`${back} back`] : []), ...(lost > 0 ? [`${lost} lost`] : [])];
  return [`${done}/${total} done`, `${running} on`, `${ready} ready`, `${waiting - ready} wait`, ...rest].join(', ');
}

/** Booked spend and that of the agents that run, against the session's budget. */
function sessionSpend({ spent, budget }: NonNullable<LiveState['facts']>, agents: readonly LiveAgentRow[]): string {
  const sum = (key: 'cost_usd' | 'tokens'): number => agents.reduce((total, row) => total + row[key], spent[key]);
  const now = { cost_usd: sum('cost_usd'), tokens: sum('tokens') };
  if (now.cost_usd === 0 && now.tokens === 0 && budget.limit === 0) return '';
  if (budget.limit === 0) return formatSpend(now);
  return budget.unit === 'usd'
    ? `${formatUsd(now.cost_usd)} of ${formatUsd(budget.limit)}`
    : `${formatTokens(now.tokens)} of ${formatTokens(budget.limit)}`;
}

/** As many rows as there is room for, the chosen one among them. */
function renderAgents(state: LiveState, frame: LiveFrame, room: number): readonly string[] {
  const { agents } = state;
  const chosen = findChosenAgentRow(state);
  const isNarrow = frame.width < 72;
  const perAgent = isNarrow && agents.length * 2 <= room ? 2 : 1;
  const fits = Math.floor(room / perAgent);
  const count = agents.length <= fits ? agents.length : Math.max(1, fits - 1);
  const place = chosen === null ? 0 : agents.indexOf(chosen);
  const first = Math.min(Math.max(0, place - count + 1), Math.max(0, agents.length - count));
  const shown = agents.slice(first, first + count);
  const options: AgentRowOptions = {
    width: frame.width,
    now: frame.now,
    style: frame.style,
    facts: state.facts,
    lines: perAgent,
    role: Math.max(0, ...shown.map(({ role }) => role.length)),
    task: Math.max(0, ...shown.map(({ task }) => (task ?? '').length)),
  };
  const hidden = agents.length - shown.length;
  return [
    ...shown.flatMap((row) => renderAgentRow(row, { ...options, isChosen: frame.hasKeys && row === chosen })),
    ...(hidden > 0 ? [frame.style.dim(cutText(`  … ${hidden} more`, frame.width))] : []),
  ];
}

/** One agent's stream: its latest lines, or earlier ones. */
function renderStream(state: LiveState, row: LiveAgentRow, scroll: number, frame: LiveFrame): readonly string[] {
  const title = renderAgentTitle(row, { ...frame, facts: state.facts });
  const foot = renderFoot(state, frame, [
    'Esc back',
    '↑↓ scroll',
    ...(row.outcome === null ? ['t message', 's stop', '? help'] : []),
  ]);
  const room = Math.max(1, frame.height - title.length - foot.length);
  const end = Math.max(1, row.lines.length - scroll);
  const lines = row.lines.slice(Math.max(0, end - room), end).map(({ at, text }) => {
    const time = new Date(at).toISOString().slice(11, 19);
    return frame.style.dim(time) + cutText(`  ${text}`, frame.width - time.length);
  });
  return [...title, ...(lines.length === 0 ? [frame.style.dim('No output yet.')] : lines), ...foot];
}

function overviewKeys({ agents, wave, isWindingDown }: LiveState): readonly string[] {
  return [
    ...(agents.length > 1 ? ['↑↓ choose'] : []),
    ...(agents.length > 0 ? ['Enter open', 't message', 's stop'] : []),
    ...(wave === 'work' && !isWindingDown ? ['g start no more agents'] : []),
    '? help',
  ];
}

/** The last line: a question, what is going on, or the keys. */
function renderFoot(
  { agents, prompt, isStopping, isWindingDown }: LiveState,
  { width, style, hasKeys }: LiveFrame,
  keys: readonly string[],
): readonly string[] {
  const print = (text: string): string => style.yellow(cutText(text, width));
  if (prompt?.kind === 'stop') {
    const task = agents.find(({ id }) => id === prompt.agent)?.task;
    return [print(`Stop ${task ?? prompt.agent}? (y)es, it fails / yes, and (r)etry / (n)o`)];
  }
  if (prompt?.kind === 'hint') return [renderHintLine(prompt, { width, style })];
  if (prompt?.kind === 'wind-down') return [print('Start no more agents and continue with what is done? (y/n)')];
  if (isStopping) return [print('Stopping; press Ctrl-C again to stop at once.')];
  const note = isWindingDown ? [print('No more agents start in this cycle.')] : [];
  return hasKeys ? [...note, style.dim(fitKeys(keys, width))] : note;
}

/** Renders the hint being typed; where it is too long, its end is shown. */
function renderHintLine(
  { agent, text }: { readonly agent: string; readonly text: string },
  { width, style }: Pick<LiveFrame, 'width' | 'style'>,
): string {
  const head = `Message ${agent} (Enter, Esc): `;
  const all = [...toPrintableLine(text)];
  while (all.length > 0 && textWidth(head + all.join('')) >= width) all.shift();
  return style.yellow(`${cutText(head + all.join(''), width - 1)}_`);
}

/** As many keys as fit; help is always among them. */
function fitKeys(keys: readonly string[], width: number): string {
  for (let count = keys.length; count > 1; count -= 1) {
    const line = [...keys.slice(0, count - 1), keys.at(-1) ?? ''].join(' · ');
    if (line.length <= width) return line;
  }
  return cutText(keys.at(-1) ?? '', width);
}

function renderHelp({ width, style }: LiveFrame): readonly string[] {
  return [
    style.bold(cutText('Keys', width)),
    ...[
      '↑ ↓      choose an agent (also k and j)',
      'Enter    open its output; Esc: back',
      't        send it a message while it works',
      's        stop it; asks first',
      'g        start no more agents in this cycle;',
      '         continue with what is done',
      'Ctrl-L   redraw',
      'Ctrl-Z   suspend; fg resumes',
      'Ctrl-C   stop the run; all is saved',
      'any key  back',
    ].map((line) => cutText(`  ${line}`, width)),
  ];
}
