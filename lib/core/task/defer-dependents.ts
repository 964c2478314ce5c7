import type { Changeset } from '../../domain/state/changeset.ts';
import { unreachable } from '../../util/unreachable.ts';

export interface DeferredGroup {
  readonly group: string;
  /** `builds on auth, which was rejected` */
  readonly because: string;
}

/**
 * The groups that need no decision, in the given (dependency) order: undecided ones that
 * build on a group decided otherwise than approved, directly or through others.
 */
export function deferDependents(
  groups: readonly { readonly group: string; readonly dependsOn: readonly string[] }[],
  decisions: ReadonlyMap<string, Changeset['state']>,
): readonly DeferredGroup[] {
  const lost = new Map([...decisions].filter(([, state]) => isLost(state)));
  const deferred: DeferredGroup[] = [];
  const isUndecided = (group: string): boolean => {
    const state = decisions.get(group);
    return state === undefined || state === 'waiting' || state === 'void';
  };
  for (let found = -1; found !== deferred.length; ) {
    found = deferred.length;
    for (const { group, dependsOn } of groups) {
      const cause = dependsOn.find((needed) => lost.has(needed));
      if (cause === undefined || lost.has(group) || !isUndecided(group)) continue;
      deferred.push({ group, because: `builds on ${cause}, which ${describeState(lost.get(cause))}` });
      lost.set(group, 'deferred');
    }
  }
  return deferred;
}

function isLost(state: Changeset['state']): boolean {
  switch (state) {
    case 'rejected':
    case 'skipped':
    case 'deferred':
    case 'conflict':
      return true;
    case 'waiting':
    case 'approved':
    case 'landed':
    case 'void':
      return false;
    default:
      return unreachable(state);
  }
}

function describeState(state: Changeset['state'] | undefined): string {
  return state === 'conflict' ? 'did not merge' : `was ${state}`;
}
