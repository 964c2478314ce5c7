import { type BoardState, emptyBoardState } from '../../domain/view-models/board-view.ts';

type Tasks = BoardState['tasks'];
type Parts = Omit<BoardState, 'tasks'>;

/** Data for a tab: the whole state at first, then what has changed. */
export interface BoardChange {
  /** The clock here, milliseconds since 1970. */
  readonly now: number;
  readonly parts: Partial<Parts>;
  /** New and changed tasks. */
  readonly tasks: Tasks;
  /** Ids of those that are there no more. */
  readonly gone: readonly string[];
}

/** The last message of a board. */
export interface BoardEndMessage {
  readonly ended: string;
  /** True if the run that served it has ended with it; else runs go on. */
  readonly isRunOver: boolean;
}
/** A message that a tab gets instead of a change. */
export type BoardMessage = { readonly trouble: string } | BoardEndMessage;

/** A state as it was sent, to compare the next one with: the JSON of each part, and of each task. */
export interface SentBoardState {
  readonly parts: ReadonlyMap<string, string>;
  readonly tasks: ReadonlyMap<string, string>;
}

export const emptySentBoardState: SentBoardState = { parts: new Map(), tasks: new Map() };

/** Finds what `state` has that was not sent yet; null: nothing. */
export function findUnsentBoardChange(
  sent: SentBoardState,
  state: BoardState,
  now: number,
): { readonly change: BoardChange | null; readonly sent: SentBoardState } {
  const { tasks, ...parts } = state;
  const texts: SentBoardState = { parts: textsOf(parts), tasks: textsOf(tasks) };
  const changedParts: Partial<Parts> = parts;
  for (const key of partKeys) if (texts.parts.get(key) === sent.parts.get(key)) delete changedParts[key];
  const changedTasks = Object.entries(tasks).filter(([id]) => texts.tasks.get(id) !== sent.tasks.get(id));
  const gone = [...sent.tasks.keys()].filter((id) => !texts.tasks.has(id));
  const isEmpty = Object.keys(changedParts).length + changedTasks.length + gone.length === 0;
  const change = { now, parts: changedParts, tasks: Object.fromEntries(changedTasks), gone };
  return { change: isEmpty ? null : change, sent: texts };
}

/** The state of a tab after a change; what has not changed is the same object as before. */
export function applyBoardChange(state: BoardState | null, { parts, tasks, gone }: BoardChange): BoardState {
  const before = { ...emptyBoardState, ...state, ...parts };
  if (Object.keys(tasks).length + gone.length === 0) return before;
  const left = new Set(gone);
  const kept = Object.entries(before.tasks).filter(([id]) => !left.has(id));
  return { ...before, tasks: { ...Object.fromEntries(kept), ...tasks } };
}

const { tasks: _, ...emptyParts } = emptyBoardState;
const partKeys = Object.keys(emptyParts).filter((key): key is keyof Parts => key in emptyParts);

function textsOf(values: object): ReadonlyMap<string, string> {
  return new Map(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
}
