import { FlameError, type FlameErrorInit } from './flame-error.ts';

// Errors of writing to disk: one constructor for each code.

/** Too little disk space to write. */
export function noRoom(message: string, hint: string, cause?: unknown): FlameError {
  return new FlameError({ kind: 'environment', code: 'disk-full', message, hints: [hint], cause });
}

export function repositoryReadOnly(message: string, hints: readonly string[], cause?: unknown): FlameError {
  return new FlameError({ kind: 'environment', code: 'repository-read-only', message, hints, cause });
}

/** Another git holds the index of a work tree, or was killed while it did. */
export function indexLocked(
  message: string,
  init: Pick<FlameErrorInit, 'kind' | 'hints' | 'details'>,
): FlameError {
  return new FlameError({ ...init, code: 'index-locked', message });
}

/** The error of a command on a full disk; null for every other error. The file was not written, not even in part. */
export function diskFull(error: unknown): FlameError | null {
  const isFull = error instanceof Error && 'code' in error && /^(?:ENOSPC|EDQUOT)$/.test(`${error.code}`);
  if (!isFull && !(error instanceof Error && tellsOfFullDisk(error.message))) return null;
  const reason = error.message.split('\n')[0] ?? '';
  return noRoom(`The disk is full: ${reason}`, 'Free some disk, then: git flame resume', error);
}

/** The error of a command in a repository that can't be written; null for every other error. */
export function readOnly(error: unknown): FlameError | null {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return null;
  if (!/^(?:EROFS|EACCES|EPERM)$/.test(`${error.code}`) || !/[/\\]\.git(?:[/\\]|$)/.test(`${error.path}`))
    return null;
  const reason = error.message.split('\n')[0] ?? '';
  return repositoryReadOnly(
    `The repository can't be written: ${reason}`,
    ['git flame status', 'git flame doctor'],
    error,
  );
}

/** Whether git's or a system's words say that there is no room left. */
export function tellsOfFullDisk(text: string): boolean {
  return /No space left on device|Disk quota exceeded/.test(text);
}
