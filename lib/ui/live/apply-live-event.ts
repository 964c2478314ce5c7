import type { RunEventBody } from '../../domain/view-models/run-event.ts';
import { shortId } from '../../util/short-names.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { findLiveAgentRow, type LiveAgentRow, type LiveState } from './live-state.ts';

const longestStream = 500;

/** The state after an event; the same object where nothing that is shown changed. */
export function applyEventToLiveState(state: LiveState, event: RunEventBody, now: number): LiveState {
  switch (event.event) {
    case 'wave-started':
      return {
        ...state,
        wave: event.wave,
        cycle: event.cycle,
        ...withoutWindDown(state),
        isWindingDown: event.cycle === state.cycle && state.isWindingDown,
      };
    case 'wave-ended':
      return { ...state, wave: null, conflicts: [], ...withoutWindDown(state) };
    case 'agent-started': {
      const { agent: id, role, task } = event;
      const row: LiveAgentRow = {
        id,
        role,
        task,
        startedAt: now,
        cost_usd: 0,
        tokens: 0,
        lines: [],
        isStopping: false,
        isQuiet: false,
        outcome: null,
      };
      return { ...state, agents: [...state.agents, row].sort(byTask) };
    }
    case 'agent-activity':
      return changeAgent(state, event.agent, (row) => addLine({ ...row, ...spendOf(event) }, event.text, now));
    case 'queen-call': {
      const text = `${event.tool} ${event.about}${event.code === null ? '' : ` refused: ${event.code}`}`;
      // Some CLIs say what they used only at their end.
      return changeAgent(state, event.agent, (row) => addLine({ ...row, ...spendOf(event) }, text, now));
    }
    case 'check':
      return noteCheck(state, event, now);
    case 'question':
      return addAgentLine(state, event.agent, questionLine(event), now);
    case 'hint':
      return noteHintNews(state, event, now);
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
      return endAgent(state, event.agent, (row) => ({ ...row, ...spendOf(event), outcome: event.outcome }));
    default:
      return state;
  }
}

function noteCheck(
  state: LiveState,
  { id, about, commit, command, state: stage }: Extract<RunEventBody, { readonly event: 'check' }>,
  now: number,
): LiveState {
  const others = state.checks.filter((check) => check.id !== id);
  const check = { id, about: about ?? shortId(commit), command, startedAt: now };
  return { ...state, checks: stage === 'started' ? [...others, check] : others };
}

function questionLine({ state, text, answer }: Extract<RunEventBody, { readonly event: 'question' }>): string {
  const said = {
    asked: `asks you: ${text}`,
    answered: `you answered: ${answer}`,
    dropped: 'ended before you answered',
  };
  return state === 'unanswered' ? `continues without an answer: ${answer}` : said[state];
}

/** Adds a hint's new state to its agent's stream. */
function noteHintNews(
  state: LiveState,
  event: Extract<RunEventBody, { readonly event: 'hint' }>,
  now: number,
): LiveState {
  const { state: fate, text, next } = event;
  const said = {
    seen: `received: ${text}`,
    followed: `continues with ${next.join(', ')}`,
    missed: `not received: ${text}`,
  };
  return addAgentLine(state, event.agent, said[fate], now);
}

/** Whether to start more agents is asked about the wave it was asked in. */
function withoutWindDown({ prompt }: LiveState): Pick<LiveState, 'prompt'> {
  return { prompt: prompt?.kind === 'wind-down' ? null : prompt };
}

function spendOf(event: { readonly cost_usd: number; readonly tokens: number }) {
  return { cost_usd: event.cost_usd, tokens: event.tokens };
}

/** The state with a line in an agent's stream. */
export function addAgentLine(state: LiveState, id: string, text: string, now: number): LiveState {
  return changeAgent(state, id, (row) => addLine(row, text, now));
}

function addLine(row: LiveAgentRow, text: string, at: number): LiveAgentRow {
  // Without text only the counts moved.
  if (text === '') return row;
  return {
    ...row,
    isQuiet: false,
    lines: [...row.lines, { at, text: toPrintableLine(text) }].slice(-longestStream),
  };
}

function changeAgent(state: LiveState, id: string, change: (row: LiveAgentRow) => LiveAgentRow): LiveState {
  return { ...state, agents: state.agents.map((row) => (row.id === id ? change(row) : row)) };
}

function endAgent(state: LiveState, id: string, change: (row: LiveAgentRow) => LiveAgentRow): LiveState {
  const row = findLiveAgentRow(state, id);
  const { screen, prompt } = state;
  const isLookedAt = screen.kind === 'agent' && screen.id === id;
  return {
    ...state,
    agents: state.agents.filter((one) => one.id !== id),
    ended: isLookedAt && row !== null ? change(row) : state.ended,
    prompt: prompt !== null && prompt.kind !== 'wind-down' && prompt.agent === id ? null : prompt,
  };
}

/** Agents that start together report in any order; a person finds them by their task. */
function byTask(one: LiveAgentRow, other: LiveAgentRow): number {
  return (one.task ?? '').localeCompare(other.task ?? '', 'en', { numeric: true });
}
