import type { Objection } from './dialect.ts';

/** The objection to what would reach out of the cell by way of the API; null: nothing does. */
export function elsewhere(what: string | null): Objection | null {
  if (what === null) return null;
  return {
    why: 'server-tool',
    message: `A request may not have the model API reach elsewhere: ${what.slice(0, 200)}.`,
  };
}

/** The objection to a field that isn't known; null: there is none. */
export function notKnown(field: string | null): Objection | null {
  if (field === null) return null;
  return {
    why: 'field',
    message: `A request may not have what the gateway does not know or count: ${field}.`,
  };
}
