import { lstatSync } from 'node:fs';

/** Another text after each time the file at this path was written or replaced; '' where there is none. */
export function fileStamp(path: string): string {
  const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return facts === undefined ? '' : [facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' ');
}
