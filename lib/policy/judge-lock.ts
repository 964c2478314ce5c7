import type { AgentPolicy } from '../domain/agent-policy.ts';
import { foldNameForComparison, hasWildcard, isLockInsideGlobs } from '../util/path-globs.ts';
import { expandLockBraces } from '../util/path-patterns.ts';
import { isPathBlockedByGlob } from './judge-path.ts';
import { findProtectedPlace } from './protected-places.ts';
import { explainMalformedPath } from './resolve-path.ts';

type Rules = Pick<AgentPolicy, 'blocked_paths' | 'hidden_paths' | 'protected_paths'>;

/**
 * Returns why no agent, with any task, could write anything that a file lock or one alternative of its braces names, as
 * the end of a sentence about the lock; null: no objection. A lock that only holds such a place among others is
 * fine: the rest of it can be written.
 */
export function explainUnwritableLock(rules: Rules, lock: string): string | null {
  for (const part of expandLockBraces(lock)) {
    const found = judgePart(rules, lock, part);
    if (found !== null) return found;
  }
  return null;
}

function judgePart(rules: Rules, lock: string, part: string): string | null {
  const path = part
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
  const malformed = hasWildcard(path) ? null : explainMalformedPath(path === '' ? '.' : path);
  if (malformed !== null) return `${malformed}, so no agent may write it`;
  const place = findProtectedPlace(rules, path) ?? findProtectedPlace(rules, literalStartOfGlob(path));
  if (place !== null) return `names ${place.name}, which ${place.why}: no agent may write there`;
  for (const list of ['hidden_paths', 'blocked_paths'] as const) {
    const glob = rules[list].find(
      (one) =>
        isLockInsideGlobs(foldNameForComparison(path), [foldNameForComparison(one)]) ||
        isPathBlockedByGlob(one, literalStartOfGlob(path)),
    );
    if (glob !== undefined) return `is inside ${list} (${glob})`;
  }
  const isAttributes = /(?:^|\/)\.git(?:attributes|modules)$/.test(foldNameForComparison(path));
  if (!isAttributes || (lock === path && !hasWildcard(lock))) return null;
  return 'changes how git treats other files: name exactly this file, in a separate lock';
}

/** The folders before the first wildcard, or the whole path: where those are out of bounds, all below them is. */
export function literalStartOfGlob(glob: string): string {
  const names = glob.split('/');
  const end = names.findIndex(hasWildcard);
  return end === -1 ? glob : names.slice(0, end).join('/');
}
