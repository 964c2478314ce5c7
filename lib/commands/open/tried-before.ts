import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workshop } from '../../engine/workshop.ts';

/** Cache of earlier trials, beside the logs: it may be deleted at any time, and trials run again then. */
export function triedBefore(commonDir: string): Workshop['tried'] {
  const folder = join(commonDir, 'blueflame', 'logs');
  const fileOf = (key: string): string =>
    join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.tried.json`);
  return {
    read: (key) => readFile(fileOf(key), 'utf8').catch(() => null),
    write: async (key, text) => {
      await mkdir(folder, { recursive: true });
      await writeFile(fileOf(key), text);
    },
  };
}
