import { createInterface, type Interface } from 'node:readline';
import { commandStoppedError, type FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { textWidth, wrapText } from '../../util/format-width.ts';

/** Asks one line at a time. */
export interface Prompter {
  /**
   * The answer without its line break. Throws `onEnd()` where the input has ended, FlameError `interrupted` at Ctrl-C.
   * A question that is withdrawn, since it was answered elsewhere, rejects with the reason of its signal.
   */
  ask(question: string, onEnd: () => FlameError, withdrawn?: AbortSignal): Promise<string>;
}

// By stdin, not by prompter: gates, pages and commands each make one over the same input.
const typedAheadOf = new WeakMap<Io['stdin'], string[]>();

/**
 * Asks questions on stderr and reads answers from stdin. Between two questions stdin is left alone, so that a pager or
 * an editor can have it; lines typed ahead are kept for the next question of any prompter. Questions wrap at `width`
 * columns.
 */
export function createPrompter(io: Io, width = Number.POSITIVE_INFINITY): Prompter {
  const typedAhead = typedAheadOf.get(io.stdin) ?? [];
  typedAheadOf.set(io.stdin, typedAhead);
  let hasEnded = false;
  const ask: Prompter['ask'] = async (whole, onEnd, withdrawn) => {
    const question = wrapQuestion(whole, width);
    io.signal?.throwIfAborted();
    withdrawn?.throwIfAborted();
    const ready = typedAhead.shift();
    if (ready !== undefined) {
      io.stderr.write(`${question}${ready}\n`);
      return ready;
    }
    if (hasEnded || isOver(io)) throw onEnd();
    const lines = await readLines(io, question, withdrawn);
    const [answer, ...rest] = lines;
    typedAhead.push(...rest);
    if (answer !== undefined) return answer;
    hasEnded = true;
    io.stderr.write('\n');
    throw onEnd();
  };
  return { ask };
}

/** Resolves to the first line and those that came with it; to none at the end of the input. */
function readLines(io: Io, question: string, withdrawn?: AbortSignal): Promise<readonly string[]> {
  const lines: string[] = [];
  const reader: Interface = createInterface({
    input: io.stdin,
    output: io.stderr,
    terminal: io.stdin.isTTY === true,
    historySize: 0,
  });
  return new Promise<readonly string[]>((resolve, reject) => {
    // What follows begins on a line of its own, not behind the question.
    const leave = (reason: unknown): void => {
      io.stderr.write('\n');
      finish(() => reject(reason));
    };
    const onAbort = (): void => leave(io.signal?.reason ?? commandStoppedError());
    const onWithdrawn = (): void => leave(withdrawn?.reason);
    let isDone = false;
    const finish = (settle: () => void): void => {
      isDone = true;
      io.signal?.removeEventListener('abort', onAbort);
      withdrawn?.removeEventListener('abort', onWithdrawn);
      // Only ours: readline's own listener is what takes its hands off stdin.
      reader.off('close', onClose);
      reader.close();
      settle();
    };
    const onClose = (): void => finish(() => resolve(lines));
    io.signal?.addEventListener('abort', onAbort, { once: true });
    withdrawn?.addEventListener('abort', onWithdrawn, { once: true });
    reader.on('line', (line) => {
      lines.push(line);
      // Lines of the same chunk follow at once: they are collected before the reader lets go of stdin.
      if (lines.length === 1) setImmediate(() => finish(() => resolve(lines)));
    });
    reader.on('SIGINT', () => leave(commandStoppedError()));
    // Left to itself readline would suspend us alone, and git, which waits for us, would have the terminal for ever.
    reader.on('SIGTSTP', () => {
      io.stdin.setRawMode?.(false);
      suspendJob(() => {
        if (isDone) return;
        io.stdin.setRawMode?.(true);
        reader.prompt(true);
      });
    });
    reader.on('close', onClose);
    reader.setPrompt(question);
    reader.prompt();
  });
}

/** Its last blank stays, and there is room for a letter behind it. */
function wrapQuestion(question: string, width: number): string {
  if (textWidth(question) < width) return question;
  const words = question.trimEnd();
  const end = question.slice(words.length);
  return wrapText(words, width - end.length - 1).join('\n') + end;
}

function isOver(io: Io): boolean {
  return 'readableEnded' in io.stdin && io.stdin.readableEnded === true;
}

/** Long enough for the signal to have stopped us, in milliseconds. */
const stopMs = 80;

/**
 * Suspends the whole job as Ctrl-Z at a terminal does: git waits for us, and a job is suspended only with all
 * its processes. Calls `goOn` when it continues, or soon where it can't be suspended.
 */
export function suspendJob(goOn: () => void): void {
  process.kill(0, 'SIGTSTP');
  setTimeout(goOn, stopMs);
}
