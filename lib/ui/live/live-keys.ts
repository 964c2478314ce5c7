import { findChosenAgentRow, findLiveAgentRow, type LivePrompt, type LiveState } from './live-state.ts';

export type LiveKey = 'up' | 'down' | 'enter' | 'back' | 'interrupt' | 'suspend' | 'redraw' | `char:${string}`;

/** An action that a person has confirmed. */
export type ConfirmedLiveAction =
  /** retry: its task is tried again; else it has failed. */
  | { readonly kind: 'stop'; readonly agent: string; readonly retry: boolean }
  | { readonly kind: 'wind-down' }
  | HintAction;

/** A hint to an agent at work. */
export interface HintAction {
  readonly kind: 'hint';
  readonly agent: string;
  readonly text: string;
}

/** The effect of a key beyond the view. */
export type LiveKeyAction = ConfirmedLiveAction | { readonly kind: 'interrupt' | 'suspend' | 'redraw' };

interface Pressed {
  readonly state: LiveState;
  readonly act: LiveKeyAction | null;
}

const sequences: Readonly<Record<string, LiveKey>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[D': 'back',
  '\u001b[C': 'enter',
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'back',
  '\u007f': 'back',
  '\u0003': 'interrupt',
  '\u001a': 'suspend',
  '\u000c': 'redraw',
  k: 'up',
  j: 'down',
};

/** The keys in what a terminal in raw mode sent; sequences that mean nothing here are left out. */
export function parseTerminalKeys(text: string): readonly LiveKey[] {
  // An escape sequence, an escape alone, or a character.
  const parts = text.match(/\u001b(?:\[[0-9;]*[@-~]|O[@-~])?|[^\u001b]/gu) ?? [];
  return parts.flatMap((part): readonly LiveKey[] => {
    const key = sequences[part];
    if (key !== undefined) return [key];
    return part.length === 1 && part >= ' ' ? [`char:${part.toLowerCase()}`] : [];
  });
}

/** Applies a key: to the view at once, to the run as an act for the caller. */
export function applyLiveKey(state: LiveState, key: LiveKey): Pressed {
  if (key === 'interrupt' || key === 'suspend' || key === 'redraw') return { state, act: { kind: key } };
  if (state.prompt !== null) return answer(state, state.prompt, key);
  if (state.screen.kind === 'help') return show(state, { kind: 'overview' });
  if (key === 'char:?' || key === 'char:h') return show(state, { kind: 'help' });
  if (key === 'char:g') return askWindDown(state);
  return state.screen.kind === 'agent' ? pressInAgent(state, state.screen, key) : pressInOverview(state, key);
}

function pressInOverview(state: LiveState, key: LiveKey): Pressed {
  const chosen = findChosenAgentRow(state);
  if (chosen === null) return { state, act: null };
  if (key === 'up' || key === 'down') {
    const index = state.agents.indexOf(chosen) + (key === 'up' ? -1 : 1);
    const next = state.agents[Math.min(state.agents.length - 1, Math.max(0, index))];
    return { state: { ...state, chosen: next?.id ?? null }, act: null };
  }
  if (key === 'enter') return show({ ...state, ended: null }, { kind: 'agent', id: chosen.id, scroll: 0 });
  if (key === 'char:t') return askHint(state, chosen.id);
  return key === 'char:s' ? askStop(state, chosen.id) : { state, act: null };
}

function pressInAgent(
  state: LiveState,
  screen: LiveState['screen'] & { readonly kind: 'agent' },
  key: LiveKey,
): Pressed {
  if (key === 'back' || key === 'char:q') return show({ ...state, ended: null }, { kind: 'overview' });
  const row = findLiveAgentRow(state, screen.id);
  if (key === 'char:s' && row?.outcome === null) return askStop(state, screen.id);
  if (key === 'char:t' && row?.outcome === null) return askHint(state, screen.id);
  if (key !== 'up' && key !== 'down') return { state, act: null };
  const wanted = screen.scroll + (key === 'up' ? 1 : -1);
  return show(state, { ...screen, scroll: Math.max(0, Math.min(wanted, (row?.lines.length ?? 1) - 1)) });
}

function askStop(state: LiveState, agent: string): Pressed {
  if (findLiveAgentRow(state, agent)?.isStopping === true) return { state, act: null };
  return { state: { ...state, prompt: { kind: 'stop', agent } }, act: null };
}

function askHint(state: LiveState, agent: string): Pressed {
  return { state: { ...state, prompt: { kind: 'hint', agent, text: '' } }, act: null };
}

/** Applies text typed into a hint: Enter sends it, Esc gives it up. A pasted line break becomes a space. */
export function applyHintTyping(state: LiveState, asking: HintAction, typed: string): Pressed {
  if (typed === '\u0003' || typed === '\u001a')
    return applyLiveKey(state, typed === '\u0003' ? 'interrupt' : 'suspend');
  if (typed === '\u001b') return { state: { ...state, prompt: null }, act: null };
  const isSent = /^[^\r\n]*[\r\n]$/.test(typed);
  const text = [...typed.replace(escapes, '').replace(/[\r\n]+/g, isSent ? '' : ' ')].reduce(edit, asking.text);
  if (!isSent) return { state: { ...state, prompt: { ...asking, text } }, act: null };
  const said = text.trim();
  return { state: { ...state, prompt: null }, act: said === '' ? null : { ...asking, text: said } };
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
  return { state: { ...state, prompt: { kind: 'wind-down' } }, act: null };
}

function answer(state: LiveState, asking: LivePrompt, key: LiveKey): Pressed {
  if (asking.kind === 'hint') return { state, act: null };
  const answered = { ...state, prompt: null };
  const isRetry = asking.kind === 'stop' && key === 'char:r';
  if (key !== 'char:y' && !isRetry) return { state: answered, act: null };
  if (asking.kind === 'wind-down') return { state: { ...answered, isWindingDown: true }, act: asking };
  const agents = state.agents.map((row) => (row.id === asking.agent ? { ...row, isStopping: true } : row));
  return { state: { ...answered, agents }, act: { ...asking, retry: isRetry } };
}

function show(state: LiveState, screen: LiveState['screen']): Pressed {
  return { state: { ...state, screen }, act: null };
}
