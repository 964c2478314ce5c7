import * as z from 'zod';
import { isRecord, type JsonRecord } from '../../util/json-record.ts';

// Each request of a model that leads pays for the definitions of the tools: they hold what it can't do without. Lengths,
// patterns and ranges it hears of by the error that names them.

const leftOut = new Set([
  ...[
    '$schema',
    'additionalProperties',
    'pattern',
    'minLength',
    'maxLength',
    'minItems',
    'minimum',
    'maximum',
  ],
]);

/** A schema as clients are told it: true of everything that the whole one takes, in as few words as that needs. */
export function toldSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): JsonRecord & { readonly type: 'object' } {
  const pruned = prune(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }));
  return { ...(isRecord(pruned) ? pruned : {}), type: 'object' };
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prune);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key, one]) => !leftOut.has(key) || isNamed(key, one));
  return Object.fromEntries(
    kept
      .filter(([key, one]) => key !== 'default' || !isEmpty(one))
      // The names of fields are no keywords.
      .map(([key, one]) => [key, key === 'properties' ? pruneEach(one) : prune(one)]),
  );
}

function pruneEach(fields: unknown): unknown {
  return isRecord(fields)
    ? Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, prune(one)]))
    : fields;
}

/** What the values of a record are like. */
function isNamed(key: string, value: unknown): boolean {
  return key === 'additionalProperties' && isRecord(value) && Object.keys(value).length > 0;
}

/** That nothing is given is what a model takes it for. */
function isEmpty(value: unknown): boolean {
  return value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0);
}
