import {
  type BoardAgent,
  type BoardState,
  type BoardStreamLine,
  emptyBoardState,
} from '../../domain/view-models/board-view.ts';
import type { PredictedConflict } from '../../domain/view-models/status-view.ts';

/** A line of the session's log. */
export interface LiveLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** What is known of an agent since the session was read. */
export interface LiveAgentNews {
  readonly cost_usd: number;
  readonly tokens: number;
  /** What it did last, printable; '' at first. */
  readonly last: string;
  readonly isStopping: boolean;
  /** Nothing has been heard of it for long. */
  readonly isQuiet: boolean;
  readonly hasEnded: boolean;
}

export interface LiveAgentRow extends BoardAgent, Omit<LiveAgentNews, 'hasEnded'> {}

export const livePanels = ['tasks', 'stream', 'session'] as const;
export type LivePanel = (typeof livePanels)[number];

/** What the person looks at. */
interface LiveScreen {
  /** The panel that has the keys. */
  readonly focus: LivePanel;
  /** That panel alone fills the screen. */
  readonly isLarge: boolean;
  /** Lines above the end of the focused panel; of a diff, below its beginning. */
  readonly scroll: number;
  /** Key of the row the keys are about; null: the first where something is done. */
  readonly chosen: string | null;
  /** Words that the rows shown have; '': all are shown. */
  readonly filter: string;
  /** The diff of a task, in place of its stream. */
  readonly diff: { readonly task: string; readonly lines: readonly string[] } | null;
  readonly isHelp: boolean;
  /** The agent that ended while its stream filled the screen, and is still read; null: none. */
  readonly ended: string | null;
}

/** A question on the last line: to confirm what can't be undone, or for a text. */
export type LivePrompt =
  | { readonly kind: 'stop'; readonly agent: string }
  | { readonly kind: 'wind-down' }
  | { readonly kind: 'leave' }
  | LiveTextPrompt;

/** The text of a hint, or the words of the filter, which hold as they are typed. */
export type LiveTextPrompt =
  | { readonly kind: 'hint'; readonly agent: string; readonly text: string }
  | { readonly kind: 'filter'; readonly text: string };

export interface LiveState {
  readonly wave: string | null;
  readonly cycle: number;
  /** When the first wave began, in milliseconds since 1970; null: none has. */
  readonly startedAt: number | null;
  /** The session as it was read last, as the board has it; its questions are asked elsewhere. */
  readonly view: BoardState;
  /** By agent. */
  readonly news: ReadonlyMap<string, LiveAgentNews>;
  /** What happened in the session, the latest last. */
  readonly log: readonly LiveLine[];
  /** What the agent that is looked at prints and does, the latest last. */
  readonly stream: { readonly agent: string; readonly lines: readonly BoardStreamLine[] } | null;
  readonly screen: LiveScreen;
  readonly prompt: LivePrompt | null;
  /** What became of the last order, until the next key. */
  readonly note: string | null;
  /** What waits until the person is done with what they look at: a question, the end of the run. */
  readonly waiting: 'question' | 'end' | null;
  readonly isWindingDown: boolean;
  /** Adapters whose service said to wait, and until when (ISO 8601). */
  readonly pauses: readonly { readonly adapter: string; readonly until: string }[];
  /** Predicted conflicts of works as they are now. */
  readonly conflicts: readonly PredictedConflict[];
  /** The person stops the whole program. */
  readonly isStopping: boolean;
}

export const liveOverview: LiveScreen = {
  focus: 'tasks',
  isLarge: false,
  scroll: 0,
  chosen: null,
  filter: '',
  diff: null,
  isHelp: false,
  ended: null,
};

export const emptyLiveState: LiveState = {
  wave: null,
  cycle: 0,
  startedAt: null,
  view: emptyBoardState,
  news: new Map(),
  log: [],
  stream: null,
  screen: liveOverview,
  prompt: null,
  note: null,
  waiting: null,
  isWindingDown: false,
  pauses: [],
  conflicts: [],
  isStopping: false,
};

/** Whether the person is in the middle of something that a question must not take away. */
export function isEngaged({ screen, prompt }: LiveState): boolean {
  return prompt !== null || screen.isLarge || screen.isHelp;
}
