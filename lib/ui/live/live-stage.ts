import type { Io } from '../../domain/shown/command.ts';
import { isForeground } from './is-foreground.ts';
import { createKeyboard } from './live-keyboard.ts';
import type { LiveScreen } from './live-screen.ts';

interface StageOptions {
  readonly screen: LiveScreen;
  /** The lines to show. */
  render(size: { readonly width: number; readonly height: number }): readonly string[];
  onText(text: string): void;
}

const tickMs = 1_000;

/** The lower end of a terminal and its keys, shared with everybody else who writes or asks there. */
export class LiveStage {
  readonly #io: Io;
  readonly #options: StageOptions;
  readonly #keyboard: ReturnType<typeof createKeyboard>;
  readonly #stopWatching: () => void;
  #isOn = false;
  #isClosed = false;
  #pauses = 0;
  #keptBack: (() => void)[] = [];

  constructor(io: Io, options: StageOptions) {
    this.#io = io;
    this.#options = options;
    this.#keyboard = createKeyboard(io.stdin, options.onText);
    this.#stopWatching = watchTerminal(io, {
      retake: () => this.retake(),
      tick: () => this.draw(),
      resize: () => this.#resize(),
    });
  }

  /** Whether there is something to see. */
  turn(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (isOn) this.draw();
    else if (this.#pauses === 0) this.hide();
  }

  draw(): void {
    if (!this.#canShow()) return;
    this.#keyboard.listen();
    const { stderr } = this.#io;
    const width = Math.max(20, stderr.columns ?? 80) - 1;
    const height = Math.max(1, (stderr.rows ?? 24) - 2);
    this.#options.screen.draw(this.#options.render({ width, height }));
  }

  /** Takes over screen and keys again, after the program was suspended. */
  retake(): void {
    // The shell may have changed the terminal meanwhile, and only a change is passed on to it.
    this.#keyboard.release();
    this.draw();
  }

  /** Lets go of screen and keys. */
  hide(): void {
    this.#options.screen.clear();
    this.#keyboard.release();
  }

  /** Writes above the view; while a question is open, it is kept back until then. */
  aside(write: () => void): void {
    if (this.#pauses > 0 && !this.#isClosed) {
      this.#keptBack.push(write);
      return;
    }
    this.#options.screen.clear();
    write();
    this.draw();
  }

  /** Leaves the terminal to a question until the returned function is called. */
  pause(): () => void {
    if (this.#pauses === 0) this.hide();
    this.#pauses += 1;
    return () => {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#writeKept();
      this.draw();
    };
  }

  close(): void {
    if (this.#isClosed) return;
    this.hide();
    this.#isClosed = true;
    this.#writeKept();
    this.#stopWatching();
  }

  #canShow(): boolean {
    return this.#isOn && !this.#isClosed && this.#pauses === 0 && isForeground();
  }

  #resize(): void {
    if (this.#canShow()) this.#options.screen.clearResized();
    this.draw();
  }

  #writeKept(): void {
    for (const write of this.#keptBack) write();
    this.#keptBack = [];
  }
}

interface TerminalWatch {
  tick(): void;
  resize(): void;
  retake(): void;
}

/** Time that passes, a window of another size, and going on after a stop. Keeps no process alive. */
function watchTerminal({ stderr }: Io, { tick, resize, retake }: TerminalWatch): () => void {
  const ticking = setInterval(tick, tickMs).unref();
  stderr.on('resize', resize);
  process.on('SIGCONT', retake);
  return () => {
    clearInterval(ticking);
    stderr.off('resize', resize);
    process.off('SIGCONT', retake);
  };
}
