import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createStreamViewer } from '../../agents/get-adapter.ts';
import type { BoardStreamLine } from '../../domain/view-models/board-view.ts';
import { toBoardStreamLine } from '../context/agent-stream.ts';

/** Read from the end of an output that grew, however much it grew. */
const tailBytes = 64 * 1024;
const mostLines = 3;
const longestLine = 200;

/** The last lines of a running agent's output, read again only where it grew. */
export class RecentOutput {
  readonly #file: string;
  readonly #worktree: string;
  #size = 0;
  #lines: readonly BoardStreamLine[] = [];

  /** `worktree`: paths in it are shown relative to it. */
  constructor(file: string, worktree: string) {
    this.#file = file;
    this.#worktree = worktree;
  }

  /** The latest lines, the oldest first; none where there is no output, or it can't be read. */
  read(): readonly BoardStreamLine[] {
    let descriptor: number;
    try {
      descriptor = openSync(this.#file, 'r');
    } catch {
      return this.#lines;
    }
    try {
      const { size } = fstatSync(descriptor);
      if (size !== this.#size) this.#take(readTail(descriptor, size), size > tailBytes);
      this.#size = size;
    } finally {
      closeSync(descriptor);
    }
    return this.#lines;
  }

  #take(text: string, isCut: boolean): void {
    const view = createStreamViewer(this.#worktree);
    // A line that began before what was read is no whole event.
    const whole = isCut ? text.slice(text.indexOf('\n') + 1) : text;
    const shown = [...view.push(whole), ...view.rest()].flatMap((line) => line.shown.flatMap((one) => one.split('\n')));
    const found = shown.filter((line) => line.trim() !== '').slice(-mostLines);
    // One event may be longer than all that was read: what was there before it still counts.
    if (found.length > 0)
      this.#lines = found.map((line) =>
        toBoardStreamLine([...line.slice(0, 2 * longestLine)].slice(0, longestLine).join('')),
      );
  }
}

function readTail(descriptor: number, size: number): string {
  const length = Math.min(size, tailBytes);
  const buffer = Buffer.alloc(length);
  const read = readSync(descriptor, buffer, 0, length, size - length);
  return buffer.toString('utf8', 0, read);
}
