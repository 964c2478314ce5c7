import type { DialectName } from '../../../domain/model-api.ts';
import { anthropic } from './anthropic.ts';
import type { Dialect } from './dialect.ts';

const dialects: Readonly<Partial<Record<DialectName, Dialect>>> = { anthropic };

/** The dialect of that name. Throws an Error for one that isn't spoken. */
export function getDialect(name: DialectName): Dialect {
  const dialect = dialects[name];
  if (dialect === undefined) throw new Error(`the gateway does not speak ${name}`);
  return dialect;
}
