import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

// As many as Linux follows.
const mostLinks = 40;

/** Resolves links, also above what isn't there yet, and those that lead nowhere yet. */
export function realPathOf(path: string, linksLeft = mostLinks): string {
  try {
    return realpathSync(path);
  } catch {
    const target = linkTarget(path);
    const above = dirname(path);
    if (target !== null && linksLeft > 0) return realPathOf(resolve(above, target), linksLeft - 1);
    return above === path ? path : join(realPathOf(above, linksLeft), basename(path));
  }
}

/** Resolves links; the path itself where nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Reads the target of a link; null: it is none, or can't be read. */
export function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
