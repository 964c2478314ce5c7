import { readFileSync } from 'node:fs';

/**
 * Paths of all sockets that programs of this machine listen on or use; empty where the system doesn't list
 * them.
 */
export function listSocketPaths(): string[] {
  try {
    return parseSocketTable(readFileSync('/proc/net/unix', 'utf8'));
  } catch {
    return [];
  }
}

/** Reads /proc/net/unix: the path is the rest of the line after seven columns. Abstract names (@…) are left out. */
export function parseSocketTable(text: string): string[] {
  const paths = text.split('\n').flatMap((line) => {
    const match = /^\S+:(?: +\S+){5} +\d+ (\/.*)$/.exec(line);
    return match?.[1] === undefined ? [] : [match[1]];
  });
  return [...new Set(paths)];
}
