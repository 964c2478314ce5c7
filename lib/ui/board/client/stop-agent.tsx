import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { BoardAgent } from '../../../domain/view-models/board-view.ts';
import { Button } from '../../page/client/send-form.tsx';
import { postJson } from '../../page/client/server-requests.ts';
import { isFresh } from './received-board-state.ts';

/** Stops an agent, once it was asked how. */
export function StopAgent({ id, role, task }: Pick<BoardAgent, 'id' | 'role' | 'task'>) {
  const state = useSignal<'idle' | 'asked' | 'sent'>('idle');
  const problem = useSignal('');
  const opener = useRef<HTMLButtonElement>(null);
  const first = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (state.value === 'asked') first.current?.querySelector('button')?.focus();
  }, [state.value]);
  const close = (): void => {
    state.value = 'idle';
    opener.current?.focus();
  };
  const stop = async (retry: boolean): Promise<void> => {
    if (!isFresh.value) {
      problem.value = 'git flame is not responding.';
      return;
    }
    state.value = 'sent';
    ({ problem: problem.value } = await postJson('/api/stop', { agent: id, retry }));
    if (problem.value !== '') close();
  };
  const hasTask = role === 'worker' && task !== null;
  return (
    <>
      <button
        type="button"
        aria-label={`Stop… (${task ?? id})`}
        aria-expanded={state.value === 'asked'}
        disabled={state.value === 'sent'}
        ref={opener}
        onClick={() => {
          if (state.value === 'asked') close();
          else state.value = 'asked';
        }}
      >
        {state.value === 'sent' ? 'Stopping …' : 'Stop…'}
      </button>
      {state.value === 'asked' && (
        <span
          class="stop-how"
          role="group"
          aria-label={`How to stop ${task ?? id}`}
          ref={first}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            close();
          }}
        >
          <Button label={hasTask ? 'Stop, and try again' : 'Stop it'} onClick={() => void stop(true)} />
          {hasTask && <Button class="bad" label="Stop, the task fails" onClick={() => void stop(false)} />}
          <Button label="Let it work" onClick={close} />
        </span>
      )}
      {problem.value !== '' && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
