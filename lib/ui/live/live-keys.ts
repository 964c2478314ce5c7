import { noteNews } from './apply-live-event.ts';
import { findChosenRow, listLiveRows } from './live-rows.ts';
import {
  type LivePanel,
  type LivePrompt,
  type LiveState,
  type LiveTextPrompt,
  liveOverview,
  livePanels,
} from './live-state.ts';

/** What a terminal in raw mode sends for each key. */
const sequences = {
  up: ['\u001b[A', '\u001bOA', 'k'],
  down: ['\u001b[B', '\u001bOB', 'j'],
  previous: ['\u001b[D', '\u001bOD', '\u001b[Z'],
  next: ['\u001b[C', '\u001bOC', '\t'],
  'page-up': ['\u001b[5~'],
  'page-down': ['\u001b[6~'],
  first: ['\u001b[H', '\u001bOH', '\u001b[1~'],
  last: ['\u001b[F', '\u001bOF', '\u001b[4~'],
  enter: ['\r', '\n'],
  back: ['\u001b', '\u007f', '0'],
  interrupt: ['\u0003'],
  suspend: ['\u001a'],
  redraw: ['\u000c'],
} as const;

type NamedKey = keyof typeof sequences;
export type LiveKey = NamedKey | `char:${string}`;

const namedKeys = Object.keys(sequences) as readonly NamedKey[];
const keyOfSequence = new Map(namedKeys.flatMap((key) => sequences[key].map((sent) => [sent as string, key] as const)));

/** An action that a person has confirmed. */
export type ConfirmedLiveAction =
  /** retry: its task is tried again; else it has failed. */
  | { readonly kind: 'stop'; readonly agent: string; readonly retry: boolean }
  | { readonly kind: 'wind-down' }
  | Extract<LiveTextPrompt, { readonly kind: 'hint' }>;

/** The effect of a key beyond the view. `go-on`: the person is ready for what waits. */
export type LiveKeyAction =
  | ConfirmedLiveAction
  | { readonly kind: 'diff'; readonly task: string }
  | { readonly kind: 'interrupt' | 'suspend' | 'redraw' | 'go-on' };

interface Pressed {
  readonly state: LiveState;
  readonly act: LiveKeyAction | null;
}

