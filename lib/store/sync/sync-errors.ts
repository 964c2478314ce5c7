import { readOnlyRepositoryError } from '../../domain/disk-errors.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { UnusableNote } from '../../domain/ports/store-port.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/** The remote can't be read: no such host, no such repository, no access. Nothing was changed. */
export function remoteUnreachable(remote: string, stderr: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'remote-unreachable',
    message: `${remote} can't be read: ${reasonIn(stderr)}.`,
    hints: [`git ls-remote ${shellQuote(remote)}`, `git remote get-url ${shellQuote(remote)}`],
    details: detailsIn(stderr),
    data: { remote },
  });
}

/** The remote takes no state. What came from it is merged here; nothing is lost. */
export function remoteRefuses(remote: string, { ref, reason, stderr }: PushRefusal): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'remote-refuses-state',
    message: `${remote} rejects ${ref}: ${reason}. The state here is merged and complete.`,
    hints: [wayOut(remote, reason)],
    details: detailsIn(stderr),
    data: { remote, ref, reason },
  });
}

function wayOut(remote: string, reason: string): string {
  const [, lock] = reason.match(/Unable to create '(.+\.lock)'/) ?? [];
  if (lock !== undefined) return `If no git is running on that server, remove the lock there: ${lock}`;
  const [, blocking] = reason.match(/'(refs\/[\w./-]+)' exists; cannot create/) ?? [];
  if (blocking !== undefined)
    return `Delete the ref that is in its place: git push ${shellQuote(remote)} :${shellQuote(blocking)}`;
  const isInTheWay = /couldn't set|non-empty directory|missing necessary objects|bad object/.test(reason);
  if (isInTheWay) return 'See what is in its place, on that server: git fsck && git for-each-ref refs/blueflame';
  return 'Allow refs/blueflame/* on that server, or share through another remote: git flame sync REMOTE';
}

/** Machines can't share a session there: a step could be made in part. */
export function remoteNotAtomic(remote: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'remote-not-atomic',
    message: `${remote} does not support atomic pushes, so machines can't share a session through it.`,
    hints: ['Share it through another remote: git flame run --remote REMOTE'],
    data: { remote },
  });
}

/** The push went wrong for a reason that is not about one ref. */
export function pushFailed(remote: string, stderr: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'push-failed',
    message: `The state could not be pushed to ${remote}: ${reasonIn(stderr)}.`,
    hints: [`git flame sync ${shellQuote(remote)}`],
    details: detailsIn(stderr),
    data: { remote },
  });
}

/** The server has no room, or nothing may be written there. Nothing was changed. */
export function remoteCannotStore(remote: string, reason: string, stderr: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'remote-cannot-store',
    message: `${remote} can't store the state: ${reason}.`,
    hints: [`Once that server has space and allows writing: git flame sync ${shellQuote(remote)}`],
    details: detailsIn(stderr),
    data: { remote, reason },
  });
}

/** A person put the remote back, or restored a backup of it: what that is to become, they decide. Nothing was sent. */
export function remoteRolledBack(remote: string, refs: readonly string[]): FlameError {
  return new FlameError({
    kind: 'waiting',
    code: 'remote-went-back',
    message: `${refs.join(' and ')} at ${remote} no longer hold${refs.length === 1 ? 's' : ''} what this clone has seen there, so the remote was reset or rewritten. Nothing was sent.`,
    hints: [
      `To send the state here again, merged with the state there: git flame sync ${shellQuote(remote)}`,
      `To see what is there: git ls-remote ${shellQuote(remote)} 'refs/blueflame/*'`,
    ],
    data: { remote, refs },
  });
}

/** Others would get what can't be read here. What came from the remote is merged here. */
export function damagedStateNotSent(remote: string, damage: readonly UnusableNote[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'damaged-state',
    message: `Nothing was sent to ${remote}: part of the state here can't be read, and others would receive it.`,
    hints: ['git flame doctor --repair', `To send it as it is: git flame sync --damaged ${shellQuote(remote)}`],
    details: damage.slice(0, 20).map(({ ref, object, message }) => `${ref} ${object} ${message}`),
    data: { remote, objects: damage.map(({ object }) => object) },
  });
}

/** Refuses to replace notes of a newer version. All else that came from the remote is merged here. */
export function newerStateNotSent(remote: string, newer: readonly UnusableNote[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'newer-state',
    message: `Nothing was sent to ${remote}: notes there were written by a newer git-flame, and yours would replace them. Yours stay here unchanged.`,
    hints: [
      `Install that version, or replace them with yours: git flame sync --keep-mine ${shellQuote(remote)}`,
      ...newer.slice(0, 1).map(({ object }) => `git cat-file -p ${object}`),
    ],
    details: newer.slice(0, 20).map(({ ref, object, message }) => `${ref} ${object} ${message}`),
    data: { remote, objects: newer.map(({ object }) => object) },
  });
}

