import { randomBytes } from 'node:crypto';

/** A name that no other process makes, such as `worker-1a2b3c4d`. */
export function randomName(kind: string): string {
  return `${kind}-${randomBytes(4).toString('hex')}`;
}
