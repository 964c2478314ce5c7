import type { Breach } from './breach.ts';

/** `unsigned`, `signed by ben/1`, `signed with the key …, which no machine showed` */
export function describeAuthor({ by, key }: Pick<Breach, 'by' | 'key'>): string {
  if (key === null) return 'unsigned';
  return by === null ? `signed with the key ${key}, which no machine showed` : `signed by ${by}`;
}
