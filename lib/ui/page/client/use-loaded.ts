import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Loads a value, again whenever `of` changes; null before the first time, an Error where it can't be had. */
export function useLoaded<Value>(load: () => Promise<Value>, of?: unknown): Value | Error | null {
  const loaded = useSignal<Value | Error | null>(null);
  useEffect(() => {
    let isWanted = true;
    const take = (value: Value | Error): void => {
      if (isWanted) loaded.value = value;
    };
    load().then(take, (error: unknown) => take(error instanceof Error ? error : new Error(String(error))));
    return () => {
      isWanted = false;
    };
  }, [of]);
  return loaded.value;
}
