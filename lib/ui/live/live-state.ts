import type { Role } from '../../domain/role.ts';
import type { AheadConflict } from '../../domain/shown/ahead.ts';
import type { EventBody } from '../../domain/shown/event.ts';
import { shortId } from '../../util/short-id.ts';
import { visibleLine } from '../text/visible-text.ts';

/** A budget; `limit` 0 is unlimited. */
export interface Budget {
  readonly unit: 'usd' | 'tokens';
  readonly limit: number;
}

/** What the view knows of the session beyond its events. */
export interface LiveFacts {
  /** By what becomes of them next; `waiting` is for a dependency, a file lock or a backoff. */
  readonly counts: {
    readonly total: number;
    readonly done: number;
    readonly running: number;
    readonly ready: number;
    readonly waiting: number;
    readonly back: number;
    readonly lost: number;
  };
  /** Booked so far, by agents that have ended. */
  readonly spent: { readonly cost_usd: number; readonly tokens: number };
  readonly budget: Budget;
  readonly agentBudgets: Readonly<Record<Role, Budget>>;
  readonly titles: ReadonlyMap<string, string>;
}

interface LiveLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

export interface LiveAgentRow {
  readonly id: string;
  readonly role: Role;
  readonly task: string | null;
  readonly startedAt: number;
  readonly cost_usd: number;
  readonly tokens: number;
  /** What it did, oldest first, the latest few hundred. */
  readonly lines: readonly LiveLine[];
  readonly isStopping: boolean;
  /** Nothing has been heard of it for long. */
  readonly isQuiet: boolean;
  /** How it ended; null while it runs. */
  readonly outcome: string | null;
}

/** A diagnostic that runs now. */
export interface LiveCheck {
  readonly id: string;
  readonly about: string;
  readonly command: string;
  readonly startedAt: number;
}

type LiveScreen =
  | { readonly kind: 'overview' }
  /** One agent's stream; `scroll` lines above its end. */
  | { readonly kind: 'agent'; readonly id: string; readonly scroll: number }
  | { readonly kind: 'help' };

/** A question on the last line: whether to do what can't be taken back, or what to tell an agent. */
export type LiveAsking =
  | { readonly kind: 'stop'; readonly agent: string }
  | { readonly kind: 'wind-down' }
  | { readonly kind: 'hint'; readonly agent: string; readonly text: string };

export interface LiveState {
  readonly wave: string | null;
  readonly cycle: number;
  readonly agents: readonly LiveAgentRow[];
  /** The agent whose stream is looked at although it has ended. */
  readonly ended: LiveAgentRow | null;
  readonly checks: readonly LiveCheck[];
  readonly facts: LiveFacts | null;
  readonly screen: LiveScreen;
  readonly asking: LiveAsking | null;
  /** Id of the agent the keys are about; null: the first. */
  readonly chosen: string | null;
  readonly isWindingDown: boolean;
  /** Adapters whose service said to wait, and until when (ISO 8601). */
  readonly pauses: readonly { readonly adapter: string; readonly until: string }[];
  /** What works come to if they are merged as they are now. */
  readonly conflicts: readonly AheadConflict[];
  /** The person stops the whole program. */
  readonly isStopping: boolean;
}

const longestStream = 500;

export const emptyLive: LiveState = {
  wave: null,
  cycle: 0,
  agents: [],
  ended: null,
  checks: [],
  facts: null,
  screen: { kind: 'overview' },
  asking: null,
  chosen: null,
  isWindingDown: false,
  pauses: [],
  conflicts: [],
  isStopping: false,
};

