import { randomBytes } from 'node:crypto';

/** A name that no other process makes, such as `worker-1a2b3c4d`. */
export function randomName(kind: string): string {
  return `${kind}-${randomBytes(4).toString('hex')}`;
}

/** An object name as people read it: ten digits. */
export function shortId(objectId: string): string {
  return objectId.slice(0, 10);
}
