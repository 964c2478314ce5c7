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
export function readRefusal({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): PushRefusal | null {
  const rejections = parseRejections(stdout);
  // With --atomic the others are refused because of one: its reason is the reason.
  const own = rejections.filter(({ reason }) => !/^atomic (?:push|transaction)/.test(reason));
  const first = own.find(({ reason }) => !mayPass(reason)) ?? own[0] ?? rejections[0];
  if (first === undefined) return null;
  const told = isVague(first.reason) ? serverError(stderr) : null;
  const ref = rejections.find((rejection) => told?.includes(`'${rejection.ref}'`))?.ref ?? first.ref;
  return { ref, reason: told ?? first.reason, mayPass: mayPass(first.reason), stderr };
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
function mayPass(reason: string): boolean {
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
