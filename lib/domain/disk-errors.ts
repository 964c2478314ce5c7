import { shellQuote } from '../util/shell-quote.ts';
import { FlameError, type FlameErrorInit } from './flame-error.ts';

// Errors of writing to disk: one constructor for each code.

/** Too little disk space to write. */
export function noDiskSpaceError(message: string, hint: string, cause?: unknown): FlameError {
  return new FlameError({ kind: 'environment', code: 'disk-full', message, hints: [hint], cause });
}

export function readOnlyRepositoryError(message: string, hints: readonly string[], cause?: unknown): FlameError {
  return new FlameError({ kind: 'environment', code: 'repository-read-only', message, hints, cause });
}

/** Another git holds the index of a work tree, or was killed while it did. */
export function indexLockedError(
  message: string,
  init: Pick<FlameErrorInit, 'kind' | 'hints' | 'details'>,
): FlameError {
  return new FlameError({ ...init, code: 'index-locked', message });
}

/**
 * The error of a command on a full disk; null for every other error. The file was not written, not even in part.
 * `again`: what to do once there is room.
 */
export function asDiskFullError(error: unknown, again: string): FlameError | null {
  const isFull = error instanceof Error && 'code' in error && /^(?:ENOSPC|EDQUOT)$/.test(`${error.code}`);
  if (!isFull && !(error instanceof Error && isFullDiskText(error.message))) return null;
  const reason = error.message.split('\n')[0] ?? '';
  return noDiskSpaceError(`The disk is full: ${reason}`, `Free some disk or inodes, then${again}`, error);
}

/** The error of a command in a repository that can't be written; null for every other error. */
export function asReadOnlyError(error: unknown): FlameError | null {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return null;
  if (!/^(?:EROFS|EACCES|EPERM)$/.test(`${error.code}`) || !/[/\\]\.git(?:[/\\]|$)/.test(`${error.path}`)) return null;
  const reason = error.message.split('\n')[0] ?? '';
  return readOnlyRepositoryError(
    `The repository can't be written: ${reason}`,
    ['git flame status', 'git flame doctor'],
    error,
  );
}

/**
 * Whether git's or a system's words say that there is no room left. Of a lock that it made git says only that it
 * couldn't write it.
 */
export function isFullDiskText(text: string): boolean {
  return /No space left on device|Out of diskspace|Disk quota exceeded|couldn't write '[^']*\.lock'/.test(text);
}

/**
 * The refusal of a ref that git can't make beside another one: a name can't be both a ref and a folder of refs.
 * `wanted` is the ref, or the folder it would be in.
 */
export function refInTheWayError(
  inTheWay: string,
  wanted: string,
  { further = [], free = freeName(inTheWay) }: { readonly further?: readonly string[]; readonly free?: string } = {},
): FlameError {
  const branch = branchOf(inTheWay);
  const what = branch === null ? `The ref ${inTheWay}` : `The branch ${branch}`;
  return new FlameError({
    kind: 'refused',
    code: 'ref-in-the-way',
    message: `${what} is in the way: git can't create ${wanted} beside it, and git-flame stores its state there.`,
    hints: [
      branch === null
        ? `git tag ${free} ${shellQuote(inTheWay)} && git update-ref --no-deref -d ${shellQuote(inTheWay)}`
        : `git branch -m ${shellQuote(branch)} ${shellQuote(free)}`,
      ...further,
    ],
    data: { ref: inTheWay, wanted },
  });
}

/** Parses git's error where it can't make a ref beside another one; null: it is another error. */
export function parseRefInTheWay(message: string): { readonly inTheWay: string; readonly wanted: string } | null {
  const [, inTheWay, wanted] = /'(refs\/[^']+)' exists; cannot create '(refs\/[^']+)'/.exec(message) ?? [];
  return inTheWay === undefined || wanted === undefined ? null : { inTheWay, wanted };
}

function freeName(ref: string): string {
  return `${(branchOf(ref) ?? ref).replaceAll('/', '-')}-old`;
}

function branchOf(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}
