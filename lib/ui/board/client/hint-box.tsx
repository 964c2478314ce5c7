import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { BoardHint } from '../../../domain/view-models/board-view.ts';
import { SendForm } from '../../page/client/send-form.tsx';
import { postJson } from '../../page/client/server-requests.ts';
import { boardState, hintedAgent, isFresh } from './received-board-state.ts';
import { ForeignText } from './text-components.tsx';

/** Where one agent is given a hint, and what became of those before. */
export function HintBox({ agent }: { readonly agent: string }) {
  const text = useSignal('');
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = hintedAgent.value === agent;
  const isRunning = boardState.value.agents.some(({ id }) => id === agent);
  const close = (): void => {
    hintedAgent.value = null;
    opener.current?.focus();
  };
  const send = async (): Promise<string> => {
    if (!isFresh.value) return 'git flame is not responding. You can send messages once it responds again.';
    const { problem } = await postJson('/api/hint', { agent, text: text.value });
    if (problem !== '') return problem;
    text.value = '';
    close();
    return '';
  };
  return (
    <section class="part tell">
      <div role="status">
        <ul class="hints" aria-label="Messages to this agent">
          {boardState.value.hints
            .filter((hint) => hint.agent === agent)
            .map((hint) => (
              <li class={`hint ${hint.state}`} key={hint.id}>
                <ForeignText class="hint-text">{hint.text}</ForeignText> <span class="quiet">{becameOf(hint)}</span>
              </li>
            ))}
        </ul>
      </div>
      <button
        type="button"
        class="tell-button"
        ref={opener}
        hidden={!isRunning}
        aria-expanded={isOpen}
        onClick={() => {
          if (isOpen) close();
          else hintedAgent.value = agent;
        }}
      >
        Message…
      </button>
      <SendForm
        label="Send message"
        look="good"
        // The form stays while it has text, so that a refusal is seen; an empty one is hidden.
        isHidden={!isOpen || (!isRunning && text.value === '')}
        send={send}
        cancel={close}
      >
        <div class="answer-field">
          <label for={`tell-${agent}`}>Message, sent with its next request to the model</label>
          <textarea
            id={`tell-${agent}`}
            rows={3}
            dir="auto"
            required
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
            }}
          />
        </div>
      </SendForm>
    </section>
  );
}

function becameOf({ state: stands, next }: BoardHint): string {
  switch (stands) {
    case 'left':
      return 'waits for its next request to the model';
    case 'seen':
      return 'received';
    case 'followed':
      return next === '' ? 'received; it continues' : `received; it continues with ${next}`;
    case 'missed':
      return 'not received: it ended first';
  }
}
