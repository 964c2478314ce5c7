import { close, constants, openSync } from 'node:fs';

/**
 * Holds files open that are about to be replaced by a rename; returns what lets go of them. The last one to
 * let go waits until what was written to a file is on the disk (ext4 sees to that at each such rename, a
 * millisecond later for the next one): so only a thread that has nothing else to do waits. Absent files don't
 * matter.
 */
export function holdFiles(paths: readonly string[]): () => void {
  const held = paths.flatMap(tryOpen);
  return () => {
    for (const descriptor of held) close(descriptor, () => undefined);
  };
}

// Another process may have put a link or a pipe there.
const harmlessly = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

function tryOpen(path: string): number[] {
  try {
    return [openSync(path, harmlessly)];
  } catch {
    return [];
  }
}
