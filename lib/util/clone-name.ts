import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The name of one clone on one machine, `laptop/3f9a1c2b`: the host, and what distinguishes its clones
 * without revealing where they are. Another one after the clone was moved.
 */
export function cloneName(commonDir: string): string {
  const place = createHash('sha256').update(realpathSync(commonDir)).digest('hex').slice(0, 8);
  return `${hostname()}/${place}`;
}
