import type { RunEventBody } from '../../domain/view-models/run-event.ts';
import { cutText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { findChosenRow } from './live-rows.ts';
import type { LiveAgentRow, LiveLine, LivePanel, LiveSessionFacts, LiveState, LiveTask } from './live-state.ts';

const longestLog = 2_000;
/** Columns of a title before a line of the log. */
const mostOfTitle = 32;
/** Characters of an action; a program may print megabytes without a line break. */
const longestAction = 400;

/** The state after an event; the same object where nothing that is shown changed. */
export function applyEventToLiveState(state: LiveState, event: RunEventBody, now: number): LiveState {
  switch (event.event) {
    case 'wave-started':
      return {
        ...state,
        wave: event.wave,
        cycle: event.cycle,
        startedAt: state.startedAt ?? now,
        ...withoutWindDown(state),
        isWindingDown: event.cycle === state.cycle && state.isWindingDown,
      };
    case 'wave-ended':
      return { ...state, wave: null, conflicts: [], ...withoutWindDown(state) };
    case 'task-changed':
      return changeTask(state, event.task, (task) => ({ ...task, status: event.to, why: reasonOf(event) }));
    case 'verdict':
      return changeTask(state, event.task, (task) => ({ ...task, verdict: event.status, why: event.notes }));
    case 'agent-started':
      return startAgent(state, event, now);
    case 'agent-activity':
      return changeAgent(state, event.agent, (row) => noteAction({ ...row, ...spendOf(event) }, event.text));
    case 'queen-call': {
      const text = `${event.tool} ${event.about}${event.code === null ? '' : ` refused: ${event.code}`}`;
      // Some CLIs say what they used only at their end.
      return changeAgent(state, event.agent, (row) => noteAction({ ...row, ...spendOf(event) }, text));
    }
    case 'check':
      return noteCheck(state, event, now);
    case 'question':
      return changeAgent(state, event.agent, (row) => noteAction(row, questionLine(event)));
    case 'hint':
      return changeAgent(state, event.agent, (row) => noteAction(row, hintLine(event)));
    case 'agent-stalled':
      return changeAgent(state, event.agent, (row) => ({ ...row, isQuiet: true }));
    case 'paused':
    case 'resumed': {
      const others = state.pauses.filter(({ adapter }) => adapter !== event.adapter);
      const { adapter } = event;
      return {
        ...state,
        pauses: event.event === 'resumed' ? others : [...others, { adapter, until: event.until }],
      };
    }
    case 'conflicts-ahead':
      return { ...state, conflicts: event.found };
    case 'agent-ended':
      return endAgent(state, event);
    default:
      return state;
  }
}

type EventOf<Kind extends RunEventBody['event']> = Extract<RunEventBody, { readonly event: Kind }>;

function changeTask(state: LiveState, id: string, change: (task: LiveTask) => LiveTask): LiveState {
  const { facts } = state;
  if (facts === null) return state;
  return { ...state, facts: { ...facts, tasks: facts.tasks.map((task) => (task.id === id ? change(task) : task)) } };
}

/** Of what is over or can't begin the reason; of the rest it is no news in its row. */
function reasonOf({ to, why }: EventOf<'task-changed'>): string {
  return to === 'failed' || to === 'blocked' || to === 'dropped' || to === 'requeued' ? why : '';
}

function startAgent(state: LiveState, event: EventOf<'agent-started'>, now: number): LiveState {
  const { agent: id, role, task } = event;
  const row: LiveAgentRow = {
    ...{ id, role, task, startedAt: now, cost_usd: 0, tokens: 0 },
    ...{ last: '', isStopping: false, isQuiet: false },
  };
  const agents = [...state.agents, row].sort(byTask);
  return changeTask({ ...state, agents }, task ?? '', (one) => ({ ...one, agent: id, took_ms: null }));
}

function endAgent(state: LiveState, { agent: id, task, duration_ms: took_ms }: EventOf<'agent-ended'>): LiveState {
  const { prompt, screen } = state;
  const isRead = screen.isLarge && screen.focus === 'stream' && findChosenRow(state)?.agent?.id === id;
  const isAbout = prompt !== null && 'agent' in prompt && prompt.agent === id;
  const agents = state.agents.filter((one) => one.id !== id);
  const next = {
    ...state,
    agents,
    prompt: isAbout ? null : prompt,
    screen: isRead ? { ...screen, ended: id } : screen,
  };
  return changeTask(next, task ?? '', (one) => ({ ...one, took_ms }));
}

function noteCheck(
  state: LiveState,
  { id, about, commit, command, state: stage }: EventOf<'check'>,
  now: number,
): LiveState {
  const others = state.checks.filter((check) => check.id !== id);
  const check = { id, about: about ?? shortId(commit), command, startedAt: now };
  return { ...state, checks: stage === 'started' ? [...others, check] : others };
}

function questionLine({ state, text, answer }: EventOf<'question'>): string {
  const said = {
    asked: `asks you: ${text}`,
    answered: `you answered: ${answer}`,
    dropped: 'ended before you answered',
  };
  return state === 'unanswered' ? `continues without an answer: ${answer}` : said[state];
}

/** A hint's new state. */
function hintLine({ state: fate, text, next }: EventOf<'hint'>): string {
  const said = {
    seen: `received: ${text}`,
    followed: `continues with ${next.join(', ')}`,
    missed: `not received: ${text}`,
  };
  return said[fate];
}

/** Whether to start more agents is asked about the wave it was asked in. */
function withoutWindDown({ prompt }: LiveState): Pick<LiveState, 'prompt'> {
  return { prompt: prompt?.kind === 'wind-down' ? null : prompt };
}

function spendOf(event: { readonly cost_usd: number; readonly tokens: number }) {
  return { cost_usd: event.cost_usd, tokens: event.tokens };
}

function noteAction(row: LiveAgentRow, text: string): LiveAgentRow {
  // Without text only the counts moved.
  if (text === '') return row;
  return { ...row, isQuiet: false, last: toPrintableLine(text.slice(0, longestAction)) };
}

function changeAgent(state: LiveState, id: string, change: (row: LiveAgentRow) => LiveAgentRow): LiveState {
  return { ...state, agents: state.agents.map((row) => (row.id === id ? change(row) : row)) };
}

/** The state with facts read again; how long work took that is not booked yet stays known. */
export function takeLiveFacts(state: LiveState, facts: LiveSessionFacts): LiveState {
  const before = new Map(state.facts?.tasks.map((task) => [task.id, task]));
  const tasks = facts.tasks.map((task): LiveTask => {
    const known = before.get(task.id);
    const isSame = known !== undefined && known.agent === task.agent && task.status !== 'pending';
    return { ...task, took_ms: task.took_ms ?? (isSame ? known.took_ms : null) };
  });
  return { ...state, facts: { ...facts, tasks } };
}

interface LogEntry {
  readonly text: string;
  /** The task it is about; null: none. */
  readonly task: string | null;
  readonly at: number;
}

/** The state with lines in the session's log, the title of their task before them. */
export function addLogLines(state: LiveState, { text, task, at }: LogEntry): LiveState {
  const title = state.facts?.tasks.find(({ id }) => id === task)?.title ?? '';
  const about = title === '' ? '' : `${cutText(toPrintableLine(title), mostOfTitle)} · `;
  const lines = text.split('\n').map((line, index): LiveLine => ({ at, text: index === 0 ? about + line : line }));
  const log = [...state.log, ...lines].slice(-longestLog);
  return { ...state, log, screen: keepPlace(state, 'session', { added: lines.length, count: log.length }) };
}

/** The state with the latest lines of an agent's stream, of which so many are new. */
export function takeStream(state: LiveState, stream: NonNullable<LiveState['stream']>, added: number): LiveState {
  const isOther = state.stream?.agent !== stream.agent || state.screen.diff !== null;
  const screen = isOther ? state.screen : keepPlace(state, 'stream', { added, count: stream.lines.length });
  return { ...state, stream, screen };
}

/** The screen on which lines that a person has scrolled up to stay where they are while others come below. */
function keepPlace(
  { screen }: LiveState,
  panel: LivePanel,
  { added, count }: { readonly added: number; readonly count: number },
): LiveState['screen'] {
  if (screen.focus !== panel || screen.scroll === 0) return screen;
  return { ...screen, scroll: Math.min(screen.scroll + added, count - 1) };
}

/** Agents that start together report in any order; a person finds them by their task. */
function byTask(one: LiveAgentRow, other: LiveAgentRow): number {
  return (one.task ?? '').localeCompare(other.task ?? '', 'en', { numeric: true });
}
