import type { AgentPolicy } from '../domain/policy.ts';
import { foldName, hasWildcard, lockInside } from '../util/path-globs.ts';
import { lockParts } from '../util/path-patterns.ts';
import { isBlockedBy } from './judge-path.ts';
import { protectedPlace } from './protected-places.ts';
import { malformedReason } from './resolve-path.ts';

type Rules = Pick<AgentPolicy, 'blocked_paths' | 'hidden_paths' | 'protected_paths'>;

/**
 * Returns why no agent, with any task, could write anything that a file lock or one alternative of its braces names, as
 * the end of a sentence about the lock; null: no objection. A lock that only holds such a place among others is
 * fine: the rest of it can be written.
 */
export function judgeLock(rules: Rules, lock: string): string | null {
  for (const part of lockParts(lock)) {
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
  const malformed = hasWildcard(path) ? null : malformedReason(path === '' ? '.' : path);
  if (malformed !== null) return `${malformed}, so no agent may write it`;
  const place = protectedPlace(rules, path) ?? protectedPlace(rules, plainStart(path));
  if (place !== null) return `names ${place.name}, which ${place.why}: no agent may write there`;
  for (const list of ['hidden_paths', 'blocked_paths'] as const) {
    const glob = rules[list].find(
      (one) => lockInside(foldName(path), [foldName(one)]) || isBlockedBy(one, plainStart(path)),
    );
    if (glob !== undefined) return `is inside ${list} (${glob})`;
  }
  const isAttributes = /(?:^|\/)\.git(?:attributes|modules)$/.test(foldName(path));
  if (!isAttributes || (lock === path && !hasWildcard(lock))) return null;
  return 'changes how git treats other files: name exactly this file, in a separate lock';
}

/** The folders before the first wildcard: where those are out of bounds, all below them is. */
function plainStart(path: string): string {
  const names = path.split('/');
  const end = names.findIndex(hasWildcard);
  return end === -1 ? path : names.slice(0, end).join('/');
}
