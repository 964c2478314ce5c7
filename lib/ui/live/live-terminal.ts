import { readFileSync } from 'node:fs';
import type { createLogUpdate } from 'log-update';
import type { InputStream, Io, OutputStream } from '../../domain/view-models/command.ts';
import { textWidth } from '../../util/format-width.ts';

interface StageOptions {
  readonly screen: LiveScreen;
  /** The lines to show. */
  render(size: { readonly width: number; readonly height: number }): readonly string[];
  onText(text: string): void;
}

const tickMs = 1_000;

/** The lower end of a terminal and its keys, shared with everybody else who writes or asks there. */
export class LiveTerminal {
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

/** The keys of a terminal, one by one. */
interface LiveKeyboard {
  /** Takes the terminal's keys. */
  listen(): void;
  /** Gives the terminal back as it was. */
  release(): void;
}

/** Does nothing where the input is no terminal. */
function createKeyboard(stdin: InputStream, onText: (text: string) => void): LiveKeyboard {
  let isListening = false;
  const onData = (chunk: Buffer | string): void => onText(chunk.toString());
  const setRaw = (isRaw: boolean): void => void stdin.setRawMode?.(isRaw);
  return {
    listen: () => {
      if (stdin.isTTY !== true || isListening) return;
      isListening = true;
      setRaw(true);
      stdin.on('data', onData);
      stdin.resume();
    },
    release: () => {
      if (!isListening) return;
      isListening = false;
      stdin.off('data', onData);
      stdin.pause();
      setRaw(false);
    },
  };
}

interface LiveScreen {
  /** Draws the lines in place of those before. */
  draw(lines: readonly string[]): void;
  /** Takes the lines away, so that something can be written where they were. */
  clear(): void;
  /** Removes what is left of lines the terminal re-wrapped after a resize. */
  clearResized(): void;
}

type CreateLogUpdate = typeof createLogUpdate;

/**
 * Lines at the bottom of a terminal that are drawn again and again. The cursor is never hidden: a killed
 * program could not show it again.
 */
export function createLiveScreen(stream: OutputStream, createLog: CreateLogUpdate): LiveScreen {
  const log = createLog(stream, { showCursor: true });
  let drawn: readonly string[] = [];
  return {
    draw: (lines) => {
      // log-update 7.2 loses the last lines where one is added or removed above them.
      if (lines.length !== drawn.length) log.clear();
      drawn = lines;
      log(lines.join('\n'));
    },
    clear: () => {
      if (drawn.length > 0) log.clear();
      drawn = [];
    },
    clearResized: () => {
      const columns = stream.columns ?? 80;
      const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
      // Up to where the first line begins now, and everything below it away.
      if (rows > 0) stream.write(`\r\u001b[${rows}A\u001b[J`);
      log.done();
      drawn = [];
    },
  };
}
