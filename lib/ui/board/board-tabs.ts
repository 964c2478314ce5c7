import { FlameError } from '../../domain/flame-error.ts';
import type { QuestionTextKind } from '../../domain/questions/question-data.ts';
import type { BoardState, BoardStreamLine, BoardTaskDetails } from '../../domain/view-models/board-view.ts';
import { throttle } from '../../util/pacing.ts';
import { makePrintable } from '../page/escape-html.ts';
import type { EventStream } from '../page/page-server.ts';
import {
  type BoardEndMessage,
  type BoardMessage,
  emptySentBoardState,
  findUnsentBoardChange,
  type SentBoardState,
} from './board-changes.ts';

const pauseMs = 300;

/** The open tabs of one session: each hears all of it at first, then what changes, as long as any is open. */
export class BoardTabs {
  readonly #source: BoardSource;
  readonly #session: string | null;
  readonly #onEmpty: () => void;
  readonly #tabs = new Map<EventStream, SentBoardState>();
  readonly #soon = throttle(() => this.#tellInTurn(), pauseMs);
  #unwatch: (() => void) | null = null;
  #telling: Promise<void> = Promise.resolve();
  #isAsked = false;

  /** `onEmpty` hears when the last of them was closed. */
  constructor(
    source: BoardSource,
    { session, onEmpty }: { readonly session: string | null; readonly onEmpty: () => void },
  ) {
    this.#source = source;
    this.#session = session;
    this.#onEmpty = onEmpty;
  }

  add(tab: EventStream): void {
    this.#tabs.set(tab, emptySentBoardState);
    this.#unwatch ??= this.#source.watch(() => this.#soon.soon());
    tab.onClose(() => this.#remove(tab));
    this.#tellInTurn();
  }

  /** Shows every tab how things stand at last, and says the last word. */
  async end(last: BoardEndMessage): Promise<void> {
    this.#soon.cancel();
    this.#unwatch?.();
    this.#tellInTurn();
    await this.#telling;
    for (const tab of this.#tabs.keys()) {
      tab.send(last);
      tab.end();
    }
  }

  #remove(tab: EventStream): void {
    this.#tabs.delete(tab);
    if (this.#tabs.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = null;
    this.#soon.cancel();
    this.#onEmpty();
  }

  /** Sends one update after the other; requests during a read are merged into the next one. */
  #tellInTurn(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#telling = this.#telling.then(() => {
      this.#isAsked = false;
      return this.#tell();
    });
  }

  async #tell(): Promise<void> {
    if (this.#tabs.size === 0) return;
    try {
      const state = makePrintable(await this.#source.read(this.#session));
      for (const [tab, before] of this.#tabs) {
        const { change, sent } = findUnsentBoardChange(before, state, Date.now());
        this.#tabs.set(tab, sent);
        if (change !== null) tab.send(change);
      }
    } catch (error) {
      const why = error instanceof FlameError ? error.message : `Internal error: ${String(error)}`;
      const word: BoardMessage = { trouble: makePrintable(why) };
      for (const tab of this.#tabs.keys()) tab.send(word);
    }
  }
}

/** Where the board gets what it shows. Sessions by their id; null: the one that is current. */
export interface BoardSource {
  /** As it is now. Throws FlameErrors, such as `no-session`. */
  read(session: string | null): Promise<BoardState>;
  /** null: there is no such task. */
  task(session: string | null, id: string): Promise<BoardTaskDetails | null>;
  /** Reports an agent's stream, its latest part first, until its end or an abort of `signal`; false: there is none. */
  follow(agent: string, hear: (lines: readonly BoardStreamLine[]) => void, signal: AbortSignal): Promise<boolean>;
  /** Sends a hint to a running agent. Throws FlameErrors: it is not there, or takes no hint. */
  sendHint(agent: string, text: string): Promise<void>;
  /** Ends a running agent; `retry`: its task gets another attempt. Throws FlameErrors: it does not run. */
  stopAgent(agent: string, retry: boolean): Promise<void>;
  /** Answers an open question. Throws FlameErrors: the answer is not valid for it, or no run asks it. */
  answer(session: string | null, given: { readonly gate: string; readonly answer: unknown }): Promise<void>;
  /** A text of an open question; null: there is none. */
  gateText(session: string | null, gate: string, what: QuestionTextKind): Promise<string | null>;
  /** Calls back whenever something may have changed, until the returned function is called. */
  watch(onChange: () => void): () => void;
}
