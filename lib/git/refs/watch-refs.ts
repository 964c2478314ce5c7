import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { throttle } from '../../util/pacing.ts';
import { findReftable } from './reftable.ts';

/** Changes that follow one another within this time are reported once, in milliseconds. */
const togetherMs = 200;
/** How often it is reported where nothing can be watched, in milliseconds. */
const lookMs = 1_000;

/**
 * Reports each time a ref directly below refs/blueflame may have moved, whichever process moved it; once a second where
 * the system can't watch files. What other hosts change on a network file system is not seen. Keeps no process alive.
 * Returns what ends it.
 */
export function watchRefs(commonDir: string, onChange: () => void): () => void {
  const watchers: FSWatcher[] = [];
  const close = (): void => {
    for (const one of watchers.splice(0)) one.close();
  };
  const report = (): void => {
    arm();
    onChange();
  };
  const soon = throttle(report, togetherMs);
  const again = throttle(report, lookMs);
  // git makes and removes the folders it keeps refs in.
  const arm = (): void => {
    close();
    try {
      for (const { folder, shows } of placesOf(commonDir)) {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || shows(name)) soon.soon();
        });
        watchers.push(watcher.on('error', () => again.soon()));
      }
    } catch {
      again.soon();
    }
  };
  arm();
  return () => {
    close();
    soon.cancel();
    again.cancel();
  };
}

/** The folders in which git changes a file each time such a ref moves, and which file. */
function placesOf(
  commonDir: string,
): readonly { readonly folder: string; readonly shows: (name: string) => boolean }[] {
  const tables = findReftable(commonDir);
  if (tables !== null) return [{ folder: dirname(tables), shows: (name) => name === 'tables.list' }];
  const own = join(commonDir, 'refs', 'blueflame');
  return [
    { folder: commonDir, shows: (name) => name === 'packed-refs' },
    existsSync(own)
      ? { folder: own, shows: (name) => !name.endsWith('.lock') }
      : { folder: dirname(own), shows: (name) => name === 'blueflame' },
  ];
}
