import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cloneStateDir } from '../../util/own-folders.ts';
import { makeFolders } from '../../util/write-files.ts';

/**
 * The latest time this clone has seen, `now` included: a clock that is set back brings no key back to life. It is kept
 * with what was decided here; null where it can't be.
 */
export function latestTime(
  env: Readonly<Record<string, string | undefined>>,
  commonDir: string,
  now: Date,
): Date | null {
  const file = join(cloneStateDir(env, commonDir), 'latest-time');
  const kept = readTime(file);
  if (kept !== null && now <= kept) return kept;
  // Others may do the same at this moment: each by a name of its own.
  const fresh = `${file}.${process.pid}`;
  try {
    makeFolders(dirname(file), 0o700);
    writeFileSync(fresh, `${now.toISOString()}\n`, { mode: 0o600 });
    renameSync(fresh, file);
    return now;
  } catch {
    return null;
  }
}

function readTime(file: string): Date | null {
  try {
    const time = new Date(readFileSync(file, 'utf8').trim());
    return Number.isNaN(time.getTime()) ? null : time;
  } catch {
    return null;
  }
}
