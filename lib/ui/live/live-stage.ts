import type { Io } from '../../domain/io.ts';
import { isForeground } from './is-foreground.ts';
import { createKeyboard } from './live-keyboard.ts';
import type { LiveScreen } from './live-screen.ts';

export interface StageOptions {
  readonly screen: LiveScreen;
  /** What is to be seen. */
  render(size: { readonly width: number; readonly height: number }): readonly string[];
  onText(text: string): void;
}

/** The lower end of a terminal and its keys, shared with everybody else who writes or asks there. */
export interface LiveStage {
  /** Whether there is something to see. */
  turn(isOn: boolean): void;
  draw(): void;
  /** Takes screen and keys anew, after the program was suspended. */
  retake(): void;
  /** Lets go of screen and keys. */
  hide(): void;
  aside(write: () => void): void;
  pause(): () => void;
  close(): void;
}

const tickMs = 1_000;

export function createLiveStage(io: Io, { screen, render, onText }: StageOptions): LiveStage {
  const keyboard = createKeyboard(io.stdin, onText);
  let [isOn, isClosed, pauses] = [false, false, 0];
  let keptBack: (() => void)[] = [];
  const canShow = (): boolean => isOn && !isClosed && pauses === 0 && isForeground();
  const draw = (): void => {
    if (!canShow()) return;
    keyboard.listen();
    const width = Math.max(20, io.stderr.columns ?? 80) - 1;
    screen.draw(render({ width, height: Math.max(1, (io.stderr.rows ?? 24) - 2) }));
  };
  const hide = (): void => {
    screen.clear();
    keyboard.release();
  };
  const writeKept = (): void => {
    for (const write of keptBack) write();
    keptBack = [];
  };
  const retake = (): void => {
    // The shell may have changed the terminal meanwhile, and only a change is passed on to it.
    keyboard.release();
    draw();
  };
  const stopWatching = watchTerminal(io, { retake, tick: draw, resize: () => resize() });
  const resize = (): void => {
    if (canShow()) screen.clearResized();
    draw();
  };
  return {
    draw,
    hide,
    retake,
    turn: (on) => {
      if (on === isOn) return;
      isOn = on;
      if (on) draw();
      else if (pauses === 0) hide();
    },
    aside: (write) => {
      if (pauses > 0 && !isClosed) {
        keptBack.push(write);
        return;
      }
      screen.clear();
      write();
      draw();
    },
    pause: () => {
      if (pauses === 0) hide();
      pauses += 1;
      return () => {
        pauses -= 1;
        if (pauses === 0) writeKept();
        draw();
      };
    },
    close: () => {
      if (isClosed) return;
      hide();
      isClosed = true;
      writeKept();
      stopWatching();
    },
  };
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
