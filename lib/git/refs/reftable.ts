import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The file by which git finds the tables its refs are kept in; null where each ref is a file. */
export function reftableOf(commonDir: string): string | null {
  const file = join(commonDir, 'reftable', 'tables.list');
  return existsSync(file) ? file : null;
}

/** The lock that every change of any ref takes there, if there. */
export function reftableLock(commonDir: string): string | null {
  const file = reftableOf(commonDir);
  return file === null ? null : `${file}.lock`;
}