/** The keys in what a terminal in raw mode sent; sequences that mean nothing here are left out. */
export function parseTerminalKeys(text: string): readonly LiveKey[] {
  // An escape sequence, an escape alone, or a character.
  const parts = text.match(/\u001b(?:\[[0-9;]*[@-~]|O[@-~])?|[^\u001b]/gu) ?? [];
  return parts.flatMap((part): readonly LiveKey[] => {
    const key = keyOfSequence.get(part);
    if (key !== undefined) return [key];
    return part.length === 1 && part >= ' ' ? [`char:${part.toLowerCase()}`] : [];
  });
}

/** Applies a key: to the view at once, to the run as an act for the caller. */
export function applyLiveKey(before: LiveState, key: LiveKey): Pressed {
  const state = before.note === null ? before : { ...before, note: null };
  if (key === 'interrupt' || key === 'suspend' || key === 'redraw') return { state, act: { kind: key } };
  if (state.prompt !== null) return answer(state, state.prompt, key);
  if (state.screen.isHelp) return show(state, { isHelp: false });
  switch (key) {
    case 'next':
    case 'previous':
      return turnTo(state, key === 'next' ? 1 : -1);
    case 'enter':
      // What is opened stays, also when it ends and others work.
      return show(state, { isLarge: true, focus: panelToOpen(state), chosen: findChosenRow(state)?.key ?? null });
    case 'back':
      return overview(state);
    case 'up':
    case 'down':
    case 'page-up':
    case 'page-down':
    case 'first':
    case 'last':
      return move(state, key);
    default:
      return pressLetter(state, key.slice('char:'.length));
  }
}

function pressLetter(state: LiveState, letter: string): Pressed {
  const row = findChosenRow(state);
  switch (letter) {
    case '?':
    case 'h':
      return show(state, { isHelp: true });
    case '/':
      return ask({ ...state, screen: { ...liveOverview, chosen: state.screen.chosen } }, { kind: 'filter', text: '' });
    case 'a':
      return { state, act: state.waiting === null ? null : { kind: 'go-on' } };
    case 'g':
      return askWindDown(state);
    case 'q':
      return state.screen.isLarge ? overview(state) : ask(state, { kind: 'leave' });
    case 's':
      return row?.agent == null || row.agent.isStopping
        ? { state, act: null }
        : ask(state, { kind: 'stop', agent: row.agent.id });
    case 't':
      return row?.agent == null ? { state, act: null } : ask(state, { kind: 'hint', agent: row.agent.id, text: '' });
    case 'd':
      return toggleDiff(state, row?.task?.id ?? null);
    default:
      return { state, act: null };
  }
}

/** The diff of a task instead of its stream, and back. */
function toggleDiff(state: LiveState, task: string | null): Pressed {
  if (state.screen.diff !== null) return show(state, fresh);
  return { state, act: task === null ? null : { kind: 'diff', task } };
}

/** A chosen row is opened as its stream. */
function panelToOpen({ screen }: LiveState): LivePanel {
  return screen.focus === 'tasks' ? 'stream' : screen.focus;
}

/** What was chosen stays; from the overview itself, all rows are shown again. */
function overview(state: LiveState): Pressed {
  const { chosen, filter, focus } = state.screen;
  return show(state, { ...liveOverview, chosen, filter: focus === 'tasks' ? '' : filter });
}

/** The next panel: the tasks, the stream of each agent in turn, the session. */
function turnTo(state: LiveState, step: 1 | -1): Pressed {
  const { focus, isLarge } = state.screen;
  const streams = listLiveRows(state).filter(({ agent }) => agent !== null);
  const at = streams.findIndex(({ key }) => key === findChosenRow(state)?.key);
  const next = streams[at + step];
  if (focus === 'stream' && at >= 0 && next !== undefined)
    return show(state, { ...fresh, ended: null, chosen: next.key });
  const index = livePanels.indexOf(focus) + step + livePanels.length;
  const panel = livePanels[index % livePanels.length] ?? 'tasks';
  const first = step === 1 ? streams[0] : streams.at(-1);
  const chosen = panel === 'stream' && first !== undefined ? { chosen: first.key } : {};
  return show(state, { ...fresh, ended: null, ...chosen, focus: panel, isLarge: isLarge && panel !== 'tasks' });
}

const fresh = { scroll: 0, diff: null } as const;
const page = 10;

/** Chooses a row, or scrolls; both end where there is nothing more. */
function move(state: LiveState, key: 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last'): Pressed {
  const { screen } = state;
  const steps = { up: -1, down: 1, 'page-up': -page, 'page-down': page, first: -Infinity, last: Infinity }[key];
  if (screen.focus === 'tasks') {
    const rows = listLiveRows(state);
    const at = rows.findIndex((row) => row.key === findChosenRow(state, rows)?.key);
    const wanted = Math.min(rows.length - 1, Math.max(0, at + steps));
    return show(state, { ...fresh, chosen: rows[wanted]?.key ?? null });
  }
  const count = linesOf(state);
  // A diff is read from its beginning, a stream from its end.
  const wanted = screen.diff === null ? screen.scroll - steps : screen.scroll + steps;
  return show(state, { scroll: Math.max(0, Math.min(wanted, count - 1)) });
}

function linesOf({ screen, stream, log }: LiveState): number {
  if (screen.focus === 'session') return log.length;
  return screen.diff?.lines.length ?? stream?.lines.length ?? 0;
}

function ask(state: LiveState, prompt: LivePrompt): Pressed {
  return { state: { ...state, prompt }, act: null };
}

/** Applies text typed at a prompt: Enter ends it, Esc gives it up. A pasted line break becomes a space. */
export function applyTyping(state: LiveState, asking: LiveTextPrompt, typed: string): Pressed {
  if (typed === '\u0003' || typed === '\u001a')
    return applyLiveKey(state, typed === '\u0003' ? 'interrupt' : 'suspend');
  if (typed === '\u001b') return typeText(state, { ...asking, text: '' }, true);
  const isSent = /^[^\r\n]*[\r\n]$/.test(typed);
  const text = [...typed.replace(escapes, '').replace(/[\r\n]+/g, isSent ? '' : ' ')].reduce(edit, asking.text);
  return typeText(state, { ...asking, text }, isSent);
}

function typeText(state: LiveState, asking: LiveTextPrompt, isOver: boolean): Pressed {
  const next = { ...state, prompt: isOver ? null : asking };
  if (asking.kind === 'filter') return show(next, { filter: asking.text });
  const text = asking.text.trim();
  return { state: next, act: isOver && text !== '' ? { ...asking, text } : null };
}

const escapes = /\u001b(?:\[[0-9;]*[@-~]|O[@-~])?/g;

/** Backspace takes a character back, Ctrl-W a word, Ctrl-U all. */
function edit(text: string, typed: string): string {
  if (typed === '\u007f' || typed === '\b') return [...text].slice(0, -1).join('');
  if (typed === '\u0015') return '';
  if (typed === '\u0017') return text.replace(/\S+\s*$/, '');
  return typed < ' ' ? text : text + typed;
}

/** Only where agents are still to start is there anything to hold back. */
function askWindDown(state: LiveState): Pressed {
  if (state.wave !== 'work' || state.isWindingDown) return { state, act: null };
  return ask(state, { kind: 'wind-down' });
}

function answer(state: LiveState, asking: LivePrompt, key: LiveKey): Pressed {
  if (asking.kind === 'hint' || asking.kind === 'filter') return { state, act: null };
  const answered = { ...state, prompt: null };
  const isRetry = asking.kind === 'stop' && key === 'char:r';
  if (key !== 'char:y' && !isRetry) return { state: answered, act: null };
  if (asking.kind === 'leave') return { state: answered, act: { kind: 'interrupt' } };
  if (asking.kind === 'wind-down') return { state: { ...answered, isWindingDown: true }, act: asking };
  return { state: noteNews(answered, asking.agent, { isStopping: true }), act: { ...asking, retry: isRetry } };
}

function show(state: LiveState, screen: Partial<LiveState['screen']>): Pressed {
  return { state: { ...state, screen: { ...state.screen, ...screen } }, act: null };
}
