import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The file by which git finds the tables its refs are kept in; null where each ref is a file. */
export function findReftable(commonDir: string): string | null {
  const file = join(commonDir, 'reftable', 'tables.list');
  return existsSync(file) ? file : null;
}

/** The lock that every change of any ref takes there, if there. */
export function findReftableLock(commonDir: string): string | null {
  const file = findReftable(commonDir);
  return file === null ? null : `${file}.lock`;
}
