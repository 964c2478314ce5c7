import type { Workshop } from './workshop.ts';

/** Emits a warning once in a run, however many tasks it is true of; `key` where its words may differ. */
export function tellOnce(
  { events, run }: Pick<Workshop, 'events' | 'run'>,
  message: string,
  { details = [], key = message }: { readonly details?: readonly string[]; readonly key?: string } = {},
): void {
  if (run.told.has(key)) return;
  run.told.add(key);
  events.emit({ event: 'notice', level: 'warning', message, details });
}
