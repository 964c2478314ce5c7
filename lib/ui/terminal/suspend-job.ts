/** Long enough for the signal to have stopped us, in milliseconds. */
const stopMs = 80;

/**
 * Suspends the whole job as Ctrl-Z at a terminal does: git waits for us, and a job is suspended only with all its
 * processes. Calls `goOn` when it goes on, or soon where nothing can suspend it.
 */
export function suspendJob(goOn: () => void): void {
  process.kill(0, 'SIGTSTP');
  setTimeout(goOn, stopMs);
}
