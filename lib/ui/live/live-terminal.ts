import { readFileSync } from 'node:fs';
import type { InputStream, Io, OutputStream } from '../../domain/view-models/command.ts';

interface StageOptions {
  /** The lines to show: as many as the screen is high. */
  render(size: { readonly width: number; readonly height: number }): readonly string[];
  onText(text: string): void;
}

const tickMs = 1_000;
/** What is over sooner is not worth another screen. */
const patienceMs = 300;

/**
 * The screen and the keys of a terminal, shared with everybody else who writes or asks there:
 *
 *     off ── turn on, and a moment passes ──▶ shown ── turn off, suspended ──▶ off
 *     off, shown ── lend: a question, an editor, a pager ──▶ lent ── given back ──▶ off or shown
 *
 * The view has a screen of its own. What is written beside it is kept back while it is shown or lent, and written to
 * the person's screen as soon as that is there again: nothing is lost, and it can be scrolled back to.
 */
export class LiveTerminal {
  readonly #io: Io;
  readonly #options: StageOptions;
  readonly #keyboard: ReturnType<typeof createKeyboard>;
  readonly #screen: ReturnType<typeof createLiveScreen>;
  readonly #stopWatching: () => void;
  #isOn = false;
  #isShown = false;
  #isClosed = false;
  #loans = 0;
  #waiting: NodeJS.Timeout | null = null;
  #keptBack: (() => void)[] = [];

  constructor(io: Io, options: StageOptions) {
    this.#io = io;
    this.#options = options;
    this.#keyboard = createKeyboard(io.stdin, options.onText);
    this.#screen = createLiveScreen(io.stderr);
    this.#stopWatching = watchTerminal(io, {
      retake: () => this.retake(),
      tick: () => this.draw(),
      resize: () => this.#screen.forget(),
      leave: () => this.hide(),
    });
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  /** Whether there is something to see. */
  turn(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (isOn) this.#showSoon();
    else if (this.#loans === 0) this.hide();
  }

  draw(): void {
    if (!this.#isShown) return;
    const { stderr } = this.#io;
    const [width, height] = [Math.max(20, stderr.columns ?? 80), Math.max(1, stderr.rows ?? 24)];
    this.#screen.draw(this.#options.render({ width, height }), height);
  }

  /** Takes over screen and keys again, after the program was suspended. */
  retake(): void {
    // The shell may have changed the terminal meanwhile, and only a change is passed on to it.
    this.#keyboard.release();
    this.#screen.forget();
    if (this.#isShown) this.#keyboard.listen();
    this.#show();
    this.draw();
  }

  /** Lets go of screen and keys; what was kept back is written. */
  hide(): void {
    if (this.#waiting !== null) clearTimeout(this.#waiting);
    this.#waiting = null;
    if (this.#isShown) {
      this.#isShown = false;
      this.#keyboard.release();
      this.#screen.leave();
    }
    this.#writeKept();
  }

  /** Writes beside the view. */
  aside(write: () => void): void {
    if (this.#isShown || this.#loans > 0) this.#keptBack.push(write);
    else write();
  }

  /** Lends the terminal until the returned function is called. */
  lend(): () => void {
    if (this.#loans === 0) this.hide();
    this.#loans += 1;
    return () => {
      this.#loans -= 1;
      if (this.#loans > 0) return;
      this.#writeKept();
      if (this.#isOn) this.#showSoon();
    };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.hide();
    this.#stopWatching();
  }

  #showSoon(): void {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = null;
      this.#show();
    }, patienceMs).unref();
  }

  #show(): void {
    if (this.#isShown || !this.#isOn || this.#isClosed || this.#loans > 0 || !isForeground()) return;
    this.#isShown = true;
    this.#screen.enter();
    this.#keyboard.listen();
    this.draw();
  }

  #writeKept(): void {
    for (const write of this.#keptBack.splice(0)) write();
  }
}

interface TerminalWatch {
  tick(): void;
  resize(): void;
  retake(): void;
  /** Called where the process ends without having closed the view. */
  leave(): void;
}

/** Time that passes, a window of another size, and going on after a stop. Keeps no process alive. */
function watchTerminal({ stderr }: Io, { tick, resize, retake, leave }: TerminalWatch): () => void {
  const onResize = (): void => {
    resize();
    tick();
  };
  const ticking = setInterval(tick, tickMs).unref();
  stderr.on('resize', onResize);
  process.on('SIGCONT', retake);
  process.on('exit', leave);
  return () => {
    clearInterval(ticking);
    stderr.off('resize', onResize);
    process.off('SIGCONT', retake);
    process.off('exit', leave);
  };
}

/**
 * Whether the terminal is ours to change: a job in the background that tries is stopped by the system. True where
 * that can't be known.
 */
function isForeground(): boolean {
  try {
    // pid (name) state parent group session terminal foreground-group …; the name may hold anything.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const [, , group, , , foreground] = fields;
    return group === foreground || foreground === '-1';
  } catch {
    return true;
  }
}

/** The keys of a terminal, one by one; none where the input is no terminal. */
function createKeyboard(stdin: InputStream, onText: (text: string) => void) {
  let isListening = false;
  const onData = (chunk: Buffer | string): void => onText(chunk.toString());
  const setRaw = (isRaw: boolean): void => void stdin.setRawMode?.(isRaw);
  return {
    /** Takes the terminal's keys. */
    listen: (): void => {
      if (stdin.isTTY !== true || isListening) return;
      isListening = true;
      setRaw(true);
      stdin.on('data', onData);
      stdin.resume();
    },
    /** Gives the terminal back as it was. */
    release: (): void => {
      if (!isListening) return;
      isListening = false;
      stdin.off('data', onData);
      stdin.pause();
      setRaw(false);
    },
  };
}

const [enterScreen, leaveScreen] = ['\u001b[?1049h\u001b[H\u001b[2J', '\u001b[?1049l'];
// The terminal shows a frame as a whole, and breaks no line that it takes to be wider than we do.
const [beginFrame, endFrame] = ['\u001b[?2026h\u001b[?7l', '\u001b[?7h\u001b[?2026l'];

/** The cursor is never hidden: a killed program could not show it again. */
export function createLiveScreen(stream: Pick<OutputStream, 'write'>) {
  let drawn: readonly string[] | null = null;
  let isEntered = false;
  const isSame = (line: string, index: number): boolean => drawn !== null && drawn[index] === line;
  return {
    /** Turns to a screen of its own. */
    enter: (): void => {
      isEntered = true;
      drawn = null;
      stream.write(enterScreen);
    },
    /** Turns back to the person's screen, as it was; does nothing where that is shown. */
    leave: (): void => {
      if (isEntered) stream.write(leaveScreen);
      isEntered = false;
    },
    /** Draws what differs from the lines before; the cursor stands at the end of the last line. */
    draw: (lines: readonly string[], height: number): void => {
      const changed = lines.flatMap((line, index) =>
        isSame(line, index) ? [] : [`\u001b[${index + 1};1H\u001b[K${line}`],
      );
      if (changed.length === 0) return;
      const clear = drawn === null ? '\u001b[2J' : '';
      drawn = lines;
      const last = `\u001b[${height};1H${lines.at(-1) ?? ''}`;
      stream.write(`${beginFrame}${clear}${changed.join('')}${last}${endFrame}`);
    },
    /** What is on the screen isn't known any more. */
    forget: (): void => {
      drawn = null;
    },
  };
}
