/**
 * Aborts `ms` milliseconds after `signal` did, at once with `hurry`: what is almost done when a person stops the program
 * comes to its end. Its timer keeps no process running.
 */
export function lateSignal(
  { signal, hurry }: { readonly signal?: AbortSignal | undefined; readonly hurry?: AbortSignal | undefined },
  ms: number,
): AbortSignal {
  const late = new AbortController();
  const abort = (): void => late.abort();
  const onStop = (): void => void setTimeout(abort, ms).unref();
  if (signal?.aborted) onStop();
  else signal?.addEventListener('abort', onStop, { once: true });
  if (hurry?.aborted) abort();
  else hurry?.addEventListener('abort', abort, { once: true });
  return late.signal;
}
