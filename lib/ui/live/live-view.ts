import type { BoardState } from '../../domain/view-models/board-view.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { RunEventBody } from '../../domain/view-models/run-event.ts';
import { errorMessage } from '../../util/error-text.ts';
import { throttle } from '../../util/pacing.ts';
import { suspendJob } from '../terminal/prompter.ts';
import { createStyle, type Style } from '../text/style.ts';
import { addLogLines, applyEventToLiveState, takeSessionView, takeStream } from './apply-live-event.ts';
import {
  applyLiveKey,
  applyTyping,
  type ConfirmedLiveAction,
  type LiveKeyAction,
  parseTerminalKeys,
} from './live-keys.ts';
import { findChosenRow, findStreamAgent, listAgentsAtWork } from './live-rows.ts';
import { emptyLiveState, isEngaged, type LiveState } from './live-state.ts';
import { LiveTerminal } from './live-terminal.ts';
import { renderLive } from './render-live.ts';
import { type FollowStream, StreamFollower } from './stream-follower.ts';

interface LiveViewOptions {
  readonly style: Style;
  /** Reads the session, as the board does; called a few times a second at most. */
  look(): Promise<BoardState>;
  readonly follow: FollowStream;
  /** What a task has changed, as a unified diff; a sentence where that is not known. */
  readDiff(task: string): Promise<string>;
  /** Performs what a person has confirmed. Resolves to what became of it, null: nothing to say. Never rejects. */
  act(order: ConfirmedLiveAction): Promise<string | null>;
}

const redrawMs = 100;
const lookMs = 300;
/** Between two looks at commands that run, whose output has no event, and at a wave, whose commands start without one. */
const [commandMs, agentMs] = [1_000, 5_000];

/** View of the session on a terminal: on stderr, its keys from stdin. */
export class LiveView {
  /** How text in its log looks. */
  readonly style: Style;
  readonly #io: Io;
  readonly #options: LiveViewOptions;
  readonly #stage: LiveTerminal;
  readonly #follower: StreamFollower;
  readonly #redraw = throttle(() => this.#stage.draw(), redrawMs);
  readonly #refresh = throttle(() => this.#look(), lookMs);
  readonly #again = throttle(() => this.#look(), commandMs);
  readonly #seldom = throttle(() => this.#look(), agentMs);
  #state: LiveState = emptyLiveState;
  /** Whether the session has something to see. */
  #isGoing = false;
  #isClosed = false;
  #isLooking = false;
  #hasToLookAgain = false;
  /** Lets what waits for the person be done; null: nothing waits. */
  #goOn: (() => void) | null = null;

