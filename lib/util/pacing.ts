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

/**
 * Works through items, at most `width` at once, in order. Resolves when all that was begun has ended; after the
 * first error nothing further is begun, and it is thrown at the end.
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const errors: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && errors.length === 0; item = queue.shift()) {
      await work(item).catch((error: unknown) => void errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  if (errors.length > 0) throw errors[0];
}