/** The state after an event; the same object where nothing that is shown changed. */
export function takeEvent(state: LiveState, event: EventBody, now: number): LiveState {
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
        ...{ id, role, task, startedAt: now, cost_usd: 0, tokens: 0 },
        ...{ lines: [], isStopping: false, isQuiet: false, outcome: null },
      };
      return { ...state, agents: [...state.agents, row].sort(byTask) };
    }
    case 'agent-activity':
      return changeAgent(state, event.agent, (row) =>
        addLine({ ...row, ...spendOf(event) }, event.text, now),
      );
    case 'queen-call': {
      const text = `${event.tool} ${event.about}${event.code === null ? '' : ` refused: ${event.code}`}`;
      // Some CLIs say what they used only at their end.
      return changeAgent(state, event.agent, (row) => addLine({ ...row, ...spendOf(event) }, text, now));
    }
    case 'check':
      return noteCheck(state, event, now);
    case 'question':
      return sayOfAgent(state, event.agent, questionLine(event), now);
    case 'hint':
      return noteTold(state, event, now);
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
  { id, about, commit, command, state: stage }: Extract<EventBody, { readonly event: 'check' }>,
  now: number,
): LiveState {
  const others = state.checks.filter((check) => check.id !== id);
  const check = { id, about: about ?? shortId(commit), command, startedAt: now };
  return { ...state, checks: stage === 'started' ? [...others, check] : others };
}

function questionLine({ state, text, answer }: Extract<EventBody, { readonly event: 'question' }>): string {
  const said = {
    asked: `asks you: ${text}`,
    answered: `you answered: ${answer}`,
    dropped: 'ended while it asked',
  };
  return state === 'unanswered' ? `goes on by itself: ${answer}` : said[state];
}

/** What became of a hint stands in its agent's stream. */
function noteTold(
  state: LiveState,
  event: Extract<EventBody, { readonly event: 'hint' }>,
  now: number,
): LiveState {
  const { state: fate, text, next } = event;
  const said = {
    seen: `told: ${text}`,
    followed: `goes on with ${next.join(', ')}`,
    missed: `not told: ${text}`,
  };
  return sayOfAgent(state, event.agent, said[fate], now);
}

/** Whether to start more agents is asked about the wave it was asked in. */
function withoutWindDown({ asking }: LiveState): Pick<LiveState, 'asking'> {
  return { asking: asking?.kind === 'wind-down' ? null : asking };
}

/** The agent the keys are about; null when none runs. */
export function chosenAgent({ agents, chosen }: LiveState): LiveAgentRow | null {
  return agents.find(({ id }) => id === chosen) ?? agents[0] ?? null;
}

/** An agent that runs, or the ended one that is still looked at. */
export function agentOf({ agents, ended }: LiveState, id: string): LiveAgentRow | null {
  return agents.find((row) => row.id === id) ?? (ended?.id === id ? ended : null);
}

function spendOf(event: { readonly cost_usd: number; readonly tokens: number }) {
  return { cost_usd: event.cost_usd, tokens: event.tokens };
}

/** The state with a line in an agent's stream. */
export function sayOfAgent(state: LiveState, id: string, text: string, now: number): LiveState {
  return changeAgent(state, id, (row) => addLine(row, text, now));
}

function addLine(row: LiveAgentRow, text: string, at: number): LiveAgentRow {
  // Without text only the counts moved.
  if (text === '') return row;
  return {
    ...row,
    isQuiet: false,
    lines: [...row.lines, { at, text: visibleLine(text) }].slice(-longestStream),
  };
}

function changeAgent(state: LiveState, id: string, change: (row: LiveAgentRow) => LiveAgentRow): LiveState {
  return { ...state, agents: state.agents.map((row) => (row.id === id ? change(row) : row)) };
}

function endAgent(state: LiveState, id: string, change: (row: LiveAgentRow) => LiveAgentRow): LiveState {
  const row = agentOf(state, id);
  const { screen, asking } = state;
  const isLookedAt = screen.kind === 'agent' && screen.id === id;
  return {
    ...state,
    agents: state.agents.filter((one) => one.id !== id),
    ended: isLookedAt && row !== null ? change(row) : state.ended,
    asking: asking !== null && asking.kind !== 'wind-down' && asking.agent === id ? null : asking,
  };
}

/** Agents that start together report in any order; a person finds them by their task. */
function byTask(one: LiveAgentRow, other: LiveAgentRow): number {
  return (one.task ?? '').localeCompare(other.task ?? '', 'en', { numeric: true });
}
