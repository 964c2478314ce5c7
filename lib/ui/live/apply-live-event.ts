import type { BoardState } from '../../domain/view-models/board-view.ts';
import type { RunEventBody } from '../../domain/view-models/run-event.ts';
import { cutText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { findChosenRow, listAgentsAtWork, noNews, toAction } from './live-rows.ts';
import type { LiveAgentNews, LiveLine, LivePanel, LiveState } from './live-state.ts';

const longestLog = 2_000;
/** Columns of a title before a line of the log. */
const mostOfTitle = 32;

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
    case 'agent-activity':
      return noteAction(state, event, event.text);
    case 'queen-call': {
      // Some CLIs say what they used only at their end.
      const refused = event.code === null ? '' : ` refused: ${event.code}`;
      return noteAction(state, event, `${event.tool} ${event.about}${refused}`);
    }
    case 'question':
      return noteAction(state, event, questionLine(event));
    case 'hint':
      return noteAction(state, event, hintLine(event));
    case 'agent-stalled':
      return noteNews(state, event.agent, { isQuiet: true });
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
      return keepWhatIsRead(state, noteNews(state, event.agent, { hasEnded: true }));
    default:
      return state;
  }
}

type EventOf<Kind extends RunEventBody['event']> = Extract<RunEventBody, { readonly event: Kind }>;

/** The state with what became of an agent. */
export function noteNews(state: LiveState, agent: string, news: Partial<LiveAgentNews>): LiveState {
  const before = state.news.get(agent) ?? noNews;
  return { ...state, news: new Map(state.news).set(agent, { ...before, ...news }) };
}

interface Acted {
  readonly agent: string;
  /** All that it has spent, where that is said. */
  readonly cost_usd?: number;
  readonly tokens?: number;
}

function noteAction(state: LiveState, { agent, cost_usd, tokens }: Acted, text: string): LiveState {
  const spent = cost_usd === undefined || tokens === undefined ? {} : { cost_usd, tokens };
  // Without text only the counts moved.
  return noteNews(state, agent, { ...spent, ...(text === '' ? {} : { isQuiet: false, last: toAction(text) }) });
}

/** The state with the session read again. */
export function takeSessionView(state: LiveState, view: BoardState): LiveState {
  const there = new Set(view.agents.map(({ id }) => id));
  const news = new Map([...state.news].filter(([id, { hasEnded }]) => !hasEnded || there.has(id)));
  return keepWhatIsRead(state, { ...state, view, news });
}

/** Of an agent that has ended, the stream that a person reads stays, and what was asked about it goes. */
function keepWhatIsRead(before: LiveState, now: LiveState): LiveState {
  const { prompt, screen } = now;
  const living = new Set(listAgentsAtWork(now).map(({ id }) => id));
  const read = screen.isLarge && screen.focus === 'stream' ? findChosenRow(before)?.agent?.id : undefined;
  const isOver = prompt !== null && 'agent' in prompt && !living.has(prompt.agent);
  return {
    ...now,
    prompt: isOver ? null : prompt,
    screen: read === undefined || living.has(read) ? screen : { ...screen, ended: read },
  };
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

interface LogEntry {
  readonly text: string;
  /** The task it is about; null: none. */
  readonly task: string | null;
  readonly at: number;
}

/** The state with lines in the session's log, the title of their task before them. */
export function addLogLines(state: LiveState, { text, task, at }: LogEntry): LiveState {
  const title = (task === null ? undefined : state.view.tasks[task]?.title) ?? '';
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
