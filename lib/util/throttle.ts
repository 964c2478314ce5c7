/** A call that is made at most once in some time. */
interface Throttled {
  /** Once, within that time from the first time it was asked for; keeps no process alive. */
  soon(): void;
  now(): void;
  cancel(): void;
}

export function throttle(call: () => void, ms: number): Throttled {
  let timer: NodeJS.Timeout | null = null;
  const cancel = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const now = (): void => {
    cancel();
    call();
  };
  return {
    soon: () => {
      timer ??= setTimeout(now, ms).unref();
    },
    now,
    cancel,
  };
}
