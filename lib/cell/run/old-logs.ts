import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../util/read-file.ts';
import { logRoot } from '../run-folder.ts';

/** A log of agents' doings that was last written before a time. */
export interface OldLog {
  readonly path: string;
  readonly bytes: number;
}

/** Logs last written before `until`, but for those whose name begins with a word that is still needed. */
export function listOldLogs(
  commonDir: string,
  until: Date,
  needed: readonly string[] = [],
): readonly OldLog[] {
  const folder = logRoot(commonDir);
  return namesIn(folder).flatMap((name) => {
    if (needed.some((word) => name.startsWith(`${word}.`))) return [];
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.mtimeMs >= until.getTime()) return [];
    return [{ path, bytes: stat.size }];
  });
}

export function removeLog({ path }: OldLog): void {
  rmSync(path, { force: true });
}
