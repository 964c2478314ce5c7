import { followEvents } from './transport.ts';

/** The server says that it is there every twenty seconds. */
const longestSilenceMs = 50_000;
const pauses = [300, 1_000, 3_000, 10_000];

interface LineOptions<Value> {
  /** Where it is listened, now. */
  path(): string;
  onValue(value: Value): void;
  /** Nothing is heard any more: what is shown may be old. `reason`: what the server said last, or ''. */
  onLost(reason: string): void;
}

/** A line to the server, taken up again whenever it breaks: a tab may sleep for days. */
export interface Line {
  /** Begins again. */
  restart(): void;
  /** Nothing comes any more, and that is right. */
  stop(): void;
}

export function keepLine<Value>({ path, onValue, onLost }: LineOptions<Value>): Line {
  let current = new AbortController();
  let heardAt = Date.now();
  let isOver = false;
  const onSign = (): void => {
    heardAt = Date.now();
  };
  const follow = async ({ signal }: AbortController): Promise<void> => {
    for (let failures = 0; !signal.aborted && !isOver; failures += 1) {
      const hear = (value: Value): void => {
        failures = 0;
        onValue(value);
      };
      onSign();
      const reason = await followEvents(path(), hear, { signal, onSign }).then(
        () => '',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
      if (signal.aborted || isOver) return;
      onLost(reason);
      await new Promise((resolve) => setTimeout(resolve, pauses[Math.min(failures, pauses.length - 1)]));
    }
  };
  const restart = (): void => {
    current.abort();
    current = new AbortController();
    isOver = false;
    void follow(current);
  };
  const check = (): void => {
    if (isOver || Date.now() - heardAt <= longestSilenceMs) return;
    onLost('');
    restart();
  };
  setInterval(check, 10_000);
  // Timers of a tab that sleeps stand still.
  document.addEventListener('visibilitychange', check);
  window.addEventListener('online', check);
  void follow(current);
  return {
    restart,
    stop: () => {
      isOver = true;
    },
  };
}