/** Others pushed first, each time. */
export function remoteBusy(remote: string, tries: number, stderr: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'remote-busy',
    message: `Others changed the state on ${remote} first, ${tries} times in a row. The state here is merged.`,
    hints: [`git flame sync ${shellQuote(remote)}`],
    details: detailsIn(stderr),
    data: { remote },
  });
}

/** Without the history it can't be determined which clone changed what. */
export function stateShallow(ref: string, remote: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'state-shallow',
    message: `The history of ${ref} is cut off in this shallow clone, so it can't be merged.`,
    hints: [`git fetch --unshallow ${shellQuote(remote)}`],
    data: { ref },
  });
}

export function cannotMergeInto(path: string, cause?: unknown): FlameError {
  const message = `${path} can't be written, so nothing can be merged into it.`;
  return readOnlyRepositoryError(message, ['git flame sync --dry-run'], cause);
}

function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((text) => /^(?:fatal|error|ERROR): /.test(text)) ?? lines.at(-1) ?? 'no reason given';
  return line.replace(/^(?:fatal|error|ERROR): /, '').replace(/\.$/, '');
}

function detailsIn(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 10);
}

/** Why a remote didn't take a push. */
export interface PushRefusal {
  readonly ref: string;
  /** In the server's own words, as far as it gave any. */
  readonly reason: string;
  /** Whether a race may be behind it, or something that passes. That a ref moved there proves the race, no words do. */
  readonly mayPass: boolean;
  /** Output of git about it. */
  readonly stderr: string;
}

interface Rejection {
  readonly ref: string;
  readonly reason: string;
}

/** Why the server could not write what was sent, in its own words: its disk is full, or may not be written; null: it could. */
export function readStorageFailure({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): string | null {
  if (!parseRejections(stdout).some(({ reason }) => reason === 'unpacker error')) return null;
  const [, words] = stderr.match(/^error: remote unpack failed: (.+?)\s*$/m) ?? [];
  return serverError(stderr) ?? words ?? 'unpacker error';
}

/** Reads the refusal from `git push --porcelain`; null where it names no ref. */
export function parsePushRefusal({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): PushRefusal | null {
  const rejections = parseRejections(stdout);
  // With --atomic the others are refused because of one: its reason is the reason.
  const own = rejections.filter(({ reason }) => !/^atomic (?:push|transaction)/.test(reason));
  const first = own.find(({ reason }) => !isTransientRefusal(reason)) ?? own[0] ?? rejections[0];
  if (first === undefined) return null;
  const serverText = isVague(first.reason) ? serverError(stderr) : null;
  const ref = rejections.find((rejection) => serverText?.includes(`'${rejection.ref}'`))?.ref ?? first.ref;
  return { ref, reason: serverText ?? first.reason, mayPass: isTransientRefusal(first.reason), stderr };
}

/** Reads `!`, the refs, then `[remote rejected] (why)`. */
function parseRejections(stdout: string): readonly Rejection[] {
  return stdout.split('\n').flatMap((line) => {
    const [, ref = '', reason = ''] = line.match(/^!\t[^\t]*:([^\t]+)\t\[[^\]]+\](?: \((.*)\))?/) ?? [];
    return ref === '' ? [] : [{ ref, reason: reason === '' ? 'rejected' : reason }];
  });
}

// Also what GitHub (`failed`, `failure`) and JGit (`failed to lock`) say where they are busy, and what git does where
// a gc of that moment took what it had just received.
function isTransientRefusal(reason: string): boolean {
  return /fetch first|atomic (?:push|transaction) fail|non-fast-forward|stale info|cannot lock ref|failed to (?:update ref|lock)|incorrect old value|already exists|needs force|commit_refs|unable to migrate|^fail(?:ed|ure)$/.test(
    reason,
  );
}

function isVague(reason: string): boolean {
  return /^(?:atomic (?:push|transaction) fail.*|failed to (?:update ref|lock)|fail(?:ed|ure)|missing necessary objects|rejected)$/.test(
    reason,
  );
}

/** The first error that the server printed. */
function serverError(stderr: string): string | null {
  const [, words] = stderr.match(/^remote: (?:error|fatal): (.+?)\.?\s*$/m) ?? [];
  return words ?? null;
}
