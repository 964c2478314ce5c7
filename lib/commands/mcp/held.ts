/** What is open for the time of a callback, as a value that stays open until it is closed. */
export interface Held<T> {
  /** Opens it when it is asked for first; where that fails, the next one who asks tries again. */
  get(): Promise<T>;
  close(): Promise<void>;
}

/** `open` calls `work` with what it opened, and closes that once the promise of `work` resolves. */
export function holdOpen<T>(open: (work: (value: T) => Promise<number>) => Promise<number>): Held<T> {
  let opened: Promise<T> | null = null;
  let isOver = (): void => undefined;
  let closed: Promise<unknown> = Promise.resolve();
  const start = (): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const over = new Promise<number>((done) => {
        isOver = () => done(0);
      });
      closed = open((value) => {
        resolve(value);
        return over;
      }).catch((error: unknown) => {
        opened = null;
        reject(error);
      });
    });
  return {
    get: () => {
      opened ??= start();
      return opened;
    },
    close: async () => {
      if (opened === null) return;
      await opened.catch(() => undefined);
      isOver();
      await closed;
    },
  };
}
