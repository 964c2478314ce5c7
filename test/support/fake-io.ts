import { PassThrough } from 'node:stream';
import type { Io } from '../../lib/domain/view-models/command.ts';

export interface FakeIo {
  readonly io: Io;
  /** What was written so far. */
  stdout(): string;
  stderr(): string;
  /** What a person types. */
  type(text: string): void;
  /** Ctrl-D. */
  endInput(): void;
  /** Ctrl-C. */
  interrupt(reason: Error): void;
}

export interface FakeIoOptions {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Typed at once; more can follow. */
  readonly input?: string;
}

/** Streams in memory. A terminal that isn't one: readline runs without its line editing. */
export function makeFakeIo(options: FakeIoOptions = {}): FakeIo {
  const stopping = new AbortController();
  const stdin = makeStream(options, false);
  const stdout = makeStream(options, true);
  const stderr = makeStream(options, true);
  if (options.input !== undefined) stdin.stream.write(options.input);
  return {
    io: {
      cwd: options.cwd ?? '/',
      env: options.env ?? { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      stdin: stdin.stream,
      stdout: stdout.stream,
      stderr: stderr.stream,
      signal: stopping.signal,
    },
    stdout: stdout.text,
    stderr: stderr.text,
    type: (text) => void stdin.stream.write(text),
    endInput: () => void stdin.stream.end(),
    interrupt: (reason) => stopping.abort(reason),
  };
}

function makeStream(
  options: FakeIoOptions,
  isOutput: boolean,
): { stream: PassThrough & { isTTY?: boolean; columns?: number }; text: () => string } {
  const stream: PassThrough & { isTTY?: boolean; columns?: number } = new PassThrough();
  const chunks: string[] = [];
  if (isOutput) stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  if (options.isTTY === true) stream.isTTY = true;
  if (isOutput && options.columns !== undefined) stream.columns = options.columns;
  return { stream, text: () => chunks.join('') };
}
