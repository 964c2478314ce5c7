import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The name of one clone on one machine, `laptop/3f9a1c2b`: the host, and what distinguishes its clones
 * without revealing where they are. Another one after the clone was moved. `host`: what the machine is called instead.
 */
export function cloneName(commonDir: string, host: string = hostname()): string {
  const place = createHash('sha256').update(realpathSync(commonDir)).digest('hex').slice(0, 8);
  return `${host.replace(/[^\w.-]+/g, '-') || hostname()}/${place}`;
}
