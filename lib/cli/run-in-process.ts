import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { commandStoppedError, exitCodes, FlameError } from '../domain/flame-error.ts';
import type { Io } from '../domain/view-models/command.ts';
import { pipeClosedExitCode } from './report-error.ts';

/** How long a second Ctrl-C leaves for ending agents before the process goes at once, in milliseconds. */
const hurryMs = 3_000;

/**
 * Gives `main` this process: its streams, signals and exit code. stdout is always drained; a closed pipe
 * ends the command quietly; a promise that never settles ends with 1 and a message, never with node's 13.
 */
export async function runInProcess(main: (argv: readonly string[], io: Io) => Promise<number>): Promise<void> {
  const interruption = listenForSignals();
  let isPipeClosed = false;
  watchPipes(() => {
    isPipeClosed = true;
    interruption.stop(pipeClosed());
  });
  let isSettled = false;
  process.on('exit', (code) => {
    if (isSettled) return;
    process.exitCode = exitCodes.internal;
    if (code !== exitCodes.interrupted) process.stderr.write('git flame stopped before it was done.\n');
    else process.exitCode = code;
  });
  const exitCode = await main(process.argv.slice(2), {
    cwd: userFolder(currentFolder(), process.env.GIT_PREFIX),
    // A copy: node asks the system at each access to the original.
    env: { ...process.env },
    // To open it takes time, and most commands read nothing.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    get signal() {
      return interruption.signal;
    },
    get hurry() {
      return interruption.hurry;
    },
  });
  isSettled = true;
  process.exitCode = exitCode;
  // Output may still be on its way: the end of the pipe is only reported then.
  process.on('exit', () => {
    if (isPipeClosed) process.exitCode = pipeClosedExitCode;
  });
  interruption.close();
}

/** Of a folder that is gone the shell's name for it, which the command then says is not there. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? '/';
  }
}

/** git runs a shell alias at the top of the work tree and says in GIT_PREFIX where the person stands. */
function userFolder(cwd: string, prefix: string | undefined): string {
  if (prefix === undefined || prefix === '') return cwd;
  const folder = resolve(cwd, prefix);
  return existsSync(folder) ? folder : cwd;
}

interface Interruption {
  readonly signal: AbortSignal;
  readonly hurry: AbortSignal;
  stop(reason: FlameError): void;
  close(): void;
}

function listenForSignals(): Interruption {
  const [stopping, hurrying] = [new Stop(), new Stop()];
  const stop = (reason: FlameError): void => stopping.abort(reason);
  const onSignal = (): void => {
    if (!stopping.isAborted) {
      stop(commandStoppedError());
      return;
    }
    if (hurrying.isAborted) process.exit(exitCodes.interrupted);
    hurrying.abort(commandStoppedError());
    setTimeout(() => process.exit(exitCodes.interrupted), hurryMs).unref();
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    get signal() {
      return stopping.signal;
    },
    get hurry() {
      return hurrying.signal;
    },
    stop,
    close: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

/** An AbortController that is made when it is first asked for: most short commands never ask. */
class Stop {
  #controller: AbortController | null = null;
  #reason: FlameError | null = null;

  get isAborted(): boolean {
    return this.#reason !== null;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      // Each agent listens; node would print a warning into the terminal.
      setMaxListeners(0, this.#controller.signal);
      if (this.#reason !== null) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: FlameError): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}

/** `git flame log | head` closes the pipe: nothing more can be said, and a long command has to stop. */
function watchPipes(stop: () => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    stop();
  });
  process.stderr.on('error', () => undefined);
}

function pipeClosed(): FlameError {
  return new FlameError({
    kind: 'interrupted',
    code: 'pipe-closed',
    message: 'The output is no longer read.',
  });
}
