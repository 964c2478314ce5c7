import type { Workshop } from './workshop.ts';

const told = new WeakMap<Workshop['events'], Set<string>>();

/** Emits a warning once in a run, however many tasks it is true of. */
export function tellOnce(
  { events }: Pick<Workshop, 'events'>,
  message: string,
  details: readonly string[] = [],
): void {
  const known = told.get(events) ?? new Set<string>();
  told.set(events, known);
  if (known.has(message)) return;
  known.add(message);
  events.emit({ event: 'notice', level: 'warning', message, details });
}
