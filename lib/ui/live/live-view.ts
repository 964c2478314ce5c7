import type { Io } from '../../domain/view-models/command.ts';
import type { RunEventBody } from '../../domain/view-models/run-event.ts';
import { throttle } from '../../util/pacing.ts';
import { suspendJob } from '../terminal/prompter.ts';
import type { Style } from '../text/style.ts';
import { addAgentLine, applyEventToLiveState } from './apply-live-event.ts';
import {
  applyHintTyping,
  applyLiveKey,
  type ConfirmedLiveAction,
  type LiveKeyAction,
  parseTerminalKeys,
} from './live-keys.ts';
import { emptyLiveState, type LiveSessionFacts, type LiveState } from './live-state.ts';
import { createLiveScreen, LiveTerminal } from './live-terminal.ts';
import { renderLive } from './render-live.ts';

interface LiveViewOptions {
  readonly style: Style;
  /** Reads the notes; called at most twice a second. */
  look(): Promise<LiveSessionFacts>;
  /** Performs what a person has confirmed. Resolves to a line for its agent's stream; null: none. Never rejects. */
  act(order: ConfirmedLiveAction): Promise<string | null>;
}

/** View of the running agents at the bottom of a terminal. */
export interface LiveView {
  take(event: RunEventBody): void;
  /** Writes something that scrolls above the view; kept back while the view is paused. */
  aside(write: () => void): void;
  /** Leaves the terminal to other output until the returned function is called. */
  pause(): () => void;
  /** Leaves the terminal for good, as it was; safe to call twice. */
  close(): void;
}

const redrawMs = 80;
const lookMs = 500;

/** The view on stderr, its keys from stdin. Loads what it draws with. */
export async function openLiveView(io: Io, { style, look, act }: LiveViewOptions): Promise<LiveView> {
  const { createLogUpdate } = await import('log-update');
  let state: LiveState = emptyLiveState;
  const hasKeys = io.stdin.isTTY === true;
  const stage = new LiveTerminal(io, {
    screen: createLiveScreen(io.stderr, createLogUpdate),
    render: (size) => renderLive(state, { ...size, now: Date.now(), style, hasKeys }),
    onText: (text) => type(text),
  });
  const redraw = throttle(() => stage.draw(), redrawMs);
  const update = (next: LiveState): void => {
    state = next;
    stage.turn(isRunning(state));
    redraw.soon();
  };
  const order = async (wanted: ConfirmedLiveAction): Promise<void> => {
    const said = await act(wanted);
    if (said !== null && wanted.kind !== 'wind-down') update(addAgentLine(state, wanted.agent, said, Date.now()));
  };
  const show = (pressed: ReturnType<typeof applyLiveKey>): void => {
    update(pressed.state);
    redraw.now();
    if (pressed.act !== null) perform(pressed.act, stage, order);
  };
  const type = (text: string): void => {
    const { prompt } = state;
    if (prompt?.kind === 'hint') show(applyHintTyping(state, prompt, text));
    else for (const key of parseTerminalKeys(text)) show(applyLiveKey(state, key));
  };
  const refresh = throttle(() => {
    // The run itself reports errors of the state.
    look().then(
      (facts) => update({ ...state, facts }),
      () => undefined,
    );
  }, lookMs);
  const onAbort = (): void => update({ ...state, isStopping: true });
  io.signal?.addEventListener('abort', onAbort, { once: true });
  return {
    aside: (write) => stage.aside(write),
    pause: () => stage.pause(),
    take: (event) => {
      update(applyEventToLiveState(state, event, Date.now()));
      if (isRunning(state) && event.event !== 'agent-activity') refresh.soon();
    },
    close: () => {
      stage.close();
      redraw.cancel();
      refresh.cancel();
      io.signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Between two waves, and while a person reviews, there is nothing to look at. */
function isRunning({ wave, agents }: LiveState): boolean {
  return agents.length > 0 || (wave !== null && wave !== 'plan' && wave !== 'review');
}

function perform(done: LiveKeyAction, stage: LiveTerminal, order: (order: ConfirmedLiveAction) => Promise<void>): void {
  switch (done.kind) {
    case 'stop':
    case 'hint':
    case 'wind-down':
      void order(done);
      return;
    case 'interrupt':
      // In raw mode Ctrl-C is a key like any other; git before us ends when we have.
      process.kill(process.pid, 'SIGINT');
      return;
    case 'suspend':
      stage.hide();
      suspendJob(() => stage.retake());
      return;
    case 'redraw':
      stage.retake();
  }
}
