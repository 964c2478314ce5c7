/** Something that happens once, and that others wait for. */
export interface Latch {
  readonly raise: () => void;
  readonly isRaised: () => boolean;
  /** Ends all waiting: it did not come. */
  readonly giveUp: () => void;
  within(ms: number): Promise<boolean>;
}

export function createLatch(): Latch {
  let isRaised = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const resolve of waiting) resolve();
  };
  return {
    raise: () => {
      isRaised = true;
      wake();
    },
    isRaised: () => isRaised,
    giveUp: wake,
    within: (ms) =>
      new Promise((resolve) => {
        if (isRaised) return resolve(true);
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve(isRaised);
        };
        const timer = setTimeout(done, ms);
        waiting.add(done);
      }),
  };
}