  constructor(io: Io, options: LiveViewOptions) {
    const { style, follow } = options;
    this.#io = io;
    this.#options = options;
    // Lines of its log are broken where they are shown, and painted there.
    this.style = createStyle(io.stderr, io.env, { color: false, plain: true });
    this.#stage = new LiveTerminal(io, {
      render: (size) => renderLive(this.#state, { ...size, now: Date.now(), style, hasKeys: io.stdin.isTTY === true }),
      onText: (text) => this.#type(text),
    });
    this.#follower = new StreamFollower({
      follow,
      onLines: (stream, added) => this.#update(takeStream(this.#state, stream, added)),
    });
    io.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  take(event: RunEventBody): void {
    this.#update(applyEventToLiveState(this.#state, event, Date.now()));
    const isAction = event.event === 'agent-activity' || event.event === 'queen-call';
    // What an agent does is in the event itself.
    if (!isAction || !this.#state.view.agents.some(({ id }) => id === event.agent)) this.#refresh.soon();
  }

  /** Adds text, which is printable, to the log of the session; with the title of the task it is about. */
  log(text: string, task: string | null): void {
    this.#update(addLogLines(this.#state, { text, task, at: Date.now() }));
  }

  /** Writes beside the view; kept back while that is shown, or the terminal is lent. */
  aside(write: () => void): void {
    this.#stage.aside(write);
  }

  /** Leaves the terminal to other output until the returned function is called. */
  lend(): () => void {
    return this.#stage.lend();
  }

  /**
   * Leaves it to a question: where the person looks into something, once they are done with that. Rejects with the
   * reason of `withdrawn`.
   */
  async lendToQuestion(withdrawn: AbortSignal | undefined): Promise<() => void> {
    await this.#untilReady('question', withdrawn);
    withdrawn?.throwIfAborted();
    return this.#stage.lend();
  }

  /** Leaves the terminal for good, as it was: where the person looks into something, once they are done with that. */
  async close(): Promise<void> {
    await this.#untilReady('end');
    this.#isClosed = true;
    this.#stage.close();
    this.#follower.close();
    this.#redraw.cancel();
    this.#refresh.cancel();
    this.#again.cancel();
    this.#seldom.cancel();
    this.#io.signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => {
    this.#update({ ...this.#state, isStopping: true });
    this.#goOn?.();
  };

  #update(next: LiveState): void {
    const before = this.#state;
    this.#state = next;
    const isOtherView = next.view !== before.view || next.news !== before.news;
    const hasOtherAgents = isOtherView && listAgentsAtWork(next).length !== listAgentsAtWork(before).length;
    if (hasOtherAgents || next.wave !== before.wave) this.#isGoing = isGoing(next, before);
    // What a person reads does not vanish before their eyes.
    const isLookedAt = this.#stage.isShown && isEngaged(next);
    this.#stage.turn(this.#isGoing || isLookedAt);
    this.#follower.turnTo(findStreamAgent(next));
    if (!isEngaged(next)) this.#goOn?.();
    this.#redraw.soon();
  }

  /** Resolves once the person looks into nothing, or is asked for what waits; at a stop, and when it is withdrawn. */
  async #untilReady(waiting: NonNullable<LiveState['waiting']>, withdrawn?: AbortSignal): Promise<void> {
    if (!this.#stage.isShown || !isEngaged(this.#state) || this.#state.isStopping) return;
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
      withdrawn?.addEventListener('abort', () => resolve(), { once: true });
      this.#update({ ...this.#state, waiting });
    });
    this.#goOn = null;
    this.#update({ ...this.#state, waiting: null });
  }

  /** One at a time: an older view never comes after a newer one. */
  #look(): void {
    if (this.#isLooking) {
      this.#hasToLookAgain = true;
      return;
    }
    this.#isLooking = true;
    // The run itself reports errors of the state.
    void this.#options.look().then(
      (view) => this.#takeView(view),
      () => this.#takeView(null),
    );
  }

  #takeView(view: BoardState | null): void {
    this.#isLooking = false;
    if (this.#isClosed) return;
    if (view !== null) this.#update(takeSessionView(this.#state, view));
    if (view !== null && view.checks.length > 0) this.#again.soon();
    if (view !== null && (view.agents.length > 0 || this.#isGoing)) this.#seldom.soon();
    if (this.#hasToLookAgain) this.#refresh.soon();
    this.#hasToLookAgain = false;
  }

  #type(text: string): void {
    const { prompt } = this.#state;
    if (prompt !== null && 'text' in prompt) this.#press(applyTyping(this.#state, prompt, text));
    else for (const key of parseTerminalKeys(text)) this.#press(applyLiveKey(this.#state, key));
  }

  #press({ state, act }: ReturnType<typeof applyLiveKey>): void {
    this.#update(state);
    this.#redraw.now();
    if (act !== null) this.#perform(act);
  }

  #perform(done: LiveKeyAction): void {
    switch (done.kind) {
      case 'stop':
      case 'hint':
      case 'wind-down':
        void this.#order(done);
        return;
      case 'diff':
        void this.#showDiff(done.task);
        return;
      case 'go-on':
        this.#goOn?.();
        return;
      case 'interrupt':
        // In raw mode Ctrl-C is a key like any other; git before us ends when we have.
        process.kill(process.pid, 'SIGINT');
        return;
      case 'suspend':
        this.#stage.hide();
        suspendJob(() => this.#stage.retake());
        return;
      case 'redraw':
        this.#stage.retake();
    }
  }

  async #order(wanted: ConfirmedLiveAction): Promise<void> {
    const note = await this.#options.act(wanted);
    if (note !== null) this.#update({ ...this.#state, note });
  }

  async #showDiff(task: string): Promise<void> {
    const text = await this.#options.readDiff(task).catch(errorMessage);
    const diff = { task, lines: text.replace(/\n$/, '').split('\n') };
    const { screen } = this.#state;
    // The person has turned to another task, or to the keys.
    if (screen.isHelp || findChosenRow(this.#state)?.task?.id !== task) return;
    this.#update({ ...this.#state, screen: { ...screen, diff, scroll: 0, focus: 'stream', isLarge: true } });
  }
}

/** Between two waves it stays as it was; while a person reviews or plans there is nothing to look at. */
function isGoing(now: LiveState, before: LiveState): boolean {
  const { wave } = now;
  if (listAgentsAtWork(now).length > 0) return true;
  if (wave === null) return before.wave !== null && before.wave !== 'plan' && before.wave !== 'review';
  return wave !== 'plan' && wave !== 'review';
}
