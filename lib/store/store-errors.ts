import { parseRefInTheWay, refInTheWayError } from '../domain/disk-errors.ts';
import { FlameError, type FlameErrorInit } from '../domain/flame-error.ts';
import type { ObjectId, RefName } from '../domain/ids.ts';

/** Content under refs/blueflame/* that can't be used. Nothing was changed. */
export function stateCorrupt(ref: RefName, object: ObjectId | string, problem: string, cause?: unknown): FlameError {
  return stateCorruptInSeveral(`${ref} can't be used: ${object} ${problem}.`, {
    hints: ['git flame doctor', `git log --oneline ${ref}`],
    data: { ref, object },
    cause,
  });
}

/** The same error for several problems. */
export function stateCorruptInSeveral(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'data' | 'cause'>,
): FlameError {
  return new FlameError({ ...init, kind: 'environment', code: 'state-corrupt', message });
}

/** A lock file that no process seems to use. It's never deleted silently: git may still be at work. */
export function abandonedRefLockError(ref: string, file: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'ref-locked',
    message: `${ref} is locked by ${file}, and the lock was still there after waiting.`,
    hints: [
      'git flame doctor',
      `If no git process is running here any more, remove the file: rm '${file.replaceAll("'", "'\\''")}'`,
    ],
    data: { ref, file },
  });
}

/** Others changed the state each time before this process could. */
export function stateBusy(): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'state-busy',
    message: `Other commands kept changing the state on refs/blueflame/*, so nothing was changed.`,
    hints: ['git flame status'],
  });
}

/** git refused the transaction for a reason that trying again doesn't change. */
export function refUpdateRefused(message: string): FlameError {
  const found = parseRefInTheWay(message);
  if (found !== null) return refInTheWayError(found.inTheWay, found.wanted);
  return new FlameError({
    kind: 'environment',
    code: 'ref-refused',
    message: `git refused to move the refs: ${message}.`,
    hints: ['git flame doctor'],
  });
}

/** git was killed between two refs of one transaction. */
export function refsMovedInPart(moved: readonly string[], unmoved: readonly string[]): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'state-torn',
    message: `git died while it moved refs: ${moved.join(', ')} moved, ${unmoved.join(', ')} did not.`,
    hints: ['git flame doctor'],
    data: { moved, unmoved },
  });
}
