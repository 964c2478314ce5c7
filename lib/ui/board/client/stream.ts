import type { BoardStreamLine } from '../../../domain/shown/board.ts';
import { make } from '../../page/client/dom.ts';
import { followEvents } from '../../page/client/transport.ts';

/** Lines of a stream that stay on the page. */
const mostLines = 1_500;

interface Heard {
  readonly lines?: readonly BoardStreamLine[];
  /** Whether there was a stream at all; at its end. */
  readonly ended?: boolean;
}

/** What an agent says, as it says it, until it is closed. */
export interface ShownStream {
  readonly element: HTMLElement;
  close(): void;
}

export function showStream(agent: string): ShownStream {
  const lines = make('ol', 'stream');
  lines.tabIndex = 0;
  lines.setAttribute('aria-label', `What ${agent} says`);
  const state = make('p', 'quiet', 'Loading …');
  const leaving = new AbortController();
  const hear = ({ lines: heard = [], ended }: Heard): void => {
    // Who has scrolled up reads there.
    const isAtEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 40;
    lines.append(...heard.map(makeLine));
    while (lines.childElementCount > mostLines) lines.firstElementChild?.remove();
    if (isAtEnd) lines.scrollTop = lines.scrollHeight;
    if (ended === undefined)
      state.textContent = lines.childElementCount === 0 ? 'It has said nothing yet.' : '';
    else state.textContent = ended ? 'It has ended.' : 'Nothing is kept of what it said on this machine.';
    state.hidden = state.textContent === '';
  };
  followEvents<Heard>(`/api/stream/${encodeURIComponent(agent)}`, hear, { signal: leaving.signal }).catch(
    () => {
      if (leaving.signal.aborted) return;
      state.textContent = 'git flame does not answer any more: what is here is as old as that.';
      state.hidden = false;
    },
  );
  return {
    element: make('div', 'stream-box', lines, state),
    close: () => leaving.abort(),
  };
}

function makeLine({ kind, text }: BoardStreamLine): HTMLElement {
  const words = make('span', 'stream-text', text);
  words.dir = 'auto';
  const sign = { said: '', call: '›', blocked: 'blocked', gap: '…' }[kind];
  return make('li', kind, ...(sign === '' ? [] : [make('span', 'stream-sign', sign)]), words);
}
