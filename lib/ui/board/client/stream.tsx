import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { BoardStreamLine } from '../../../domain/shown/board.ts';
import { followEvents } from '../../page/client/transport.ts';
import { Text } from './texts.tsx';

/** Lines of a stream that stay on the page. */
const mostLines = 1_500;
const signs = { said: '', call: '›', blocked: 'blocked', gap: '…' } as const;

interface Heard {
  readonly lines?: readonly BoardStreamLine[];
  /** Whether there was a stream at all; at its end. */
  readonly ended?: boolean;
}

/** An agent's stream, live. */
export function Stream({ agent }: { readonly agent: string }) {
  const heard = useSignal<readonly BoardStreamLine[]>([]);
  const state = useSignal('Loading …');
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const leaving = new AbortController();
    const hear = ({ lines = [], ended }: Heard): void => {
      heard.value = [...heard.value, ...lines];
      if (ended === undefined) state.value = heard.value.length === 0 ? 'It has said nothing yet.' : '';
      else state.value = ended ? 'It has ended.' : 'Nothing is kept of what it said on this machine.';
    };
    const { signal } = leaving;
    followEvents<Heard>(`/api/stream/${encodeURIComponent(agent)}`, hear, { signal }).catch(() => {
      if (!signal.aborted)
        state.value = 'git flame does not answer any more: what is here is as old as that.';
    });
    return () => leaving.abort();
  }, []);
  useLayoutEffect(() => {
    // A person who has scrolled up is reading there.
    if (isAtEnd.current) list.current?.scrollTo(0, list.current.scrollHeight);
  }, [heard.value]);
  const first = Math.max(0, heard.value.length - mostLines);
  return (
    <div class="stream-box">
      <ol
        class="stream"
        tabIndex={0}
        aria-label={`What ${agent} says`}
        ref={list}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
        }}
      >
        {heard.value.slice(first).map(({ kind, text }, at) => (
          <li class={kind} key={first + at}>
            {signs[kind] !== '' && <span class="stream-sign">{signs[kind]}</span>}
            <Text class="stream-text">{text}</Text>
          </li>
        ))}
      </ol>
      {state.value !== '' && <p class="quiet">{state}</p>}
    </div>
  );
}
