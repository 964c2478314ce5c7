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
